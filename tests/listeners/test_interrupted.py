"""What people see whose answer was on its way when the process was stopped, in a local Slack."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from bot.blocks.builders import actions, button, form, notice, plain_message, run_button, section
from bot.digests.views.modal import EDIT_FORM
from bot.dispatch.error_boundary import Handling
from bot.dispatch.incoming import from_form
from bot.dispatch.request import Request
from bot.playground.slack import Message, View
from bot.slack.client import open_form, publish_home
from tests.listeners.running import Bot, running_bot

INTERRUPTED = "The app is restarting"


HELD = "held"
WAITING = notice("Digests", [section("⏳ Saving…")])


class InterruptedBot(Bot):
    """What a command or form asks for goes on for ever; `worked_on` are those who wait."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.worked_on = asyncio.Queue[Request]()
        for command in ("/scan", "/adddomain"):
            self.dispatcher.command(command, self.work)
        self.dispatcher.command("/domaindigest", self.open_held_form)
        self.dispatcher.action(HELD, self.work)
        self.app.view(HELD)(self._submitted)

    async def work(self, conversation: Request, _about: object) -> None:
        self.worked_on.put_nowait(conversation)
        await asyncio.Event().wait()

    async def open_held_form(self, conversation: Request, _text: str) -> None:
        """Open a form that can be sent, and has a button to press."""
        blocks = [section("One digest"), *actions(button("Delete", HELD))]
        filled_in = form(HELD, "Digests", "Save", blocks, metadata=conversation.as_metadata())
        await open_form(conversation.client, conversation.trigger_id or "", filled_in)

    async def stop(self) -> int:
        """Stop while somebody waits; return how many do."""
        request = await self.worked_on.get()
        while not self._is_settled(request):  # noqa: ASYNC110  # no event tells of it
            await asyncio.sleep(0.001)
        return await self.dispatcher.boundary.cancel_all()

    def _is_settled(self, request: Request) -> bool:
        """Whether nobody else waits, and an open window is known to be open."""
        window = request.answer.window
        is_open = window is None or bool(window.view_id or request.answer.view_id)
        return len(self.dispatcher.boundary._waiting) == 1 and is_open

    def said(self, channel: str = "general") -> list[Message]:
        return self.bob.messages(channel)

    async def _submitted(self, ack: Any, body: Mapping[str, Any], context: Any) -> None:
        conversation = from_form(body, context, self.home_listeners.replies)
        await ack(response_action="update", view=WAITING)
        submitted = Handling(
            name=EDIT_FORM, handle=self.work, given=None, shows_progress=False, form_waits=True
        )
        self.dispatcher.boundary.start(conversation, submitted)


@pytest.fixture
async def bot() -> AsyncIterator[InterruptedBot]:
    async with running_bot(InterruptedBot) as bot:
        yield bot
        await bot.tasks.cancel()


async def home_with(bot: InterruptedBot, line: str) -> View:
    """Show bob a Home tab with a button that runs a command line."""
    await publish_home(bot.client, bot.bob.id, plain_message("Run it", run_button("Run", line)))
    home = bot.bob.home
    assert home
    return home


async def test_a_press_in_a_thread_is_answered_in_that_thread(bot: InterruptedBot) -> None:
    start = bot.bob.say("Is it down?")
    blocks = actions(run_button("Scan", "/scan shop.example"))
    await bot.client.chat_postMessage(
        channel=start.channel_id, text="Scan it", blocks=blocks, thread_ts=start.ts
    )
    await bot.bob.press(bot.said()[-1], "Scan")
    await bot.stop()

    assert INTERRUPTED in bot.said()[-1].everything
    assert bot.said()[-1].thread_ts == start.ts


@pytest.mark.parametrize("is_at_home", [False, True])
async def test_a_waiting_form_reports_the_restart(bot: InterruptedBot, is_at_home: bool) -> None:
    if is_at_home:
        await bot.bob.press(await home_with(bot, "/domaindigest"), "Run")
    else:
        await bot.bob.type("/domaindigest")
    await bot.bob.submit(await bot.form_saying("One digest"))
    await bot.stop()

    form = bot.bob.form
    assert form
    assert INTERRUPTED in form.everything
    assert "Check before you repeat it" in form.everything
    assert "⏳" not in form.everything


async def test_a_closed_form_is_answered_in_its_channel(bot: InterruptedBot) -> None:
    await bot.bob.type("/domaindigest")
    await bot.bob.submit(await bot.form_saying("One digest"))
    await bot.bob.close(await bot.form_saying("⏳"))
    await bot.stop()

    assert INTERRUPTED in bot.said()[-1].everything


async def test_a_form_in_which_something_was_pressed_is_replaced(bot: InterruptedBot) -> None:
    await bot.bob.type("/domaindigest")
    form = await bot.form_saying("One digest")
    await bot.bob.press(form, "Delete")
    await bot.stop()

    left = bot.bob.form
    assert left
    assert INTERRUPTED in left.everything
    assert not any(INTERRUPTED in each.everything for each in bot.said())


async def test_the_window_over_the_home_tab_says_it(bot: InterruptedBot) -> None:
    await bot.bob.press(await home_with(bot, "/scan shop.example"), "Run")
    window = await bot.form_saying("⏳")
    await bot.stop()

    text = await bot.form_saying(INTERRUPTED)
    assert text.id == window.id
    assert text.buttons == ["Try again"]
    assert bot.said("dm") == []
