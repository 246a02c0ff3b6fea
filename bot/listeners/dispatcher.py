"""From Slack to the listeners of the features: read, ack, hand the work to the boundary.

What a request says is read before the ack, without any I/O: what cannot be read is then
refused as a whole (see `listeners/unread.py`).

A command line is the bot's one currency: what a person types, what `Try again`, `Scan` and
`Next page` carry in their value, and what is kept until there is a key all run the same way.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

import structlog
from slack_bolt.async_app import AsyncApp

from bot.errors import BotError
from bot.listeners.acks import Ack, FormErrors
from bot.listeners.boundary import Boundary
from bot.listeners.conversation import Conversation, from_command, from_form, from_press
from bot.listeners.once import Once, Repeats, place_of
from bot.message import Block, Message
from bot.redaction import holds_secret
from bot.slack.replies import Replies
from bot.views.blocks import RUN_BELOW, RUN_HERE
from bot.views.waiting import exposed_key_message, old_button_message

logger = structlog.get_logger()

T = TypeVar("T")

# Slack waits 3 s for the options of a menu.
OPTIONS_WITHIN_S = 2.5

CommandHandler = Callable[[Conversation, str], Awaitable[None]]
PressHandler = Callable[[Conversation, str], Awaitable[None]]
ChangeHandler = Callable[[Conversation, str, Mapping[str, Any]], Awaitable[None]]
OptionsFinder = Callable[[Conversation, str], Awaitable[list[Block]]]


class Dispatcher:
    """Registers the features' handlers with Bolt. Each of them runs inside the boundary."""

    def __init__(self, app: AsyncApp, boundary: Boundary, replies: Replies) -> None:
        self._app = app
        self._boundary = boundary
        self._replies = replies
        self._commands: dict[str, CommandHandler] = {}
        self._repeats = Repeats()
        app.action(re.compile(rf"^({RUN_HERE}|{RUN_BELOW})\."))(self._run_pressed)

    def on_command(self, command: str, handle: CommandHandler) -> None:
        """Let `handle(conversation, text)` answer a slash command, and its line in a button."""
        self._commands[command] = handle
        self._app.command(command)(self._run_typed)

    def on_press(
        self,
        action_id: str,
        handle: PressHandler,
        *,
        replies: bool = False,
        once: Once | Message | None = None,
    ) -> None:
        """Let `handle(conversation, value)` take a button; also `action_id.anything`.

        `replies`: its answer takes the place of the pressed message. Otherwise the message
        stays, and only a failure is said below it. `once` is the answer to a second press in
        the same message, unless the first one failed.
        """
        answers = Once(done=once, running=once) if isinstance(once, Message) else once

        async def pressed(ack: Ack, body: dict[str, Any], context: Any) -> None:
            conversation = from_press(body, context, self._replies)
            value = str(body["actions"][0].get("value", ""))
            # The value too: another page may stand in the same message by now.
            place = f"{conversation.workspace}/{place_of(body)}/{action_id}/{value}"
            await ack()
            conversation.takes_place = replies and _is_ephemeral(body)

            async def work() -> None:
                await self._repeats.do_once(
                    place, answers, conversation, lambda: handle(conversation, value)
                )

            self._boundary.start(conversation, work, action_id, speaks=replies)

        self._app.action(re.compile(rf"^{re.escape(action_id)}(\..*)?$"))(pressed)

    def on_change(self, action_id: str, handle: ChangeHandler) -> None:
        """Let `handle(conversation, value, values)` take what somebody does in an open form.

        That is a press of a button, whose value is given, or a choice in a field that tells of
        it at once; also `action_id.anything`. `values` is what the form holds, as Slack sends it.
        """

        async def changed(ack: Ack, body: dict[str, Any], context: Any) -> None:
            conversation = from_press(body, context, self._replies)
            value = str(body["actions"][0].get("value", ""))
            values = ((body.get("view") or {}).get("state") or {}).get("values") or {}
            await ack()
            self._boundary.start(
                conversation,
                lambda: handle(conversation, value, values),
                action_id,
                speaks=False,
            )

        self._app.action(re.compile(rf"^{re.escape(action_id)}(\..*)?$"))(changed)

    def on_form(
        self,
        callback_id: str,
        read: Callable[[Mapping[str, Any]], T],
        handle: Callable[[Conversation, T], Awaitable[None]],
        *,
        meanwhile: Callable[[], Block] | None = None,
    ) -> None:
        """Let `handle(conversation, read(values))` take a submitted form.

        `read` is pure and raises FormErrors: the answer to a form is its ack. `meanwhile` is
        what stands in the form's place from then on; without it the form closes.
        """

        async def submitted(ack: Ack, body: dict[str, Any], context: Any) -> None:
            conversation = from_form(body, context, self._replies)
            try:
                given = read(body["view"]["state"]["values"])
            except FormErrors as problems:
                await ack(response_action="errors", errors=problems.sentences)
                return
            await (ack(response_action="update", view=meanwhile()) if meanwhile else ack())
            self._boundary.start(
                conversation,
                lambda: handle(conversation, given),
                callback_id,
                speaks=meanwhile is None,
            )

        self._app.view(callback_id)(submitted)

    def on_options(
        self, action_id: str, find: OptionsFinder, *, otherwise: Sequence[Block] = ()
    ) -> None:
        """Let `find(conversation, typed)` offer the options of a menu.

        `otherwise` is offered when it fails, or is slower than Slack waits.
        """

        async def asked(ack: Ack, body: dict[str, Any], context: Any) -> None:
            conversation = from_press(body, context, self._replies)
            try:
                async with asyncio.timeout(OPTIONS_WITHIN_S):
                    options = await find(conversation, str(body.get("value") or ""))
            except (BotError, TimeoutError) as error:
                logger.warning("no options to offer", action=action_id, error=repr(error))
                options = list(otherwise)
            await ack(options=options)

        self._app.options(action_id)(asked)

    def run_line(self, conversation: Conversation, line: str) -> None:
        """Run a command line as if the person had typed it just now."""
        command, _, text = line.partition(" ")
        handle = self._commands.get(command, _answer_old_button)
        conversation.command_line = line
        if holds_secret(line) and command != "/domainkey":
            handle, conversation.command_line = _answer_typed_key, None
        self._boundary.start(conversation, lambda: handle(conversation, text), command)

    async def _run_typed(self, ack: Ack, body: dict[str, Any], context: Any) -> None:
        conversation = from_command(body, context, self._replies)
        await ack()
        self.run_line(conversation, conversation.command_line or "")

    async def _run_pressed(self, ack: Ack, body: dict[str, Any], context: Any) -> None:
        action = body["actions"][0]
        conversation = from_press(body, context, self._replies)
        await ack()
        conversation.takes_place = action["action_id"].startswith(RUN_HERE) and _is_ephemeral(body)
        self.run_line(conversation, str(action.get("value", "")))


async def _answer_typed_key(conversation: Conversation, _text: str) -> None:
    await conversation.reply(exposed_key_message())


async def _answer_old_button(conversation: Conversation, _text: str) -> None:
    await conversation.reply(old_button_message())


def _is_ephemeral(body: Mapping[str, Any]) -> bool:
    return bool((body.get("container") or {}).get("is_ephemeral"))
