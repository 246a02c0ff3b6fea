"""One request of Slack, and the ways to answer it."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import Any

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.blocks.message import Message
from bot.blocks.window import answer_window, fits_window, summary_window
from bot.dispatch.commands import COMMANDS
from bot.dispatch.usage import ANSWER_BELOW
from bot.process.clock import seconds_now
from bot.process.errors import log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.slack.client import Member, fetch_member, open_form, update_form
from bot.slack.errors import SlackError, TriggerExpiredError
from bot.slack.replies import Origin, Replies
from bot.store.deduplication import DedupStore, MemoryDedup


class FormErrors(Exception):  # noqa: N818  # not a failure: sentences beside the fields of a form
    """A form with errors: sentences by block id."""

    def __init__(self, sentences: Mapping[str, str]) -> None:
        self.sentences = dict(sentences)
        super().__init__("a form was not taken")


@dataclass(kw_only=True)
class AnswerWindow:
    """A window for the answer to a press on Home; `view_id` is set once it is open.

    `trigger_id` opens it, once, within 3 s of the press. `messages_url` leads to the direct
    messages with the bot; `metadata` comes back with presses in the window.
    """

    client: AsyncWebClient
    trigger_id: str | None
    messages_url: str
    metadata: str
    view_id: str | None = None

    async def show(self, message: Message) -> None:
        """Show a message that fits; raise SlackError, TriggerExpiredError without a press."""
        view = answer_window(message, self.metadata)
        if self.view_id:
            await update_form(self.client, self.view_id, view)
        elif self.trigger_id:
            self.view_id = await open_form(self.client, self.trigger_id, view)
        else:
            raise TriggerExpiredError("nothing was pressed just now")


def written(workspace: WorkspaceId, origin: Origin, note: str | None = None) -> str:
    """Return the metadata of a form that `origin` opens; `note` comes back with it."""
    way = {**asdict(origin), "user_id": None}
    return json.dumps([str(workspace), way, note])


def carried(
    view: Mapping[str, Any], workspace: WorkspaceId, user_id: str
) -> tuple[Origin, str | None]:
    """Return where the person opened a form, and its note; nothing of another workspace's form."""
    match json.loads(view.get("private_metadata") or "[]"):
        case [opened_in, dict() as way, note] if opened_in == str(workspace):
            return Origin(**{**way, "user_id": user_id}), note
    return Origin(user_id), None


@dataclass(frozen=True, slots=True)
class DrawnForm:
    """A form that was drawn, and its hash then."""

    form: dict[str, Any]
    hash: str


@dataclass(kw_only=True)
class Request:
    """A person, their workspace, and how to answer them.

    `trigger_id` opens a form within 3 s. `view_id`, `view_hash` and `note` are those of the form
    in which a button was pressed, or that was submitted; `values` is the state of its fields, as
    Slack sends it. `command_line` would ask the same again.
    `takes_place`: the answer replaces the pressed message. `owes_answer`: they have read that an
    answer will come. `is_answered`: it has come. `reference` names the request in the log.
    `is_from_elsewhere`: the person's own workspace is another one. `window` shows the answer to a
    press on the Home tab. `message` is the pressed one, as Slack sends it. `member` is the
    person, if Slack was asked just now. `on_stop` returns the answer if the process stops before
    the end. `shares_answer`: an answer with a `Share` button is shared at once. `drawn` is what
    was last drawn in the form. `is_late`: it was written too long ago to be run.
    """

    workspace: WorkspaceId
    origin: Origin
    client: AsyncWebClient
    replies: Replies
    bot_user_id: str | None = None
    trigger_id: str | None = None
    view_id: str | None = None
    view_hash: str | None = None
    note: str | None = None
    command_line: str | None = None
    takes_place: bool = False
    is_from_elsewhere: bool = False
    window: AnswerWindow | None = None
    member: Member | None = None
    message: Mapping[str, Any] | None = None
    shares_answer: bool = False
    is_late: bool = False
    values: Mapping[str, Any] = field(default_factory=dict, repr=False)
    reference: str = field(default_factory=lambda: secrets.token_hex(4), init=False)
    on_stop: Callable[[], Message] | None = field(default=None, init=False, repr=False)
    lasting_word: Message = field(default=ANSWER_BELOW, init=False, repr=False)
    has_spoken: bool = field(default=False, init=False)
    owes_answer: bool = field(default=False, init=False)
    is_answered: bool = field(default=False, init=False)
    drawn: DrawnForm | None = field(default=None, init=False, repr=False)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock, init=False, repr=False)

    async def reply(self, message: Message) -> None:
        """Answer the person alone, in place of a progress message; raise SlackError."""
        async with self._turn:
            await self._send(message)
            self.takes_place = self.owes_answer = False
            self.is_answered = True

    @property
    def replaces_progress(self) -> bool:
        """Whether the answer can take the place of a progress message.

        After a press the response_url replaces the pressed message, not the latest one, and a
        message without a response_url cannot be replaced at all.
        """
        is_new = bool(self.origin.response_url) and not self.origin.is_message
        return self.takes_place or is_new or self.window is not None

    async def send_progress(self, message: Message) -> None:
        """Send a message that the answer replaces; a failure is only logged.

        Where Slack cannot replace it, `lasting_word` is sent instead, which stays true.
        """
        async with self._turn:
            await self._send_progress(message)

    async def send_first_word(self, message: Message) -> None:
        """Send a progress message, unless something was sent before."""
        async with self._turn:
            if not self.has_spoken:
                await self._send_progress(message)

    async def _send_progress(self, message: Message) -> None:
        if self.window:  # only there: a direct message would stay for ever
            self.has_spoken = True
            self.owes_answer = await self._is_shown(self.window, message)
            return
        with log_and_suppress("progress message not sent", SlackError):
            replaces = self.replaces_progress
            await self._send(message if replaces else self.lasting_word)
            self.owes_answer = True
            self.takes_place = replaces

    async def share(self, message: Message) -> None:
        """Show a message to the whole channel; raise SlackError."""
        await self.replies.send(self.client, self.origin, message, to_channel=True)

    async def open_form(self, form: Mapping[str, Any]) -> str:
        """Open a form; return its id. Raise TriggerExpiredError, SlackError."""
        return await open_form(self.client, self.trigger_id or "", form)

    async def fetch_member(self) -> Member:
        """Return the person as Slack describes them now; raise SlackError."""
        return self.member or await fetch_member(self.client, self.workspace, self.origin.user_id)

    @property
    def opens_form(self) -> bool:
        """Whether the command line is one that is answered by a form, which needs the trigger."""
        command = COMMANDS.get((self.command_line or "").strip())
        return bool(command and command.opens_form)

    @contextmanager
    def logged(self, what: str) -> Iterator[None]:
        """Let the log lines inside the block name the request."""
        log = structlog.contextvars.bound_contextvars(
            request=self.reference,
            workspace=str(self.workspace),
            user=self.origin.user_id,
            what=what,
        )
        with log:
            yield

    def as_metadata(self, note: str | None = None) -> str:
        """Return the metadata of a form; `note` comes back as `Request.note`."""
        return written(self.workspace, self.origin, note)

    async def _send(self, message: Message) -> None:
        self.has_spoken = True
        if self.window and await self._is_shown(self.window, message):
            return
        # First, as it opens only within 3 s; and a window must not go on saying "please wait".
        if self.window and (self.window.view_id or not fits_window(message)):
            with suppress(SlackError):
                await self.window.show(summary_window(message, self.window.messages_url))
        if self.shares_answer and message.is_shareable:
            await self.share(message.for_one())
            return
        if self.origin.channel_id and self.origin.thread_ts:
            message = message.for_thread(self.origin.thread_ts)
        await self.replies.send(self.client, self.origin, message, replace=self.takes_place)

    async def _is_shown(self, window: AnswerWindow, message: Message) -> bool:
        """Show a message in the window; return whether all of it is there."""
        with suppress(SlackError):
            if fits_window(message):
                await window.show(message)
                return True
        return False


async def draw_or_reply(
    request: Request, form: Mapping[str, Any], otherwise: Message | None
) -> None:
    """Draw `form` in the open one; reply with `otherwise` if it was closed, or Slack fails."""
    try:
        drawn_hash = await update_form(request.client, request.view_id or "", form)
        request.drawn = DrawnForm(dict(form), drawn_hash)
    except SlackError:
        if otherwise:
            await request.reply(otherwise)


class OncePerMessage:
    """Remembers pressed buttons in `seen`, which all processes share."""

    def __init__(self, seen: DedupStore | None = None) -> None:
        self._seen = seen or MemoryDedup(clock=seconds_now)

    @asynccontextmanager
    async def press(self, place: str | None) -> AsyncIterator[bool]:
        """Yield whether nothing was pressed at this place before; at `None` it never was.

        After a failure in the block, which is raised, the button works again.
        """
        if place is None:
            yield True
            return
        pressed = f"press/{place}"
        if not await self._seen.is_new(pressed):
            yield False
            return
        try:
            yield True
        except BaseException:
            await self._seen.forget(pressed)
            raise

    async def is_first(self, place: str) -> bool:
        return await self._seen.is_new(place)
