"""What the tests of the Home tab share."""

from collections.abc import AsyncIterator

import pytest

from bot.listeners import error_boundary
from tests.listeners.home.room import Room, running_room


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    """A workspace with two domains; no one has opened Home."""
    async with running_room() as room:
        yield room


@pytest.fixture
async def hasty_room(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Room]:
    """The same, where a window says very soon that somebody is at it."""
    monkeypatch.setattr(error_boundary, "FIRST_WORD_IN_HOME_AFTER_S", 0.05)
    async with running_room() as room:
        yield room
