"""Read Slack's payloads: who asks, where, the fields of forms; answer what cannot be taken."""

import asyncio
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import structlog
from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_bolt.response import BoltResponse

from bot.blocks.command_names import own_name
from bot.blocks.message import thread_of
from bot.dispatch.request import (
    ANSWER,
    AnswerWindow,
    Request,
    decode_metadata,
    encode_metadata,
    request_from,
)
from bot.process.errors import BotError, UnknownWorkspaceError
from bot.slack.auth import workspace_of
from bot.slack.client import FAILURES
from bot.slack.replies import Origin, Replies
from bot.store.documents import StoreError

# As Slack sends them: by the id of the block and that of the element.
Values = Mapping[str, Mapping[str, Any]]
logger = structlog.get_logger()
# Slack waits 3 s for the ack that follows.
RESPONDED_WITHIN_S = 2.0


def from_command(body: Mapping[str, Any], context: Any, replies: Replies) -> Request:
    # https://docs.slack.dev/interactivity/implementing-slash-commands#app_command_handling
    origin = Origin(body["user_id"], body.get("channel_id"), body.get("response_url"))
    line = f"{own_name(body['command'])} {body.get('text', '')}".strip()
    return _request(body, context, replies, origin, command_line=line)


def from_press(body: Mapping[str, Any], context: Any, replies: Replies) -> Request:
    """Read a press: https://docs.slack.dev/reference/interaction-payloads/block_actions-payload."""
    view, workspace = body.get("view") or {}, workspace_of(context.authorize_result)
    origin, note = decode_metadata(view, workspace, body["user"]["id"])
    is_on_tab = view.get("type") == "home"
    if is_on_tab:
        origin = Origin(origin.user_id, is_home=True)
    elif url := body.get("response_url"):
        origin = _origin_in_message(body, url)
    window = _window(body, context, origin)
    if origin.is_home and note == ANSWER:
        window.view_id = view["id"]
    form = {} if is_on_tab else view
    return _request(
        body,
        context,
        replies,
        origin,
        # In other forms that were opened from Home an answer must not take the form's place.
        window=window if is_on_tab or window.view_id else None,
        view_id=form.get("id"),
        view_hash=form.get("hash"),
        note=note,
        message=body.get("message"),
        values=(view.get("state") or {}).get("values") or {},
    )


def from_form(body: Mapping[str, Any], context: Any, replies: Replies) -> Request:
    # https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload
    view, workspace = body["view"], workspace_of(context.authorize_result)
    origin, note = decode_metadata(view, workspace, body["user"]["id"])
    window = _window(body, context, origin) if origin.is_home else None
    return _request(body, context, replies, origin, window=window, view_id=view["id"], note=note)


def from_shortcut(body: Mapping[str, Any], context: Any, replies: Replies) -> Request:
    """Read a shortcut: https://docs.slack.dev/interactivity/implementing-shortcuts.

    Slack names the thread of a message that has replies, or is one.
    """
    message = body.get("message") or {}
    thread_ts = message.get("thread_ts")
    origin = Origin(
        body["user"]["id"],
        (body.get("channel") or {}).get("id"),
        body.get("response_url"),
        is_message="message" in body,
        thread_ts=thread_ts or message.get("ts"),
        is_in_thread=thread_ts is not None,
    )
    window = _window(body, context, origin) if origin.is_message else None
    return _request(body, context, replies, origin, window=window)


def from_event(body: Mapping[str, Any], context: Any, replies: Replies) -> Request:
    """Read an event that names a person: https://docs.slack.dev/apis/events-api#callback-field."""
    return _request(body, context, replies, Origin(body["event"]["user"]))


def is_ephemeral(body: Mapping[str, Any]) -> bool:
    """Return whether the pressed message is visible to that person only."""
    return bool((body.get("container") or {}).get("is_ephemeral"))


def container_of(body: Mapping[str, Any]) -> str:
    """Return the id of the message, form or tab of a press."""
    # https://docs.slack.dev/reference/interaction-payloads/block_actions-payload#fields
    if view_id := (body.get("view") or {}).get("id"):
        return str(view_id)
    container = body.get("container") or {}
    return f"{container.get('channel_id')}/{container.get('message_ts')}"


def _request(
    body: Mapping[str, Any], context: Any, replies: Replies, origin: Origin, **more: Any
) -> Request:
    bot, home = context.authorize_result, (body.get("user") or {}).get("team_id")
    return request_from(
        workspace_of(bot),
        origin,
        context.client,
        replies,
        bot_user_id=bot.bot_user_id,
        trigger_id=body.get("trigger_id"),
        is_from_elsewhere=home is not None and home != bot.team_id,
        **more,
    )


def _origin_in_message(body: Mapping[str, Any], response_url: str) -> Origin:
    """Return where a message is in which something was pressed."""
    container = body.get("container") or {}
    thread_ts = container.get("thread_ts") or (body.get("message") or {}).get("thread_ts")
    if thread_ts == container.get("message_ts"):  # the first one of a thread is in the channel
        thread_ts = None
    return Origin(
        body["user"]["id"],
        (body.get("channel") or {}).get("id"),
        response_url,
        is_message=True,
        thread_ts=thread_of(body["actions"][0]["action_id"]) or thread_ts,
        is_in_thread=thread_ts is not None,
    )


def _window(body: Mapping[str, Any], context: Any, origin: Origin) -> AnswerWindow:
    workspace = workspace_of(context.authorize_result)
    # https://docs.slack.dev/interactivity/deep-linking
    app = f"team={workspace.team_id}&id={body.get('api_app_id') or ''}"
    return AnswerWindow(
        client=context.client,
        trigger_id=body.get("trigger_id") or "",
        messages_url=f"slack://app?{app}&tab=messages",
        metadata=encode_metadata(workspace, origin, ANSWER),
    )


@dataclass(frozen=True, slots=True)
class Field:
    """One field: the id of its block, and its state as Slack sends it, empty without the field."""

    block_id: str
    state: Mapping[str, Any]

    @property
    def text(self) -> str:
        return self.state.get("value") or ""

    @property
    def option(self) -> tuple[str, str] | None:
        chosen = self.state.get("selected_option")
        return (chosen["value"], chosen["text"]["text"]) if chosen else None

    @property
    def options(self) -> list[str]:
        return [each["value"] for each in self.state.get("selected_options") or ()]

    @property
    def value(self) -> str:
        return self.option[0] if self.option else ""

    @property
    def user_ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.state.get("selected_users") or ()))


def field_in(values: Values, action_id: str) -> Field:
    """Return the field with that `action_id`, else an empty one; its block may have any id."""
    for block_id, elements in values.items():
        if action_id in elements:
            return Field(block_id, elements[action_id])
    return Field(action_id, {})


async def answer_unread(
    error: Exception, body: Mapping[str, Any], respond: AsyncRespond
) -> BoltResponse:
    """Answer what failed before its ack: a command or a press with a sentence, else with 503.

    What comes from an unknown workspace gets 200: it would fail again.

    Slack shows the body of a 200 to the person who typed a command
    (https://docs.slack.dev/interactivity/implementing-slash-commands); after a press in a message
    the sentence goes below it. A form would close as if it were saved: with a 503 Slack says that
    it was not. 400 answers what Slack would not send.
    """
    reference = secrets.token_hex(4)
    is_unknown = isinstance(error, UnknownWorkspaceError)  # logged where it was found
    if not (is_unknown or isinstance(error, BotError)):
        logger.error("a request could not be read", request=reference, exc_info=error)
        return BoltResponse(status=400, body=f"the request cannot be read; reference {reference}")
    if not is_unknown:
        logger.warning("a request could not be taken", request=reference, error=repr(error))
    what = "The app's database" if isinstance(error, StoreError) else "Slack"
    again = f"{what} is unavailable. Please try again shortly. Reference {reference}."
    text = str(error) if is_unknown else again
    if "command" not in body:
        is_act = body.get("type") in {"block_actions", "message_action"}
        is_said = is_act and await _respond(respond, text)
        is_over = is_said or is_unknown
        return BoltResponse(status=200 if is_over else 503, body="" if is_over else text)
    reply = json.dumps({"response_type": "ephemeral", "text": text})
    return BoltResponse(status=200, body=reply, headers={"content-type": ["application/json"]})


async def _respond(respond: AsyncRespond, text: str) -> bool:
    """Return whether the text was sent: a press on a form or on Home has no response_url."""
    if respond.response_url is None:
        return False
    try:
        async with asyncio.timeout(RESPONDED_WITHIN_S):
            await respond(text, replace_original=False)
    except FAILURES as unreachable:
        logger.warning("the answer could not be sent", error=repr(unreachable))
        return False
    return True
