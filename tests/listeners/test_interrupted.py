"""What people see whose answer was on its way when the process was killed, in a local Slack."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.inflight_requests import ANSWERABLE_FOR, FIRST_TRY
from bot.playground.slack import View
from bot.slack.client import publish_home, update_form
from bot.slack.errors import SlackUnreachableError
from bot.views.blocks import actions, notice, plain_message, run_button, section
from tests.fakes import TIME_LIMIT_S
from tests.listeners.interrupted_room import Room, running_room

pytestmark = pytest.mark.anyio

INTERRUPTED = "The app was interrupted"


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    async with running_room() as room:
        yield room


async def home_with(room: Room, line: str) -> View:
    """Show bob a Home tab with a button that runs a command line."""
    await publish_home(room.client, room.bob.id, plain_message("Run it", run_button("Run", line)))
    home = room.bob.home
    assert home
    return home


async def test_while_the_process_lives_nobody_is_told_however_long_it_takes(room: Room) -> None:
    await room.bob.type("/scan shop.example")
    await room.noted()

    for _ in range(12):
        room.clock.advance(10)
        await room.look()

    assert room.said() == []
    assert len(await room.left()) == 1


async def test_who_pressed_in_a_thread_is_told_in_that_thread(room: Room) -> None:
    start = room.bob.say("Is it down?")
    blocks = actions(run_button("Scan", "/scan shop.example"))
    await room.client.chat_postMessage(
        channel=start.channel_id, text="Scan it", blocks=blocks, thread_ts=start.ts
    )
    await room.bob.press(room.said()[-1], "Scan")
    await room.noted(thread_ts=start.ts)
    await room.kill()

    await room.look()

    assert INTERRUPTED in room.said()[-1].everything
    assert room.said()[-1].thread_ts == start.ts


async def test_of_several_who_look_one_tells(room: Room) -> None:
    await room.bob.type("/scan shop.example")
    await room.noted()
    await room.kill()

    await asyncio.gather(*(room.a_looker().tick() for _ in range(5)))
    assert await room.other_tasks.drain(TIME_LIMIT_S)

    assert len(room.said()) == 1


async def test_who_added_a_domain_reads_that_it_may_have_been_added(room: Room) -> None:
    await room.bob.type("/adddomain new.example")
    await room.noted()
    await room.kill()

    await room.look()

    [text] = room.said()
    assert "may still have been done" in text.everything
    assert text.buttons == ["Try again", "All domains"]


@pytest.mark.parametrize("is_stop", [False, True])
@pytest.mark.parametrize("is_at_home", [False, True])
async def test_a_form_that_says_please_wait_says_so_no_longer(
    room: Room, is_at_home: bool, is_stop: bool
) -> None:
    if is_at_home:
        await room.bob.press(await home_with(room, "/domaindigest"), "Run")
    else:
        await room.bob.type("/domaindigest")
    await room.bob.submit(await room.form_saying("One digest"))
    await room.noted(form_waits=True)
    if is_stop:
        await room.boundary.cancel_all()
    else:
        await room.kill()
        await room.look()

    form = room.bob.form
    assert form
    assert INTERRUPTED in form.everything
    assert "/domaindigest" in form.everything
    assert "⏳" not in form.everything


async def test_who_has_closed_the_form_is_told_where_they_were(room: Room) -> None:
    await room.bob.type("/domaindigest")
    await room.bob.submit(await room.form_saying("One digest"))
    await room.noted(form_waits=True)
    await room.bob.close(await room.form_saying("⏳"))
    await room.kill()

    await room.look()

    assert INTERRUPTED in room.said()[-1].everything


@pytest.mark.parametrize("is_newer", [False, True])
async def test_a_form_in_which_something_was_pressed_is_replaced_unless_it_shows_something_newer(
    room: Room, is_newer: bool
) -> None:
    await room.bob.type("/domaindigest")
    form = await room.form_saying("One digest")
    await room.bob.press(form, "Delete")
    await room.noted(what="digests.delete")
    await room.struck_off(what="/domaindigest")
    await room.kill()
    if is_newer:
        await update_form(room.client, form.id, notice("Digests", [section("Newer")]))

    await room.look()

    left = room.bob.form
    assert left
    assert (INTERRUPTED in left.everything) is not is_newer
    assert any(INTERRUPTED in each.everything for each in room.said()) is is_newer


async def test_the_window_over_the_home_tab_says_it(room: Room) -> None:
    await room.bob.press(await home_with(room, "/scan shop.example"), "Run")
    window = await room.form_saying("⏳")
    await room.noted(view_id=window.id)
    await room.kill()

    await room.look()

    text = await room.form_saying(INTERRUPTED)
    assert text.id == window.id
    assert text.buttons == ["Try again"]
    assert room.said("dm") == []


async def test_who_cannot_be_reached_now_is_told_later(room: Room) -> None:
    await room.bob.type("/scan shop.example")
    await room.noted()
    await room.kill()
    room.unable = SlackUnreachableError("away")
    await room.look()
    room.unable = None

    await room.look()
    too_soon = room.said()
    room.clock.advance(FIRST_TRY.total_seconds())
    await room.look()

    assert too_soon == []
    assert INTERRUPTED in room.said()[-1].everything
    assert await room.left() == []


async def test_after_half_an_hour_nobody_is_told(room: Room) -> None:
    await room.bob.type("/scan shop.example")
    await room.noted()
    await room.kill()
    room.clock.advance(ANSWERABLE_FOR.total_seconds())

    await room.look()

    assert room.said() == []
    assert await room.left() == []
