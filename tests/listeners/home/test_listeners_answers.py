"""Where people read the answer to what they press on the Home tab."""

import asyncio

from bot.blocks.builders import actions, form, run_button, section
from bot.blocks.message import Message
from bot.dispatch.request import Request
from bot.slack.client import open_form
from tests.fakes import TIME_LIMIT_S
from tests.listeners.running import Bot

SHORT = Message("All is well", (section("All is well"),))


def answering(bot: Bot, message: Message, gate: asyncio.Event | None = None) -> None:
    """Let `/domains`, which a button on the tab runs, be answered by this, once `gate` is open."""

    async def answer(conversation: Request, _text: str) -> None:
        if gate:
            await gate.wait()
        await conversation.reply(message)

    bot.dispatcher.command("/domains", answer)


async def test_a_slow_answer_is_announced_and_takes_the_place_of_that(bot: Bot) -> None:
    gate = asyncio.Event()
    answering(bot, SHORT, gate)

    await bot.bob.press(await bot.opened(), "All domains")
    waiting = await bot.form_saying("⏳")
    gate.set()
    answered = await bot.form_saying("All is well")

    assert answered.id == waiting.id
    assert "⏳" not in answered.everything


async def test_closing_the_window_sends_the_answer_to_the_messages(bot: Bot) -> None:
    gate = asyncio.Event()
    answering(bot, SHORT, gate)
    await bot.bob.press(await bot.opened(), "All domains")

    await bot.bob.close(await bot.form_saying("⏳"))
    gate.set()
    await bot.home()

    assert "All is well" in str(bot.direct_messages())


async def test_what_is_pressed_in_the_window_is_answered_in_it(bot: Bot) -> None:
    button = run_button("Once more", "/domains")
    answering(bot, Message("More?", (section("More?"), *actions(button))))
    await bot.bob.press(await bot.opened(), "All domains")
    window = await bot.form_saying("More?")
    answering(bot, SHORT)

    await bot.bob.press(window, "Once more")

    assert (await bot.form_saying("All is well")).id == window.id
    assert bot.direct_messages() == []


async def test_a_slow_form_still_opens(bot: Bot) -> None:
    opens = asyncio.Event()
    pick = form("pick", "Pick", "Scan", [section("Pick one")])

    async def ask(conversation: Request, _text: str) -> None:
        await asyncio.sleep(0.1)  # longer than the first word waits
        await open_form(conversation.client, conversation.trigger_id or "", pick)
        opens.set()

    bot.dispatcher.command("/scan", ask)

    await bot.bob.press(await bot.opened(), "Scan")

    await asyncio.wait_for(opens.wait(), TIME_LIMIT_S)
    assert "Pick one" in (await bot.form_saying("Pick one")).everything


async def test_a_form_from_home_is_answered_in_a_window(bot: Bot) -> None:
    async def ask(conversation: Request, _text: str) -> None:
        pick = form("pick", "Pick", "Scan", [section("Pick")], metadata=conversation.as_metadata())
        await open_form(conversation.client, conversation.trigger_id or "", pick)

    async def answer(conversation: Request, _given: None) -> None:
        await conversation.reply(SHORT)

    bot.dispatcher.command("/scan", ask)
    bot.dispatcher.view("pick", lambda _values: None, answer)
    await bot.bob.press(await bot.opened(), "Scan")

    await bot.bob.submit(await bot.form_saying("Pick"))

    await bot.form_saying("All is well")
    assert bot.direct_messages() == []


async def test_a_window_that_does_not_take_the_answer_says_where_it_is(bot: Bot) -> None:
    gate = asyncio.Event()
    answering(bot, SHORT, gate)
    await bot.bob.press(await bot.opened(), "All domains")
    await bot.form_saying("⏳")
    bot.slack.fail_next("views.update", error="view_too_large")

    gate.set()
    window = await bot.form_saying("in your direct messages")
    await bot.home()

    assert "⏳" not in window.everything
    assert len(bot.direct_messages()) == 1
