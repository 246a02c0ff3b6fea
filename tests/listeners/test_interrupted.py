"""What people see whose answer was on its way when the process was stopped, in a local Slack."""

from collections.abc import AsyncIterator

import pytest

from bot.blocks.builders import actions, plain_message, run_button
from bot.playground.slack import View
from bot.slack.client import publish_home
from tests.listeners.interrupted_room import Room, running_room

pytestmark = pytest.mark.anyio

INTERRUPTED = "The app is restarting"


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


async def test_who_pressed_in_a_thread_is_told_in_that_thread(room: Room) -> None:
    start = room.bob.say("Is it down?")
    blocks = actions(run_button("Scan", "/scan shop.example"))
    await room.client.chat_postMessage(
        channel=start.channel_id, text="Scan it", blocks=blocks, thread_ts=start.ts
    )
    await room.bob.press(room.said()[-1], "Scan")
    await room.stop()

    assert INTERRUPTED in room.said()[-1].everything
    assert room.said()[-1].thread_ts == start.ts


async def test_who_added_a_domain_reads_that_it_may_have_been_added(room: Room) -> None:
    await room.bob.type("/adddomain new.example")
    await room.stop()

    [text] = room.said()
    assert "may still have been done" in text.everything
    assert text.buttons == ["Try again", "All domains"]


@pytest.mark.parametrize("is_at_home", [False, True])
async def test_a_form_that_says_please_wait_says_so_no_longer(
    room: Room, is_at_home: bool
) -> None:
    if is_at_home:
        await room.bob.press(await home_with(room, "/domaindigest"), "Run")
    else:
        await room.bob.type("/domaindigest")
    await room.bob.submit(await room.form_saying("One digest"))
    await room.stop()

    form = room.bob.form
    assert form
    assert INTERRUPTED in form.everything
    assert "Check before you repeat it" in form.everything
    assert "⏳" not in form.everything


async def test_who_has_closed_the_form_is_told_where_they_were(room: Room) -> None:
    await room.bob.type("/domaindigest")
    await room.bob.submit(await room.form_saying("One digest"))
    await room.bob.close(await room.form_saying("⏳"))
    await room.stop()

    assert INTERRUPTED in room.said()[-1].everything


async def test_a_form_in_which_something_was_pressed_is_replaced(room: Room) -> None:
    await room.bob.type("/domaindigest")
    form = await room.form_saying("One digest")
    await room.bob.press(form, "Delete")
    await room.stop()

    left = room.bob.form
    assert left
    assert INTERRUPTED in left.everything
    assert not any(INTERRUPTED in each.everything for each in room.said())


async def test_the_window_over_the_home_tab_says_it(room: Room) -> None:
    await room.bob.press(await home_with(room, "/scan shop.example"), "Run")
    window = await room.form_saying("⏳")
    await room.stop()

    text = await room.form_saying(INTERRUPTED)
    assert text.id == window.id
    assert text.buttons == ["Try again"]
    assert room.said("dm") == []
