"""Run command lines: typed, in buttons, in messages, or kept until there was a key."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.blocks.builders import RUN_BELOW, RUN_HERE, RUN_ONCE
from bot.blocks.command_names import typed_name
from bot.blocks.message import Message
from bot.dispatch import usage
from bot.dispatch.command_text import is_help
from bot.dispatch.commands import COMMANDS
from bot.dispatch.error_boundary import ErrorBoundary, Handling
from bot.dispatch.incoming import container_of, from_command, from_press, is_ephemeral
from bot.dispatch.kept_commands import KeptCommand
from bot.dispatch.request import Request, request_from
from bot.process.redaction import holds_secret
from bot.process.workspace import WorkspaceId
from bot.slack.replies import Origin, Replies

CommandHandler = Callable[[Request, str], Awaitable[None]]


class CommandLines:
    """Runs the lines of the registered commands, each inside the boundary."""

    def __init__(self, app: AsyncApp, boundary: ErrorBoundary, replies: Replies) -> None:
        self._app = app
        self._boundary = boundary
        self._replies = replies
        self._handlers: dict[str, CommandHandler] = {}
        app.action(re.compile(rf"^({RUN_HERE}|{RUN_BELOW})\."))(self._run_pressed)

    def register(self, command: str, handle: CommandHandler) -> None:
        self._handlers[command] = handle
        for name in {command, typed_name(command)}:  # the manifest may be an older one
            self._app.command(name)(self._run_typed)

    def run(
        self,
        request: Request,
        line: str,
        *,
        once_key: str | None = None,
        after: "asyncio.Task[None] | None" = None,
        otherwise: CommandHandler | None = None,
    ) -> "asyncio.Task[None]":
        """Run a command line as if the person had just typed it; `after` has to end first.

        `once_key`: it runs once under this key, for example that of a button. `otherwise` answers
        what is no command line.
        """
        command, _, text = line.partition(" ")
        is_known = command in self._handlers
        request.answer.command_line = line if is_known or not otherwise else None
        name = command if is_known else "message" if otherwise else "unknown"
        handle = self._handler(request, line, otherwise or reply_with(usage.OLD_BUTTON))
        return self._boundary.start(
            request,
            Handling(
                name=name,  # never what a person typed
                handle=handle,
                given=text,
                # A form needs the trigger, with which "please wait" would open a window.
                shows_progress=request.answer.window is None or not _opens_form(line),
                once_key=None if _opens_form(line) else once_key,
                after=after,
            ),
        )

    def _handler(self, request: Request, line: str, otherwise: CommandHandler) -> CommandHandler:
        """Return what answers a line: the first that applies, in this order."""
        command, _, text = line.partition(" ")
        if holds_secret(line):
            request.answer.command_line = None
            return reply_with(usage.EXPOSED_KEY)
        if command not in self._handlers:
            return otherwise
        if _opens_form(line) and request.trigger_id is None:  # nothing was pressed just now
            return reply_with(usage.form_button_message(line))
        if request.is_late:
            return reply_with(usage.late_message(line))
        if is_help(text):
            return reply_with(usage.usage_message(command))
        return self._handlers[command]

    def run_kept(
        self, workspace: WorkspaceId, client: AsyncWebClient, commands: Iterable[KeptCommand]
    ) -> None:
        """Start kept commands, each for the person who typed it and where they did.

        Those of one person run one after the other, as they may build on each other.
        """
        last: dict[str, asyncio.Task[None]] = {}
        for command in commands:
            origin = Origin(command.user_id, command.channel_id, command.response_url)
            request = request_from(workspace, origin, client, self._replies)
            line = f"{command.command} {command.text}".strip()
            last[command.user_id] = self.run(request, line, after=last.get(command.user_id))

    async def _run_typed(self, ack: AsyncAck, body: dict[str, Any], context: Any) -> None:
        request = from_command(body, context, self._replies)
        await ack()
        self.run(request, request.answer.command_line or "")

    async def _run_pressed(self, ack: AsyncAck, body: dict[str, Any], context: Any) -> None:
        action = body["actions"][0]
        request = from_press(body, context, self._replies)
        await ack()
        name, line = action["action_id"], str(action.get("value", ""))
        request.answer.takes_place = name.startswith(RUN_HERE) and is_ephemeral(body)
        key = f"{request.workspace}/{container_of(body)}/{name}/{line}"
        self.run(request, line, once_key=key if name.startswith(RUN_ONCE) else None)


def reply_with(message: Message) -> CommandHandler:
    return lambda request, _text: request.reply(message)


def _opens_form(line: str) -> bool:
    """Return whether a command line is answered by a form, which needs the trigger."""
    command = COMMANDS.get(line.strip())
    return bool(command and command.opens_form)
