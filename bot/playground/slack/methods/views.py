"""`views.*`: modals and the Home tab. https://docs.slack.dev/reference/methods/views.open."""

from bot.playground.slack.block_contents import Json
from bot.playground.slack.errors import Refusal, bad_arguments
from bot.playground.slack.methods.call import ApiCall, Method
from bot.playground.slack.model import View
from bot.playground.slack.workspace_state import WorkspaceState

# What Slack shows of a Home view, which has none of its own.
HOME_TITLE = {"type": "plain_text", "text": "View Title", "emoji": True}


def view_json(world: WorkspaceState, view: View) -> Json:
    """Return a view as answers and payloads show it.

    The team in which the app is installed is the organisation itself where that has the app.
    """
    workspace, payload = world.workspace, view.payload
    installed_in = world.enterprise_id if world.is_org_wide else workspace.team_id
    return {
        "id": view.id,
        "team_id": workspace.team_id,
        "type": payload["type"],
        "title": payload.get("title") or HOME_TITLE,
        "submit": payload.get("submit"),
        "close": payload.get("close"),
        "blocks": view.blocks,
        "private_metadata": payload.get("private_metadata") or "",
        "callback_id": payload.get("callback_id") or "",
        "external_id": payload.get("external_id") or "",
        "state": {"values": view.state},
        "hash": view.hash,
        "clear_on_close": bool(payload.get("clear_on_close")),
        "notify_on_close": bool(payload.get("notify_on_close")),
        "root_view_id": view.root_id,
        "previous_view_id": view.previous_id,
        "app_id": workspace.app_id,
        "app_installed_team_id": installed_in,
        "bot_id": workspace.bot_id,
    }


def open_(call: ApiCall) -> Json:
    """Open a modal."""
    payload = call.required("view")
    view = call.world.stacks.open(call.required("trigger_id"), payload)
    return {"view": view_json(call.world, view)}


def push(call: ApiCall) -> Json:
    """Open a modal on top of another."""
    payload = call.required("view")
    view = call.world.stacks.push(call.required("trigger_id"), payload)
    return {"view": view_json(call.world, view)}


def update(call: ApiCall) -> Json:
    """Give an open view new content."""
    payload = call.required("view")
    view = _named(call)
    call.world.stacks.update(view, payload, call.get("hash"))
    return {"view": view_json(call.world, view)}


def _named(call: ApiCall) -> View:
    view_id, external_id = call.get("view_id"), call.get("external_id")
    if not view_id and not external_id:
        raise bad_arguments("missing required field: view_id")
    for view in call.world.stacks.live():
        if view_id == view.id or (external_id and external_id == view.payload.get("external_id")):
            return view
    raise Refusal("not_found")


def publish(call: ApiCall) -> Json:
    """Show somebody's Home tab."""
    if not call.universe.app.settings.home_tab:
        raise Refusal("not_enabled")
    payload = call.required("view")
    member = call.member(call.required("user_id"))
    view = call.world.stacks.publish(member.id, payload, call.get("hash"))
    return {"view": view_json(call.world, view)}


METHODS = {
    "views.open": Method(open_),
    "views.push": Method(push),
    "views.update": Method(update),
    "views.publish": Method(publish),
}
