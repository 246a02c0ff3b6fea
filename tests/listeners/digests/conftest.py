"""What the tests of listeners share."""

from collections.abc import AsyncIterator

import pytest

from tests.listeners.digests.room import Room
from tests.listeners.running import running_listeners


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    """A workspace without digests."""
    async with running_listeners(Room) as room:
        yield room
