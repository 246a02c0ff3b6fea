"""`conversations.*`: channels as the bot sees them."""

import base64
from bisect import bisect_left
from collections.abc import Mapping
from typing import Any, TypeVar

from bot.playground.slack.methods.call import ApiCall, Method
from bot.playground.slack.model import Channel
from bot.playground.slack.refusals import Refusal, bad_arguments

Json = dict[str, Any]
T = TypeVar("T")

MAX_LIMIT = 999  # "under 1000": https://docs.slack.dev/reference/methods/conversations.members
_CURSOR = "from:"
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


def _page(call: ApiCall, things: Mapping[str, T]) -> tuple[list[T], Json]:
    """Return one page of things by id, and the `response_metadata` that leads to the next.

    https://docs.slack.dev/apis/web-api/pagination: a cursor holds the id of the first thing to
    come, so that it leads on where others join or leave meanwhile.
    """
    ids = sorted(things)
    start = bisect_left(ids, _decoded_cursor(call.get("cursor")))
    page, rest = ids[start : start + _limit(call)], ids[start + _limit(call) :]
    following = base64.b64encode(f"{_CURSOR}{rest[0]}".encode()).decode() if rest else ""
    return [things[each] for each in page], {"next_cursor": following}


def _limit(call: ApiCall) -> int:
    try:
        limit = int(call.get("limit") or 100)
    except (TypeError, ValueError) as error:
        raise Refusal("invalid_limit") from error
    if not 1 <= limit <= MAX_LIMIT:
        raise Refusal("invalid_limit")
    return limit


def _decoded_cursor(cursor: object) -> str:
    """Return the id that a cursor begins with; empty for the first page. Raises: Refusal."""
    if not cursor:
        return ""
    try:
        text = base64.b64decode(str(cursor), validate=True).decode()
    except ValueError as error:
        raise Refusal("invalid_cursor") from error
    if not text.startswith(_CURSOR):
        raise Refusal("invalid_cursor")
    return text.removeprefix(_CURSOR)


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
    types = str(call.get("types") or "public_channel").split(",")
    for kind in types:
        if kind not in _SCOPE_OF_TYPE:
            raise Refusal("invalid_types")
        call.need(_SCOPE_OF_TYPE[kind])
    channels = {
        channel.id: channel
        for channel in call.world.workspace.channels.values()
        if _kind(channel) in types and call.sees(channel)
        if not (channel.is_archived and call.is_set("exclude_archived"))
    }
    page, following = _page(call, channels)
    shown = [_channel_json(call, channel) for channel in page]
    return {"channels": shown, "response_metadata": following}


def members(call: ApiCall) -> Json:
    """List who is in a channel."""
    channel = call.channel(call.required("channel"))
    call.need(_SCOPE_OF_TYPE[_kind(channel)])
    page, following = _page(call, {member_id: member_id for member_id in channel.members})
    return {"members": page, "response_metadata": following}


METHODS = {
    "conversations.open": Method(open_, ("im:write", "mpim:write", "channels:manage")),
    "conversations.info": Method(info, _READ),
    "conversations.list": Method(list_, _READ),
    "conversations.members": Method(members, _READ),
}
