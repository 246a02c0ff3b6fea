"""Command lines: what people type, and what buttons and kept commands carry.

A command line is the bot's one currency: what a person types, what `Try again`, `Scan` and
`Next page` carry in their value, and what is kept until there is a key all run the same way.
"""

import re
from collections.abc import Awaitable, Callable
from typing import Any

from slack_bolt.async_app import AsyncApp

from bot.listeners.acks import Ack
from bot.listeners.boundary import Boundary
from bot.listeners.conversation import Conversation
from bot.listeners.incoming import from_command, from_press, is_ephemeral
from bot.redaction import holds_secret
from bot.slack.replies import Replies
from bot.views.blocks import RUN_BELOW, RUN_HERE
from bot.views.waiting import exposed_key_message, old_button_message

CommandHandler = Callable[[Conversation, str], Awaitable[None]]


class CommandLines:
    """Runs the lines of the commands that were registered, each inside the boundary."""

    def __init__(self, app: AsyncApp, boundary: Boundary, replies: Replies) -> None:
        self._app = app
        self._boundary = boundary
        self._replies = replies
        self._handlers: dict[str, CommandHandler] = {}
        app.action(re.compile(rf"^({RUN_HERE}|{RUN_BELOW})\."))(self._run_pressed)

    def register(self, command: str, handle: CommandHandler) -> None:
        """Let `handle(conversation, text)` answer a slash command, and its line in a button."""
        self._handlers[command] = handle
        self._app.command(command)(self._run_typed)

    def run(self, conversation: Conversation, line: str) -> None:
        """Run a command line as if the person had typed it just now."""
        command, _, text = line.partition(" ")
        handle = self._handlers.get(command, _answer_old_button)
        conversation.command_line = line
        if holds_secret(line) and command != "/domainkey":
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


async def _answer_typed_key(conversation: Conversation, _text: str) -> None:
    await conversation.reply(exposed_key_message())


async def _answer_old_button(conversation: Conversation, _text: str) -> None:
    await conversation.reply(old_button_message())
