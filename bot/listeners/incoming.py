"""What Slack sends when somebody does something, as a conversation with them."""

from collections.abc import Mapping
from typing import Any

from bot.listeners.conversation import Conversation
from bot.listeners.metadata import note_of, origin_in, written
from bot.listeners.window import AnswerWindow
from bot.slack.identity import workspace_of
from bot.slack.replies import Origin, Replies
from bot.views.home.window import ANSWER, messages_url
from bot.workspace import WorkspaceId


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
    is_on_tab = view.get("type") == "home"
    workspace = workspace_of(context.authorize_result)
    origin, note = _origin_of_press(body, workspace), note_of(view, workspace)
    window = _window(body, context, origin)
    if origin.is_home and note == ANSWER:
        window.view_id = view["id"]
    # In other forms that were opened from Home an answer must not take the form's place.
    has_window = is_on_tab or window.view_id is not None
    return Conversation(
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


def from_form(body: Mapping[str, Any], context: Any, replies: Replies) -> Conversation:
    """https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload."""
    workspace = workspace_of(context.authorize_result)
    origin = origin_in(body["view"], workspace, body["user"]["id"])
    return Conversation(
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


def from_event(body: Mapping[str, Any], context: Any, replies: Replies) -> Conversation:
    """https://docs.slack.dev/apis/events-api#callback-field: of an event that names its person."""
    return Conversation(
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
