"""What the tests of listeners share."""

from collections.abc import AsyncIterator

import pytest

from tests.listeners.digests.room import Room, running_room


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    """A workspace without digests."""
    async with running_room() as room:
        yield room
