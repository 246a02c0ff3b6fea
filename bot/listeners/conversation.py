"""One request of one person, however it was made, and the way back to them."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.message import Message
from bot.slack.calls import Member, fetch_member
from bot.slack.identity import workspace_of
from bot.slack.replies import Origin, Replies, Way
from bot.workspace import WorkspaceId


@dataclass(kw_only=True)
class Conversation:
    """Who asks, in which workspace, and how to answer.

    `trigger_id` opens a form within 3 s. `view_id` is set when a button in a form was pressed,
    or the form submitted; `view_hash` is then that of the form as it was at that moment, and
    `note` what the form was given to carry.
    `command_line` is what would ask the same again. `takes_place` puts the answer where the
    pressed message stands. `owes_answer`: they have read that an answer will come.
    `is_answered`: it has, and `answered_by` says where it went.
    `is_from_elsewhere`: the person's own workspace is another one.
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
    is_from_elsewhere: bool = False
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
            await self._send(message)
            self.owes_answer = True
            # After a press the response_url replaces what was pressed, not what was said since.
            self.takes_place = self.takes_place or not self.origin.is_message

    async def share(self, message: Message) -> None:
        """Show a message to the whole channel; raise SlackError."""
        await self.replies.send(self.client, self.origin, message, to_channel=True)

    async def fetch_member(self) -> Member:
        """Return what Slack says now of whoever asks; raise SlackError."""
        return await fetch_member(self.client, self.workspace, self.origin.user_id)

    def as_metadata(self, note: str | None = None) -> str:
        """Return what a form must carry so that its answer finds the way back here.

        `note` is for whoever reads the answer: it comes back as `Conversation.note`.
        """
        origin = self.origin
        way = [origin.channel_id, origin.response_url, origin.is_message]
        return json.dumps(way if note is None else [*way, note])

    async def _send(self, message: Message) -> None:
        self.has_spoken = True
        self.answered_by = await self.replies.send(
            self.client, self.origin, message, replace=self.takes_place
        )


def from_command(body: Mapping[str, Any], context: Any, replies: Replies) -> Conversation:
    """https://docs.slack.dev/interactivity/implementing-slash-commands#app_command_handling."""
    return Conversation(
        workspace=workspace_of(context.authorize_result),
        origin=Origin(body["user_id"], body.get("channel_id"), body.get("response_url")),
        client=context.client,
        replies=replies,
        trigger_id=body.get("trigger_id"),
        command_line=f"{body['command']} {body.get('text', '')}".strip(),
    )


def from_press(body: Mapping[str, Any], context: Any, replies: Replies) -> Conversation:
    """https://docs.slack.dev/reference/interaction-payloads/block_actions-payload."""
    view = body.get("view") or {}
    origin = Origin(
        body["user"]["id"],
        (body.get("channel") or {}).get("id"),
        body.get("response_url"),
        is_message=True,
    )
    return Conversation(
        workspace=workspace_of(context.authorize_result),
        origin=origin if origin.response_url else _origin_of(view, body["user"]["id"]),
        client=context.client,
        replies=replies,
        trigger_id=body.get("trigger_id"),
        view_id=view.get("id"),
        view_hash=view.get("hash"),
        note=_carried(view)[1],
        is_from_elsewhere=_is_from_elsewhere(body, context),
    )


def from_form(body: Mapping[str, Any], context: Any, replies: Replies) -> Conversation:
    """https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload."""
    return Conversation(
        workspace=workspace_of(context.authorize_result),
        origin=_origin_of(body["view"], body["user"]["id"]),
        client=context.client,
        replies=replies,
        trigger_id=body.get("trigger_id"),
        view_id=body["view"]["id"],
        view_hash=body["view"].get("hash"),
        note=_carried(body["view"])[1],
        is_from_elsewhere=_is_from_elsewhere(body, context),
    )


def _origin_of(view: Mapping[str, Any], user_id: str) -> Origin:
    return Origin(user_id, *_carried(view)[0])


def _carried(
    view: Mapping[str, Any],
) -> tuple[tuple[str | None, str | None, bool], str | None]:
    """Return what `as_metadata` gave the form: channel, response_url, is_message; and the note."""
    match json.loads(view.get("private_metadata") or "[]"):
        case [str() | None as channel_id, str() | None as response_url, bool(is_message)]:
            return (channel_id, response_url, is_message), None
        case [str() | None as channel, str() | None as url, bool(is_message), str(note)]:
            return (channel, url, is_message), note
    return (None, None, False), None


def _is_from_elsewhere(body: Mapping[str, Any], context: Any) -> bool:
    home = body["user"].get("team_id")
    return home is not None and home != context.authorize_result.team_id
