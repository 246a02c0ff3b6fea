"""One request of one person, however it was made, and the way back to them."""

import asyncio
from dataclasses import dataclass, field

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.listeners.metadata import written
from bot.listeners.window import AnswerWindow
from bot.message import Message
from bot.slack.calls import Member, fetch_member
from bot.slack.errors import SlackError
from bot.slack.replies import Origin, Replies, Way
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

# Commands with nothing behind them that are answered by a form.
FORM_COMMANDS = frozenset({"/scan", "/adddomain", "/domaindigest"})


@dataclass(kw_only=True)
class Conversation:
    """Who asks, in which workspace, and how to answer.

    `trigger_id` opens a form within 3 s. `view_id` is set when a button in a form was pressed,
    or the form submitted; `view_hash` is then that of the form as it was at that moment, and
    `note` what the form was given to carry.
    `command_line` is what would ask the same again. `takes_place` puts the answer where the
    pressed message stands. `owes_answer`: they have read that an answer will come.
    `is_answered`: it has, and `answered_by` says where it went.
    `reference` is what the log calls it by. `is_from_elsewhere`: the person's own workspace is
    another one. `window` is where they read the answer to what they pressed on the Home tab,
    `None` everywhere else. `member` is who they are, where Slack has said so for this very
    moment; `None`: whoever needs it asks.
    """

    workspace: WorkspaceId
    origin: Origin
    client: AsyncWebClient
    replies: Replies
    trigger_id: str | None = None
    view_id: str | None = None
    view_hash: str | None = None
    note: str | None = None
    command_line: str | None = None
    takes_place: bool = False
    reference: str = ""
    is_from_elsewhere: bool = False
    window: AnswerWindow | None = None
    member: Member | None = None
    has_spoken: bool = field(default=False, init=False)
    owes_answer: bool = field(default=False, init=False)
    is_answered: bool = field(default=False, init=False)
    answered_by: Way | None = field(default=None, init=False)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock, init=False, repr=False)

    async def reply(self, message: Message) -> None:
        """Answer the person alone, in the place of what was said meanwhile; raise SlackError."""
        async with self._turn:
            await self._send(message)
            self.takes_place = self.owes_answer = False
            self.is_answered = True

    async def say_meanwhile(self, message: Message) -> None:
        """Say something whose place the next words take, where Slack can; raise SlackError."""
        async with self._turn:
            if self.window:
                await self._show_meanwhile(self.window, message)
                return
            await self._send(message)
            self.owes_answer = True
            # After a press the response_url replaces what was pressed, not what was said since.
            self.takes_place = self.takes_place or not self.origin.is_message

    async def share(self, message: Message) -> None:
        """Show a message to the whole channel; raise SlackError."""
        await self.replies.send(self.client, self.origin, message, to_channel=True)

    async def fetch_member(self) -> Member:
        """Return what Slack says now of whoever asks; raise SlackError."""
        return self.member or await fetch_member(self.client, self.workspace, self.origin.user_id)

    @property
    def opens_form(self) -> bool:
        """Whether the command line is one that is answered by a form, which needs the trigger."""
        return (self.command_line or "").strip() in FORM_COMMANDS

    def as_metadata(self, note: str | None = None) -> str:
        """Return what a form must carry so that its answer finds the way back here.

        `note` is for whoever reads the answer: it comes back as `Conversation.note`.
        """
        return written(self.workspace, self.origin, note)

    async def _send(self, message: Message) -> None:
        self.has_spoken = True
        if self.window and await self._is_shown(self.window, message):
            self.answered_by = Way.THERE
            return
        # First of all, as it can only open for 3 s. One that says "please wait" must not stay so.
        if self.window and (self.window.view_id or not self.window.holds(message)):
            await self.window.show_summary(message)
        self.answered_by = await self.replies.send(
            self.client, self.origin, message, replace=self.takes_place
        )

    async def _is_shown(self, window: AnswerWindow, message: Message) -> bool:
        """Show in the window what it holds; say whether the person has all of it there."""
        if not window.holds(message):
            return False
        try:
            await window.show(message)
        except SlackError as error:
            logger.info("no window to answer in", error=repr(error))
            return False
        return True

    async def _show_meanwhile(self, window: AnswerWindow, message: Message) -> None:
        """Say it in the window or not at all: in a direct message it would stay for ever."""
        self.has_spoken = True
        self.owes_answer = await self._is_shown(window, message)
