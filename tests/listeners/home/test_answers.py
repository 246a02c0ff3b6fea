"""Where people read the answer to what they press on the Home tab."""

import asyncio

import pytest

from bot.blocks.builders import actions, form, run_button, section
from bot.blocks.message import Message
from bot.dispatch.request import Request
from bot.slack.client import open_form
from tests.fakes import TIME_LIMIT_S
from tests.listeners.home.room import Room

pytestmark = pytest.mark.anyio

SHORT = Message("All is well", (section("All is well"),))


def answering(room: Room, message: Message, gate: asyncio.Event | None = None) -> None:
    """Let `/domains`, which a button on the tab runs, be answered by this, once `gate` is open."""

    async def answer(conversation: Request, _text: str) -> None:
        if gate:
            await gate.wait()
        await conversation.reply(message)

    room.dispatcher.command("/domains", answer)


async def test_a_slow_answer_is_announced_and_takes_the_place_of_that(room: Room) -> None:
    gate = asyncio.Event()
    answering(room, SHORT, gate)

    await room.bob.press(await room.opened(), "All domains")
    waiting = await room.form_saying("⏳")
    gate.set()
    answered = await room.form_saying("All is well")

    assert answered.id == waiting.id
    assert "⏳" not in answered.everything


async def test_whoever_closes_the_window_finds_the_answer_in_the_messages(
    room: Room,
) -> None:
    gate = asyncio.Event()
    answering(room, SHORT, gate)
    await room.bob.press(await room.opened(), "All domains")

    await room.bob.close(await room.form_saying("⏳"))
    gate.set()
    await room.home()

    assert "All is well" in str(room.direct())


async def test_what_is_pressed_in_the_window_is_answered_in_it(room: Room) -> None:
    button = run_button("Once more", "/domains")
    answering(room, Message("More?", (section("More?"), *actions(button))))
    await room.bob.press(await room.opened(), "All domains")
    window = await room.form_saying("More?")
    answering(room, SHORT)

    await room.bob.press(window, "Once more")

    assert (await room.form_saying("All is well")).id == window.id
    assert room.direct() == []


async def test_a_slow_form_is_not_robbed_of_its_only_chance(room: Room) -> None:
    opens = asyncio.Event()
    pick = form("pick", "Pick", "Scan", [section("Pick one")])

    async def ask(conversation: Request, _text: str) -> None:
        await asyncio.sleep(0.1)  # longer than the first word waits
        await open_form(conversation.client, conversation.trigger_id or "", pick)
        opens.set()

    room.dispatcher.command("/scan", ask)

    await room.bob.press(await room.opened(), "Scan")

    await asyncio.wait_for(opens.wait(), TIME_LIMIT_S)
    assert "Pick one" in (await room.form_saying("Pick one")).everything


async def test_a_form_from_home_is_answered_in_a_window(room: Room) -> None:
    async def ask(conversation: Request, _text: str) -> None:
        pick = form("pick", "Pick", "Scan", [section("Pick")], metadata=conversation.as_metadata())
        await open_form(conversation.client, conversation.trigger_id or "", pick)

    async def answer(conversation: Request, _given: None) -> None:
        await conversation.reply(SHORT)

    room.dispatcher.command("/scan", ask)
    room.dispatcher.view("pick", lambda _values: None, answer)
    await room.bob.press(await room.opened(), "Scan")

    await room.bob.submit(await room.form_saying("Pick"))

    await room.form_saying("All is well")
    assert room.direct() == []


async def test_a_window_that_does_not_take_the_answer_says_where_it_is(room: Room) -> None:
    gate = asyncio.Event()
    answering(room, SHORT, gate)
    await room.bob.press(await room.opened(), "All domains")
    await room.form_saying("⏳")
    room.slack.fail_next("views.update", error="view_too_large")

    gate.set()
    window = await room.form_saying("in your direct messages")
    await room.home()

    assert "⏳" not in window.everything
    assert len(room.direct()) == 1
