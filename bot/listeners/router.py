"""Register commands, actions, views and options on Bolt's app.

What a request says is read before the ack, without any I/O: what cannot be read is then
refused as a whole (see `error_boundary.py`). What is typed goes by `command_text.py`.
"""

import asyncio
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import structlog
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.commands import COMMANDS
from bot.deduplication import DedupStore
from bot.deferred_commands import DeferredCommands
from bot.errors import BotError
from bot.listeners.error_boundary import ErrorBoundary
from bot.listeners.request import (
    Ack,
    FormErrors,
    Once,
    OncePerMessage,
    Request,
    from_command,
    from_event,
    from_form,
    from_press,
    is_ephemeral,
    place_of,
)
from bot.message import Block, Message
from bot.redaction import holds_secret
from bot.slack.replies import Origin, Replies
from bot.views.blocks import RUN_BELOW, RUN_HERE
from bot.views.usage import exposed_key_message, old_button_message
from bot.workspace import WorkspaceId, caller_context, person

CommandHandler = Callable[[Request, str], Awaitable[None]]


class CommandLines:
    """Runs the lines of the commands that were registered, each inside the boundary."""

    def __init__(self, app: AsyncApp, boundary: ErrorBoundary, replies: Replies) -> None:
        self._app = app
        self._boundary = boundary
        self._replies = replies
        self._handlers: dict[str, CommandHandler] = {}
        app.action(re.compile(rf"^({RUN_HERE}|{RUN_BELOW})\."))(self._run_pressed)

    def register(self, command: str, handle: CommandHandler) -> None:
        """Let `handle(conversation, text)` answer a slash command, and its line in a button."""
        self._handlers[command] = handle
        self._app.command(command)(self._run_typed)

    def run(self, conversation: Request, line: str) -> None:
        """Run a command line as if the person had typed it just now."""
        command, _, text = line.partition(" ")
        handle = self._handlers.get(command, _answer_old_button)
        conversation.command_line = line
        takes_secrets = command in COMMANDS and COMMANDS[command].takes_secrets
        if holds_secret(line) and not takes_secrets:
            handle, conversation.command_line = _answer_typed_key, None
        # A form needs what a window that says "please wait" would have been opened with.
        speaks = conversation.window is None or not conversation.opens_form
        self._boundary.start(
            conversation, lambda: handle(conversation, text), command, speaks=speaks
        )

    async def _run_typed(self, ack: Ack, body: dict[str, Any], context: Any) -> None:
        conversation = from_command(body, context, self._replies)
        await ack()
        self.run(conversation, conversation.command_line or "")

    async def _run_pressed(self, ack: Ack, body: dict[str, Any], context: Any) -> None:
        action = body["actions"][0]
        conversation = from_press(body, context, self._replies)
        await ack()
        conversation.takes_place = action["action_id"].startswith(RUN_HERE) and is_ephemeral(body)
        self.run(conversation, str(action.get("value", "")))


async def _answer_typed_key(conversation: Request, _text: str) -> None:
    await conversation.reply(exposed_key_message())


async def _answer_old_button(conversation: Request, _text: str) -> None:
    await conversation.reply(old_button_message())


class KeptRuns:
    """Runs the kept commands of a workspace, each for the person who typed it."""

    def __init__(self, kept: DeferredCommands, lines: CommandLines, replies: Replies) -> None:
        self._kept = kept
        self._lines = lines
        self._replies = replies

    async def run_all(self, workspace: WorkspaceId, client: AsyncWebClient) -> None:
        """Start every command that is still young enough; each answers where it was typed.

        One that opens a form cannot do so now, nobody has just pressed anything: its person
        gets a button instead.
        """
        for command in await self._kept.take_all(workspace):
            conversation = Request(
                workspace=workspace,
                origin=Origin(command.user_id, command.channel_id, command.response_url),
                client=client,
                replies=self._replies,
            )
            self._lines.run(conversation, f"{command.command} {command.text}".strip())


logger = structlog.get_logger()
T = TypeVar("T")
# Slack waits 3 s for the options of a menu. Before Bolt gets the request it was asked, for
# `ASKED_WITHIN_S` of `deduplication.py`, whether it is new.
OPTIONS_WITHIN_S = 2.2
# Where Bolt's context tells, in the loop's time, since when that counts: from before it was asked
# whose the request is, which takes its time when the store is slow.
BEGUN_AT = "begun_at"
PressHandler = Callable[[Request, str], Awaitable[None]]
ChangeHandler = Callable[[Request, str, Mapping[str, Any]], Awaitable[None]]
EventHandler = Callable[[Request, Mapping[str, Any]], Awaitable[None]]
OptionsFinder = Callable[[Request, str], Awaitable[list[Block]]]


class Dispatcher:
    """Registers the features' handlers with Bolt. Each of them runs inside the boundary.

    `seen` is what several processes know together of the buttons that do something once.
    `options_within_s`: so long Slack waits for the options of a menu.
    """

    def __init__(
        self,
        app: AsyncApp,
        boundary: ErrorBoundary,
        replies: Replies,
        *,
        seen: DedupStore | None = None,
        options_within_s: float = OPTIONS_WITHIN_S,
    ) -> None:
        self._app = app
        self._boundary = boundary
        self._replies = replies
        self._repeats = OncePerMessage(seen)
        self._options_within_s = options_within_s
        self.lines = CommandLines(app, boundary, replies)

    def on_command(self, command: str, handle: CommandHandler) -> None:
        """Let `handle(conversation, text)` answer a slash command, and its line in a button."""
        self.lines.register(command, handle)

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
            conversation.takes_place = replies and is_ephemeral(body)

            async def work() -> None:
                await self._repeats.run(
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
                is_awaited=False,
            )

        self._app.action(re.compile(rf"^{re.escape(action_id)}(\..*)?$"))(changed)

    def on_form(
        self,
        callback_id: str,
        read: Callable[[Mapping[str, Any]], T],
        handle: Callable[[Request, T], Awaitable[None]],
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
                form_waits=meanwhile is not None,
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
            begun_at: float = context.get(BEGUN_AT) or asyncio.get_running_loop().time()
            asker = person(conversation.origin.user_id)
            try:
                with (
                    caller_context(conversation.workspace, asker),
                    _told_apart(conversation, action_id),
                ):
                    async with asyncio.timeout_at(begun_at + self._options_within_s):
                        await self._boundary.strangers.check(conversation)
                        options = await find(conversation, str(body.get("value") or ""))
            except (BotError, TimeoutError) as error:
                logger.warning("no options to offer", action=action_id, error=repr(error))
                options = list(otherwise)
            await ack(options=options)

        self._app.options(action_id)(asked)

    def on_event(self, event_type: str, handle: EventHandler) -> None:
        """Let `handle(conversation, event)` take what a person did that asks for no answer.

        A failure would be told in a direct message: whatever can be shown, `handle` shows.
        """

        async def told(body: dict[str, Any], context: Any) -> None:
            conversation = from_event(body, context, self._replies)
            event = body["event"]
            self._boundary.start(
                conversation,
                lambda: handle(conversation, event),
                event_type,
                speaks=False,
                admits_strangers=True,
                is_awaited=False,
            )

        self._app.event(event_type)(told)

    def after_home(self, follow: Callable[[Request], Awaitable[None]]) -> None:
        """Let `follow(conversation)` come after what is done on the Home tab, or from it."""
        self._boundary.after_home(follow)


def _told_apart(conversation: Request, action_id: str) -> AbstractContextManager[object]:
    """Let the log tell what is done for this menu, as the boundary does for the rest."""
    return structlog.contextvars.bound_contextvars(
        request=secrets.token_hex(4),
        workspace=str(conversation.workspace),
        user=conversation.origin.user_id,
        what=action_id,
    )
