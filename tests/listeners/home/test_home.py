"""Who sees what on the Home tab, and that nothing older takes the place of something newer."""

import asyncio

import pytest

from bot.keys.key_record import KeyDraft, NoKeyError
from bot.tracker.models import InvalidKeyError, RateLimitedError, UnavailableError
from tests.builders import KEY, a_domain
from tests.fakes import TIME_LIMIT_S
from tests.listeners.home.room import Room, running_room
from tests.loops import loop_over

pytestmark = pytest.mark.anyio


async def test_a_slow_list_shows_everything_else_meanwhile() -> None:
    async with running_room() as room:
        room.lists.gate.clear()
        await room.ada.by_id.open_home()

        first = await room.saying("⏳", room.ada)
        room.lists.gate.set()
        last = await room.home(room.ada)

        assert "Set key" in first.buttons
        assert "shop.example" in last.everything
        assert "⏳" not in last.everything


async def test_a_slow_look_does_not_take_the_place_of_a_newer_one(room: Room) -> None:
    room.lists.gate.clear()
    await room.bob.by_id.open_home()
    await asyncio.wait_for(room.lists.is_asked.wait(), TIME_LIMIT_S)
    room.portfolio.forget(room.workspace)
    room.lists.quick.add(room.workspace)
    room.lists.domains = (a_domain("newer.example"),)
    await room.bob.by_id.open_home()
    await room.saying("newer.example")

    room.lists.gate.set()

    assert "newer.example" in (await room.home()).everything


@pytest.mark.parametrize(
    ("error", "words", "label"),
    [
        (NoKeyError("none"), "not connected", "Set key"),
        (InvalidKeyError("no"), "no longer works", "Set key"),
        (RateLimitedError(60, is_ours=True), "rate limit is reached", "Refresh"),
        (UnavailableError("down", is_outcome_unknown=False), "is unavailable", "Refresh"),
        (ZeroDivisionError("ours"), "Something went wrong in the app", "Refresh"),
    ],
)
async def test_whatever_goes_wrong_is_said_with_a_way_on(
    room: Room, error: Exception, words: str, label: str
) -> None:
    room.lists.error = error

    home = await room.opened(room.ada)

    assert words in home.everything
    assert label in home.buttons
    assert room.direct(room.ada) == []


async def test_the_key_is_told_as_the_very_same_look_has_found_it(room: Room) -> None:
    draft = KeyDraft(secret=KEY, label="bot", expires_on=None, scopes=("read_domains",))
    await room.keys.save(room.workspace, draft, set_by=room.ada.id)
    room.lists.gate.clear()
    room.lists.error = InvalidKeyError("no")
    await room.ada.by_id.open_home()
    await asyncio.wait_for(room.lists.is_asked.wait(), TIME_LIMIT_S)
    key = await room.keys.stored(room.workspace)
    await room.keys.note_refused(room.workspace, key)  # as the connection does

    room.lists.gate.set()

    assert "API key: no longer works" in (await room.home(room.ada)).everything


async def test_a_store_that_is_down_is_said_and_the_domains_are_there(room: Room) -> None:
    room.documents.cannot_be_read = {
        f"{room.workspace}/managers",
        f"{room.workspace}/home-viewers",
    }

    home = await room.opened(room.ada)

    assert "database is unavailable" in home.everything
    assert "shop.example" in home.everything


async def test_a_slack_that_does_not_say_who_looks_shows_nothing_of_the_workspace(
    room: Room,
) -> None:
    room.slack.fail_next("users.info", error="fatal_error", times=9)

    home = await room.opened(room.ada)

    assert "Slack returned an unexpected response" in home.everything
    assert "shop.example" not in home.everything
    assert home.buttons == ["Refresh"]


@loop_over("is_drawn_anew", [True, False])
async def test_whoever_stops_being_a_manager_while_they_wait_does_not_get_it(
    is_drawn_anew: bool,
) -> None:
    async with running_room() as room:
        await room.managers.name(room.workspace, (room.bob.id,))
        room.lists.gate.clear()
        await room.bob.by_id.open_home()
        waiting = await room.saying("⏳")
        await room.managers.name(room.workspace, ())
        if is_drawn_anew:
            room.tasks.start(room.redraw())

        room.lists.gate.set()
        home = await room.home()

    assert "Set key" in waiting.buttons
    assert "Set key" not in home.buttons
    assert "shop.example" in home.everything
