"""One request of Slack: what came, which stays as it came, and the metadata of its forms."""

import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.blocks.message import Message
from bot.dispatch.answer import Answer, AnswerWindow
from bot.process.workspace import WorkspaceId
from bot.slack.client import Member, fetch_member, open_form
from bot.slack.errors import SlackError
from bot.slack.replies import Origin, Replies


class FormErrors(Exception):  # noqa: N818  # not a failure: sentences beside the fields of a form
    """A form with errors: sentences by block id."""

    def __init__(self, sentences: Mapping[str, str]) -> None:
        self.sentences = dict(sentences)
        super().__init__("a form was not taken")


def encode_metadata(workspace: WorkspaceId, origin: Origin, note: str | None = None) -> str:
    """Return the metadata of a form that `origin` opens; `note` comes back with it."""
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


@dataclass(frozen=True, kw_only=True)
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

    def with_note(self, note: str) -> "Request":
        """Return the same request in a form that carries `note`."""
        return replace(self, note=note)

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
        return encode_metadata(self.workspace, self.origin, note)


def request_from(
    workspace: WorkspaceId,
    origin: Origin,
    client: AsyncWebClient,
    replies: Replies,
    *,
    retry_line: str | None = None,
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
        retry_line=retry_line,
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
