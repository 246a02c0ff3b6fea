"""`conversations.*` and `usergroups.*`: channels and groups as the bot sees them."""

from collections.abc import Callable

from bot.playground.slack.block_contents import Json
from bot.playground.slack.errors import Refusal, bad_arguments
from bot.playground.slack.methods.call import ApiCall, Method, one_page
from bot.playground.slack.methods.chat import message_json
from bot.playground.slack.model import Channel, UserGroup

DEFAULT_LIMIT = 100  # https://docs.slack.dev/reference/methods/conversations.list
_READ = ("channels:read", "groups:read", "im:read", "mpim:read")
_SCOPE_OF_TYPE = {
    "public_channel": "channels:read",
    "private_channel": "groups:read",
    "im": "im:read",
    "mpim": "mpim:read",
}


def _kind(channel: Channel) -> str:
    if channel.is_im:
        return "im"
    return "private_channel" if channel.is_private else "public_channel"


def _channel_json(call: ApiCall, channel: Channel) -> Json:
    bot_user_id = call.world.workspace.bot_user_id
    if channel.is_im:
        person = next(iter(channel.members - {bot_user_id}), bot_user_id)
        return {"id": channel.id, "is_im": True, "user": person, "is_archived": False}
    return {
        "id": channel.id,
        "name": channel.name,
        "name_normalized": channel.name,
        "is_channel": not channel.is_private,
        "is_group": channel.is_private,
        "is_im": False,
        "is_mpim": False,
        "is_private": channel.is_private,
        "is_archived": channel.is_archived,
        "is_general": channel.name == "general",
        "is_ext_shared": channel.is_shared,
        "is_shared": channel.is_shared,
        "is_member": bot_user_id in channel.members,
    }


def open_(call: ApiCall) -> Json:
    """Open the direct message with one person."""
    if call.get("channel"):
        channel = call.channel(call.get("channel"))
    else:
        ids = str(call.required("users")).split(",")
        if len(ids) > 1:
            raise bad_arguments("the local Slack has no group messages")
        member = call.person(ids[0].strip())
        if member.deleted:
            raise Refusal("user_disabled")
        channel = call.world.workspace.direct_message(member)
    shown = _channel_json(call, channel) if call.is_set("return_im") else {"id": channel.id}
    return {"no_op": False, "already_open": False, "channel": shown}


def info(call: ApiCall) -> Json:
    """Describe one channel."""
    channel = call.channel(call.required("channel"))
    call.need(_SCOPE_OF_TYPE[_kind(channel)])
    shown = _channel_json(call, channel)
    if call.is_set("include_num_members"):
        shown["num_members"] = len(channel.members)
    return {"channel": shown}


def list_(call: ApiCall) -> Json:
    """List the channels that the bot can see, of the types asked for."""
    return _listed(call, call.sees)


def of_user(call: ApiCall) -> Json:
    """List the channels that the bot is in; of somebody else those that the bot sees.

    Unlike `conversations.list` it does not tell who is in them:
    https://docs.slack.dev/reference/methods/users.conversations
    """
    workspace = call.world.workspace
    wanted = str(call.get("user") or workspace.bot_user_id)
    if wanted not in workspace.members:
        raise Refusal("user_not_found")
    answer = _listed(call, lambda each: wanted in each.members and call.sees(each))
    for channel in answer["channels"]:
        channel.pop("is_member", None)
    return answer


def _listed(call: ApiCall, is_wanted: Callable[[Channel], bool]) -> Json:
    types = str(call.get("types") or "public_channel").split(",")
    for kind in types:
        if kind not in _SCOPE_OF_TYPE:
            raise Refusal("invalid_types")
        call.need(_SCOPE_OF_TYPE[kind])
    channels = {
        channel.id: channel
        for channel in call.world.workspace.channels.values()
        if _kind(channel) in types and is_wanted(channel)
        if not (channel.is_archived and call.is_set("exclude_archived"))
    }
    page, following = one_page(call, channels, DEFAULT_LIMIT)
    shown = [_channel_json(call, channel) for channel in page]
    return {"channels": shown, "response_metadata": following}


def members(call: ApiCall) -> Json:
    """List who is in a channel."""
    channel = call.channel(call.required("channel"))
    call.need(_SCOPE_OF_TYPE[_kind(channel)])
    page, following = one_page(call, {each: each for each in channel.members}, DEFAULT_LIMIT)
    return {"members": page, "response_metadata": following}


def replies(call: ApiCall) -> Json:
    """List a message and the replies in its thread; of a reply only itself.

    https://docs.slack.dev/reference/methods/conversations.replies. That apps outside of the
    Marketplace get one call a minute is not played.
    """
    channel, ts = call.channel(call.required("channel")), str(call.required("ts"))
    call.need(_SCOPE_OF_TYPE[_kind(channel)].replace(":read", ":history"))
    if call.world.workspace.bot_user_id not in channel.members:
        raise Refusal("not_in_channel")
    thread = {
        message.ts: message_json(call.world, message)
        for message in channel.messages
        if ts in (message.ts, message.thread_ts) and not message.is_ephemeral
    }
    if ts not in thread:
        raise Refusal("thread_not_found")
    page, following = one_page(call, thread, None)
    has_more = bool(following["next_cursor"])
    return {"messages": page, "has_more": has_more, "response_metadata": following}


METHODS = {
    "conversations.open": Method(open_, ("im:write", "mpim:write", "channels:manage")),
    "conversations.info": Method(info, _READ),
    "conversations.list": Method(list_, _READ, acts_in="team_id"),
    "conversations.members": Method(members, _READ),
    "conversations.replies": Method(replies, tuple(f"{each[:-5]}:history" for each in _READ)),
    "users.conversations": Method(of_user, _READ, acts_in="team_id"),
}


def list_groups(call: ApiCall) -> Json:
    """List the user groups of the workspace; none is disabled here."""
    groups = call.world.workspace.user_groups.values()
    return {"usergroups": [_group_json(call, group) for group in groups]}


def _group_json(call: ApiCall, group: UserGroup) -> Json:
    """https://docs.slack.dev/reference/objects/usergroup-object."""
    shown: Json = {
        "id": group.id,
        "team_id": call.world.workspace.team_id,
        "is_usergroup": True,
        "is_subteam": True,
        "name": group.name,
        "description": "",
        "handle": group.handle,
        "is_external": False,
        "date_create": 1_446_598_059,
        "date_update": 1_446_670_362,
        "date_delete": 0,
        "auto_type": None,
        "created_by": group.members[0],
        "updated_by": group.members[0],
        "deleted_by": None,
        "prefs": {"channels": [], "groups": []},
    }
    if call.is_set("include_users"):
        shown["users"] = list(group.members)
    if call.is_set("include_count"):
        shown["user_count"] = len(group.members)
    return shown


def list_members_of_group(call: ApiCall) -> Json:
    """List the members of one group: https://docs.slack.dev/reference/methods/usergroups.users.list."""
    group = call.world.workspace.user_groups.get(str(call.required("usergroup")))
    if group is None:
        raise Refusal("no_such_subteam")
    return {"users": list(group.members)}


_SCOPES = ("usergroups:read",)
GROUP_METHODS = {
    "usergroups.list": Method(list_groups, _SCOPES, acts_in="team_id"),
    "usergroups.users.list": Method(list_members_of_group, _SCOPES, acts_in="team_id"),
}
