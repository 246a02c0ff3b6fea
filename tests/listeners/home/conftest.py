"""What the tests of the Home tab share."""

from collections.abc import AsyncIterator

import pytest

from tests.listeners.home.room import Room, running_room


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    """A workspace with two domains; no one has opened Home."""
    async with running_room() as room:
        yield room
