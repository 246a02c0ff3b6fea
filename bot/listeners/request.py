"""One request of Slack, and the ways to answer it."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.commands import COMMANDS
from bot.deduplication import DedupStore, MemoryDedup
from bot.message import Message
from bot.slack.auth import workspace_of
from bot.slack.client import Member, fetch_member, open_form, put_form
from bot.slack.errors import SlackError, TriggerExpiredError
from bot.slack.replies import Origin, Replies, Way
from bot.views.home import ANSWER, answer_window, fits_window, messages_url, summary_window
from bot.workspace import WorkspaceId


class Ack(Protocol):
    """Bolt's `ack`, as far as the bot uses it."""

    async def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Tell Slack, within 3 s, that the request has arrived; the arguments are its answer."""
        ...


class FormErrors(Exception):  # noqa: N818  # not a failure: what a form says beside its fields
    """A form that cannot be taken as it is: sentences by block id."""

    def __init__(self, sentences: Mapping[str, str]) -> None:
        self.sentences = dict(sentences)
        super().__init__("a form was not taken")


logger = structlog.get_logger()


@dataclass(kw_only=True)
class AnswerWindow:
    """Opens when there is something to show, or shows it where it is open (`view_id`) already.

    `trigger_id` opens it, once, within 3 s of the press. `messages_url` leads to the direct
    messages with the bot; `metadata` comes back with what is pressed in the window.
    """

    client: AsyncWebClient
    trigger_id: str | None
    messages_url: str
    metadata: str
    view_id: str | None = None

    def holds(self, message: Message) -> bool:
        """Return whether all of a message, buttons included, can be shown in a window."""
        return fits_window(message)

    async def show(self, message: Message) -> None:
        """Show a message that it holds.

        Raises:
            TriggerExpiredError: nobody has just pressed anything, or that has opened a form.
            SlackError: the window was closed meanwhile, or Slack did not answer.
        """
        view = answer_window(message, self.metadata)
        if self.view_id:
            await put_form(self.client, self.view_id, view)
        elif self.trigger_id:
            self.view_id = await open_form(self.client, self.trigger_id, view)
        else:
            raise TriggerExpiredError("nobody pressed anything just now")

    async def show_summary(self, message: Message) -> None:
        """Show what a message says, and the way to the whole; nothing where there is no window."""
        summary = summary_window(message, self.messages_url)
        try:
            await self.show(summary)
        except SlackError as error:
            logger.info("no window to show it in", error=repr(error))


_HOME = "home"
"""In the place of whether a message was pressed: the Home tab was."""


def written(workspace: WorkspaceId, origin: Origin, note: str | None = None) -> str:
    """Return the metadata of a form that `origin` opens; `note` comes back with it."""
    where = _HOME if origin.is_home else origin.is_message
    way = [str(workspace), origin.channel_id, origin.response_url, where]
    return json.dumps(way if note is None else [*way, note])


def origin_in(view: Mapping[str, Any], workspace: WorkspaceId, user_id: str) -> Origin:
    """Return where the person was who opened a form.

    From nowhere when it does not say, or was opened in another workspace.
    """
    return replace(_carried(view, workspace)[0], user_id=user_id)


def note_of(view: Mapping[str, Any], workspace: WorkspaceId) -> str | None:
    """Return the note that a form carries, if any; none of another workspace."""
    return _carried(view, workspace)[1]


def _carried(view: Mapping[str, Any], workspace: WorkspaceId) -> tuple[Origin, str | None]:
    match json.loads(view.get("private_metadata") or "[]"):
        case [
            str() as opened_in,
            str() | None as channel_id,
            str() | None as url,
            bool() | "home" as where,
            *notes,
        ] if opened_in == str(workspace) and all(isinstance(note, str) for note in notes):
            is_home = where == _HOME
            way = Origin("", channel_id, url, is_message=where is True, is_home=is_home)
            return way, notes[0] if notes else None
    return Origin(""), None


@dataclass(kw_only=True)
class Request:
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

    async def send_progress(self, message: Message) -> None:
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
        command = COMMANDS.get((self.command_line or "").strip())
        return bool(command and command.opens_form)

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


@dataclass(frozen=True, slots=True)
class Once:
    """The answers to a second press: after the first one was done, and while it still runs."""

    done: Message
    running: Message


def place_of(body: Mapping[str, Any]) -> str:
    """Return what names the message, form or tab in which something was pressed.

    https://docs.slack.dev/reference/interaction-payloads/block_actions-payload#fields
    """
    if view_id := (body.get("view") or {}).get("id"):
        return str(view_id)
    container = body.get("container") or {}
    return f"{container.get('channel_id')}/{container.get('message_ts')}"


class PressFailedError(Exception):
    """What was to be done once was not, and the person knows why: they may press again."""


class OncePerMessage:
    """Remembers which buttons were pressed, in whichever process: `seen` is what all know.

    A process that dies in the middle leaves its button saying that it still runs, until that is
    forgotten: how far it came nobody knows.
    """

    def __init__(self, seen: DedupStore | None = None) -> None:
        self._seen = seen or MemoryDedup(clock=time.monotonic)

    async def run(
        self,
        place: str,
        once: Once | None,
        conversation: Request,
        work: Callable[[], Awaitable[None]],
    ) -> None:
        """Do the `work` of the button at `place`, unless that was done; it raises what that does.

        After a failure the same button works again; without `once` it always does.
        """
        if once is None:
            await work()
            return
        pressed, running = f"press/{place}", f"running/{place}"
        if not await self._seen.is_new(running):
            await conversation.reply(once.running)
            return
        try:
            if is_first := await self._seen.is_new(pressed):
                await self._do(pressed, work)
        finally:
            await self._seen.forget(running)
        if not is_first:
            await conversation.reply(once.done)

    async def _do(self, pressed: str, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except PressFailedError:
            await self._seen.forget(pressed)
        except BaseException:
            await self._seen.forget(pressed)
            raise


def from_command(body: Mapping[str, Any], context: Any, replies: Replies) -> Request:
    """https://docs.slack.dev/interactivity/implementing-slash-commands#app_command_handling."""
    return Request(
        workspace=workspace_of(context.authorize_result),
        origin=Origin(body["user_id"], body.get("channel_id"), body.get("response_url")),
        client=context.client,
        replies=replies,
        trigger_id=body.get("trigger_id"),
        command_line=f"{body['command']} {body.get('text', '')}".strip(),
    )


def from_press(body: Mapping[str, Any], context: Any, replies: Replies) -> Request:
    """https://docs.slack.dev/reference/interaction-payloads/block_actions-payload."""
    view = body.get("view") or {}
    is_on_tab = view.get("type") == "home"
    workspace = workspace_of(context.authorize_result)
    origin, note = _origin_of_press(body, workspace), note_of(view, workspace)
    window = _window(body, context, origin)
    if origin.is_home and note == ANSWER:
        window.view_id = view["id"]
    # In other forms that were opened from Home an answer must not take the form's place.
    has_window = is_on_tab or window.view_id is not None
    return Request(
        workspace=workspace,
        origin=origin,
        client=context.client,
        replies=replies,
        trigger_id=body.get("trigger_id"),
        view_id=None if is_on_tab else view.get("id"),
        view_hash=None if is_on_tab else view.get("hash"),
        note=note,
        is_from_elsewhere=_is_from_elsewhere(body, context),
        window=window if has_window else None,
    )


def from_form(body: Mapping[str, Any], context: Any, replies: Replies) -> Request:
    """https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload."""
    workspace = workspace_of(context.authorize_result)
    origin = origin_in(body["view"], workspace, body["user"]["id"])
    return Request(
        workspace=workspace,
        origin=origin,
        client=context.client,
        replies=replies,
        trigger_id=body.get("trigger_id"),
        view_id=body["view"]["id"],
        view_hash=body["view"].get("hash"),
        note=note_of(body["view"], workspace),
        is_from_elsewhere=_is_from_elsewhere(body, context),
        window=_window(body, context, origin) if origin.is_home else None,
    )


def from_event(body: Mapping[str, Any], context: Any, replies: Replies) -> Request:
    """https://docs.slack.dev/apis/events-api#callback-field: of an event that names its person."""
    return Request(
        workspace=workspace_of(context.authorize_result),
        origin=Origin(body["event"]["user"]),
        client=context.client,
        replies=replies,
    )


def is_ephemeral(body: Mapping[str, Any]) -> bool:
    """Return whether what was pressed stands in a message that only that person sees."""
    return bool((body.get("container") or {}).get("is_ephemeral"))


def _origin_of_press(body: Mapping[str, Any], workspace: WorkspaceId) -> Origin:
    user_id, view = body["user"]["id"], body.get("view") or {}
    if view.get("type") == "home":
        return Origin(user_id, is_home=True)
    if url := body.get("response_url"):
        return Origin(user_id, (body.get("channel") or {}).get("id"), url, is_message=True)
    return origin_in(view, workspace, user_id)


def _window(body: Mapping[str, Any], context: Any, origin: Origin) -> AnswerWindow:
    workspace = workspace_of(context.authorize_result)
    return AnswerWindow(
        client=context.client,
        trigger_id=body.get("trigger_id"),
        messages_url=messages_url(workspace.team_id, str(body.get("api_app_id") or "")),
        metadata=written(workspace, origin, ANSWER),
    )


def _is_from_elsewhere(body: Mapping[str, Any], context: Any) -> bool:
    home = body["user"].get("team_id")
    return home is not None and home != context.authorize_result.team_id
