"""One request of Slack: what came, which stays as it came, and the answer to it."""

import asyncio
import json
import secrets
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.blocks.builders import actions, button, context, message_of, notice, section
from bot.blocks.message import Block, Message
from bot.dispatch.usage import ANSWER_BELOW
from bot.process.errors import log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.slack.client import Member, fetch_member, open_form, update_form
from bot.slack.errors import SlackError
from bot.slack.replies import Origin, Replies

ANSWER = "answer"  # the note of a window with an answer
OPEN_MESSAGES = "home.messages"
MAX_BLOCKS = 12
# Blocks that every window accepts: https://docs.slack.dev/reference/block-kit/blocks
_SMALL = {"section", "context", "header", "divider", "actions"}


@dataclass(kw_only=True)
class AnswerWindow:
    """A window for the answer to a press on Home; `view_id` is set once it is open.

    `trigger_id` opens it, once, within 3 s of the press. `messages_url` leads to the direct
    messages with the bot; `metadata` comes back with presses in the window.
    """

    client: AsyncWebClient
    trigger_id: str
    messages_url: str
    metadata: str
    view_id: str | None = None

    async def show(self, message: Message) -> None:
        """Show a message that fits; raise SlackError."""
        blocks = list(message.blocks) or [section(message.text)]
        view = notice("Domain Tracker", blocks, metadata=self.metadata)
        if self.view_id:
            await update_form(self.client, self.view_id, view)
        else:
            self.view_id = await open_form(self.client, self.trigger_id, view)


def fits_window(message: Message) -> bool:
    """Return whether a window can show a whole message."""
    kinds = [block["type"] for block in message.blocks]
    return len(kinds) <= MAX_BLOCKS and _SMALL.issuperset(kinds)


def summary_window(message: Message, messages_url: str) -> Message:
    there = "The full answer, with its buttons, is in your direct messages."
    opening = button("Open messages", OPEN_MESSAGES, url=messages_url, style="primary")
    plain = message.fallback() or message
    readable = [block for block in plain.blocks if block["type"] in _SMALL - {"actions"}]
    silent: list[Block] = [
        {name: block[name] for name in block if name != "accessory"} for block in readable
    ]
    return message_of(*silent[: MAX_BLOCKS - 2], context(there), *actions(opening))


class Sent(Enum):
    """What the person has read last."""

    NOTHING = "nothing"
    PROGRESS = "progress"  # that an answer will come
    ANSWER = "answer"


@dataclass(kw_only=True)
class Answer:
    """Answers one person.

    `window` shows the answer to a press on the Home tab. `view_id` is the form in which it is
    drawn, and `drawn` what was last drawn there. `command_line` is the command line that asks the
    same again. `takes_place`: the answer replaces the pressed message. `shares`: one with a
    `Share` button is shared at once. `has_shared`: something was shown to the whole channel.
    `on_stop` returns the answer if the process stops before the end. `lasting_word` stands in for
    progress that cannot be replaced.
    """

    origin: Origin
    client: AsyncWebClient
    replies: Replies
    window: AnswerWindow | None = None
    view_id: str | None = None
    command_line: str | None = None
    takes_place: bool = False
    shares: bool = False
    sent: Sent = Sent.NOTHING
    has_shared: bool = field(default=False, init=False)
    drawn: Mapping[str, Any] | None = field(default=None, init=False, repr=False)
    on_stop: Callable[[], Message] | None = field(default=None, init=False, repr=False)
    lasting_word: Message = field(default=ANSWER_BELOW, init=False, repr=False)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock, init=False, repr=False)

    async def reply(self, message: Message) -> None:
        """Answer the person alone, in place of a progress message; raise SlackError."""
        async with self._turn:
            await self._send(message)
            self.takes_place = False
            self.sent = Sent.ANSWER

    async def send_progress(self, message: Message, *, is_first: bool = False) -> None:
        """Send a message that the answer replaces; a failure is only logged.

        Where Slack cannot replace it, `lasting_word` is sent instead, which stays true.
        `is_first`: it is not sent after another one.
        """
        async with self._turn:
            if is_first and self.sent is not Sent.NOTHING:
                return
            if self.window:  # only there: a direct message would stay for ever
                if await self._show(self.window, message):
                    self.sent = Sent.PROGRESS
                return
            # After a press the response_url replaces the pressed message, not the latest one, and
            # a message without a response_url cannot be replaced at all.
            is_new = bool(self.origin.response_url) and not self.origin.is_message
            with log_and_suppress("progress message not sent", SlackError):
                if self.takes_place or is_new:
                    await self._send(message, is_progress=True)
                    self.takes_place = True
                else:
                    await self._send(self.lasting_word)
                self.sent = Sent.PROGRESS

    async def share(self, message: Message) -> None:
        """Show a message to the whole channel; raise SlackError."""
        await self.replies.send(self.client, self.origin, message, to_channel=True)
        self.has_shared = True

    async def draw(self, form: Mapping[str, Any]) -> None:
        """Draw `form` in the open one; raise SlackError, also where it was closed."""
        await update_form(self.client, self.view_id or "", form)
        self.drawn = form

    async def _send(self, message: Message, *, is_progress: bool = False) -> None:
        if self.window and await self._show(self.window, message):
            return
        # First, as it opens only within 3 s; and a window must not go on saying "please wait".
        if self.window and (self.window.view_id or not fits_window(message)):
            with suppress(SlackError):
                await self.window.show(summary_window(message, self.window.messages_url))
        for_one = message.with_shares(None)
        if self.shares and for_one != message:
            await self.share(for_one)
            return
        if self.origin.channel_id and self.origin.thread_ts:
            message = message.with_shares(self.origin.thread_ts)
        await self.replies.send(
            self.client, self.origin, message, replace=self.takes_place, is_progress=is_progress
        )

    async def _show(self, window: AnswerWindow, message: Message) -> bool:
        """Show a message in the window; return whether all of it is there."""
        with suppress(SlackError):
            if fits_window(message):
                await window.show(message)
                return True
        return False


class FormErrors(Exception):  # noqa: N818  # not a failure: sentences beside the fields of a form
    """A form with errors: sentences by block id."""

    def __init__(self, sentences: Mapping[str, str]) -> None:
        self.sentences = dict(sentences)
        super().__init__("a form was not taken")


def encode_metadata(workspace: WorkspaceId, origin: Origin, note: str | None = None) -> str:
    """Return the metadata of a form that `origin` opens; `note` comes back as `Request.note`."""
    way = {**asdict(origin), "user_id": None}
    return json.dumps([str(workspace), way, note])


def decode_metadata(
    view: Mapping[str, Any], workspace: WorkspaceId, user_id: str
) -> tuple[Origin, str | None]:
    """Return where the person opened a form, and its note; nothing of another workspace's form."""
    match json.loads(view.get("private_metadata") or "[]"):
        case [opened_in, dict() as way, note] if opened_in == str(workspace):
            return Origin(**{**way, "user_id": user_id}), note
    return Origin(user_id), None


@dataclass(frozen=True, eq=False, kw_only=True)
class Request:
    """What came from a person, and the `answer` to it.

    `trigger_id` opens a form within 3 s. `note` and `view_hash` are those of the form in which a
    button was pressed, or that was submitted; `values` is the state of its fields, `message` the
    pressed one, both as Slack sends them. `is_from_elsewhere`: the person's own workspace is
    another one. `is_late`: it was written too long ago to be run. `member` is the person, if Slack
    was asked just now. `reference` names the request in the log.
    """

    workspace: WorkspaceId
    origin: Origin
    client: AsyncWebClient
    answer: Answer
    bot_user_id: str | None = None
    trigger_id: str | None = None
    note: str | None = None
    view_hash: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict, repr=False)
    message: Mapping[str, Any] | None = None
    is_from_elsewhere: bool = False
    is_late: bool = False
    member: Member | None = None
    reference: str = field(default_factory=lambda: secrets.token_hex(4))

    async def reply(self, message: Message) -> None:
        """Answer the person alone, in place of a progress message; raise SlackError."""
        await self.answer.reply(message)

    async def open_form(self, form: Mapping[str, Any]) -> str:
        """Open a form; return its id. Raise TriggerExpiredError, SlackError."""
        return await open_form(self.client, self.trigger_id or "", form)

    async def fetch_member(self) -> Member:
        """Return the person as Slack describes them now; raise SlackError."""
        return self.member or await fetch_member(self.client, self.workspace, self.origin.user_id)

    def logged(self, what: str) -> AbstractContextManager[None]:
        """Let the log lines inside the block name the request."""
        return structlog.contextvars.bound_contextvars(
            request=self.reference,
            workspace=str(self.workspace),
            user=self.origin.user_id,
            what=what,
        )

    def as_metadata(self, note: str | None = None) -> str:
        return encode_metadata(self.workspace, self.origin, note)


def request_from(
    workspace: WorkspaceId,
    origin: Origin,
    client: AsyncWebClient,
    replies: Replies,
    *,
    command_line: str | None = None,
    shares: bool = False,
    view_id: str | None = None,
    window: AnswerWindow | None = None,
    **came: Any,
) -> Request:
    """Return a request with its answer; `came` are the other fields of the request."""
    answer = Answer(
        origin=origin,
        client=client,
        replies=replies,
        command_line=command_line,
        shares=shares,
        view_id=view_id,
        window=window,
    )
    return Request(workspace=workspace, origin=origin, client=client, answer=answer, **came)


async def draw_or_reply(
    request: Request, form: Mapping[str, Any], otherwise: Message | None
) -> None:
    """Draw `form` in the open one; reply with `otherwise` if it was closed, or Slack fails."""
    with suppress(SlackError):
        if request.answer.view_id:
            await request.answer.draw(form)
            return
    if otherwise:
        await request.reply(otherwise)
