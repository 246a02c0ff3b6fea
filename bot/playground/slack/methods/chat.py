"""`chat.*` and `views.*`: posting, modals and the Home tab.

https://docs.slack.dev/reference/methods/chat.postMessage, …/views.open and their sisters.
"""

from bot.playground.slack import block_contents
from bot.playground.slack.block_contents import Json
from bot.playground.slack.methods.call import ApiCall, Method
from bot.playground.slack.model import Channel, Message, View
from bot.playground.slack.posting import MAX_UPDATE_CHARS
from bot.playground.slack.refusals import Refusal
from bot.playground.slack.universe import WorkspaceState


def message_json(world: WorkspaceState, message: Message) -> Json:
    workspace = world.workspace
    shown = {key: value for key, value in message.content.items() if value is not None}
    if not shown["blocks"]:
        shown.pop("blocks")
    if message.files:
        shown |= {"files": message.files, "upload": True}
    if message.edited_ts:
        shown["edited"] = {"user": message.user, "ts": message.edited_ts}
    if message.client_msg_id:
        shown["client_msg_id"] = message.client_msg_id
        shown["blocks"] = [block_contents.as_rich_text(message.text)]
    if message.bot_id:
        shown["bot_id"] = message.bot_id
    if message.bot_id == workspace.bot_id:
        shown["app_id"] = workspace.app_id
    # The first message of a thread names it too:
    # https://docs.slack.dev/messaging/retrieving-messages#pulling_threads
    said = workspace.channels[message.channel_id].messages
    replies = [each for each in said if each.thread_ts == message.ts and not each.is_ephemeral]
    if replies:
        shown |= {"thread_ts": message.ts, "reply_count": len(replies)}
    return {
        "user": message.user,
        "type": "message",
        "ts": message.ts,
        "team": workspace.team_id,
        **shown,
    }


def _place(call: ApiCall) -> Channel:
    """Return where the bot may post: by id, by name, or a person's id for their DM."""
    workspace = call.world.workspace
    wanted = str(call.required("channel"))
    if member := workspace.members.get(wanted):
        # To somebody deactivated too: https://github.com/slackapi/python-slack-sdk/issues/1156.
        channel = workspace.direct_message(call.person(member.id))
    else:
        named = workspace.channel_named(wanted)
        channel = call.channel(named.id if named else wanted)
    may_post(call, channel)
    return channel


def may_post(call: ApiCall, channel: Channel) -> None:
    """Pass if the channel, and its settings for the app, are open to it. Raises: Refusal."""
    if channel.is_archived:
        raise Refusal("is_archived")
    if channel.is_im and not call.universe.app.settings.messages_tab:
        raise Refusal("messages_tab_disabled")
    if channel.restricted:
        raise Refusal(channel.restricted)


def _joined(call: ApiCall, channel: Channel) -> None:
    is_inside = call.world.workspace.bot_user_id in channel.members
    if not is_inside and "chat:write.public" not in call.world.scopes:
        raise Refusal("not_in_channel")


def post_message(call: ApiCall) -> Json:
    channel = _place(call)
    _joined(call, channel)
    call.world.posting.slow_down(channel)
    message = call.world.posting.add(channel, call.arguments)
    shown = message_json(call.world, message)
    return {"channel": channel.id, "ts": message.ts, "message": shown}


def post_ephemeral(call: ApiCall) -> Json:
    member_id = str(call.required("user"))
    channel = _place(call)
    _joined(call, channel)
    if member_id not in channel.members:
        raise Refusal("user_not_in_channel")
    if len(str(call.get("text") or "").encode()) > MAX_UPDATE_CHARS:
        raise Refusal("msg_too_long")
    message = call.world.posting.add(channel, call.arguments, seen_by=member_id)
    return {"message_ts": message.ts}


def update(call: ApiCall) -> Json:
    """Give a message new content; text without blocks takes the blocks away."""
    channel = call.channel(call.required("channel"))
    message = channel.message(str(call.required("ts")))
    if message is None or message.is_ephemeral:
        raise Refusal("message_not_found")
    # Replies are out of reach here: https://github.com/slackapi/bolt-js/issues/2063.
    if message.is_reply or message.user != call.world.workspace.bot_user_id:
        raise Refusal("cant_update_message")
    if channel.is_archived:
        raise Refusal("is_inactive")  # https://docs.slack.dev/reference/methods/chat.update
    if len(str(call.get("text") or "")) > MAX_UPDATE_CHARS:
        raise Refusal("msg_too_long")
    call.world.posting.replace(message, call.arguments, edited=True)
    shown = message_json(call.world, message)
    where = {"channel": message.channel_id, "ts": message.ts}
    return {**where, "text": message.text, "message": shown}


METHODS = {
    "chat.postMessage": Method(post_message, ("chat:write",), tier="posts"),
    "chat.postEphemeral": Method(post_ephemeral, ("chat:write",), tier=4),
    "chat.update": Method(update, ("chat:write",), tier=3),
}


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
        "external_id": "",
        "state": {"values": view.state},
        "hash": view.hash,
        "clear_on_close": False,
        "notify_on_close": False,
        "root_view_id": view.root_id,
        "previous_view_id": view.previous_id,
        "app_id": workspace.app_id,
        "app_installed_team_id": installed_in,
        "bot_id": workspace.bot_id,
    }


def open_view(call: ApiCall) -> Json:
    payload = call.required("view")
    view = call.world.stacks.open(call.required("trigger_id"), payload)
    return {"view": view_json(call.world, view)}


def push_view(call: ApiCall) -> Json:
    payload = call.required("view")
    view = call.world.stacks.push(call.required("trigger_id"), payload)
    return {"view": view_json(call.world, view)}


def update_view(call: ApiCall) -> Json:
    payload = call.required("view")
    view = _named(call)
    call.world.stacks.update(view, payload, call.get("hash"))
    return {"view": view_json(call.world, view)}


def _named(call: ApiCall) -> View:
    view_id = call.required("view_id")
    for view in call.world.stacks.live():
        if view_id == view.id:
            return view
    raise Refusal("not_found")


def publish(call: ApiCall) -> Json:
    if not call.universe.app.settings.home_tab:
        raise Refusal("not_enabled")
    payload = call.required("view")
    member = call.member(call.required("user_id"))
    view = call.world.stacks.publish(member.id, payload, call.get("hash"))
    return {"view": view_json(call.world, view)}


VIEW_METHODS = {
    "views.open": Method(open_view, tier=4),
    "views.push": Method(push_view, tier=4),
    "views.update": Method(update_view, tier=4),
    "views.publish": Method(publish, tier=4),
}
