"""When the Home tab asks the service, and what it shows in the meantime."""

import asyncio

import pytest

from bot.playground.slack import View
from bot.tracker.models import UnavailableError
from tests.builders import a_domain
from tests.listeners.home.room import Room, running_room

pytestmark = pytest.mark.anyio

LONG_S = 1800.0
SOON_S = 0.02
DOWN = UnavailableError("down", is_outcome_unknown=False)


async def begin_slow_refresh(room: Room) -> View:
    """Let bob have an old list before him, and press `Refresh`; return what he then sees."""
    home = await room.opened()
    room.clock.advance(LONG_S)
    room.lists.gate.clear()
    room.lists.domains = (a_domain("newer.example"),)
    await room.bob.press(home, "Refresh")
    return await room.saying("⏳")


async def test_refresh_asks_anew_and_keeps_the_list_on_the_screen_until_then() -> None:
    async with running_room() as room:
        meanwhile = await begin_slow_refresh(room)

        room.lists.gate.set()
        after = await room.home()

    assert "shop.example" in meanwhile.everything
    assert "⏳" not in after.everything
    assert "newer.example" in after.everything


async def test_what_changes_while_a_list_is_awaited_does_not_take_its_place() -> None:
    async with running_room() as room:
        await begin_slow_refresh(room)

        drawn = room.draws()
        room.tasks.start(room.redraw())
        while room.draws() == drawn:  # noqa: ASYNC110  # no one tells
            await asyncio.sleep(SOON_S)
        room.lists.gate.set()
        after = await room.home()

    assert "newer.example" in after.everything
    assert "⏳" not in after.everything
    assert len(room.lists.asked) == 2
