"""`conversations.*`, `usergroups.*` and `files.*`: channels, groups and uploads of the bot.

https://docs.slack.dev/messaging/working-with-files#uploading_files
"""

import re
from typing import Any

from bot.playground.slack.block_contents import Json
from bot.playground.slack.methods.call import ApiCall, Method, one_page
from bot.playground.slack.methods.chat import may_post
from bot.playground.slack.model import Channel, UserGroup
from bot.playground.slack.refusals import Refusal, bad_arguments

DEFAULT_LIMIT = 100  # https://docs.slack.dev/reference/methods/users.conversations
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
    member = call.person(call.required("users"))
    if member.deleted:
        raise Refusal("user_disabled")
    channel = call.world.workspace.direct_message(member)
    return {"no_op": False, "already_open": False, "channel": {"id": channel.id}}


def info(call: ApiCall) -> Json:
    channel = call.channel(call.required("channel"))
    call.need(_SCOPE_OF_TYPE[_kind(channel)])
    return {"channel": _channel_json(call, channel)}


def of_user(call: ApiCall) -> Json:
    """List the channels that the bot is in; of somebody else those that the bot sees.

    https://docs.slack.dev/reference/methods/users.conversations: without `is_member`.
    """
    workspace = call.world.workspace
    wanted = str(call.get("user") or workspace.bot_user_id)
    if wanted not in workspace.members:
        raise Refusal("user_not_found")
    types = str(call.get("types") or "public_channel").split(",")
    for kind in types:
        if kind not in _SCOPE_OF_TYPE:
            raise Refusal("invalid_types")
        call.need(_SCOPE_OF_TYPE[kind])
    channels = {
        channel.id: channel
        for channel in workspace.channels.values()
        if _kind(channel) in types and wanted in channel.members and call.sees(channel)
        if not (channel.is_archived and call.is_set("exclude_archived"))
    }
    page, following = one_page(call, channels, DEFAULT_LIMIT)
    shown = [_channel_json(call, channel) for channel in page]
    for channel in shown:
        channel.pop("is_member", None)
    return {"channels": shown, "response_metadata": following}


def members(call: ApiCall) -> Json:
    channel = call.channel(call.required("channel"))
    call.need(_SCOPE_OF_TYPE[_kind(channel)])
    page, following = one_page(call, {each: each for each in channel.members}, DEFAULT_LIMIT)
    return {"members": page, "response_metadata": following}


METHODS = {
    "conversations.open": Method(open_, ("im:write",), tier=3),
    "conversations.info": Method(info, _READ, tier=3),
    "conversations.members": Method(members, _READ, tier=4),
    "users.conversations": Method(of_user, _READ, acts_in="team_id", tier=2),
}


def list_groups(call: ApiCall) -> Json:
    """List the user groups of the workspace; none is disabled here."""
    groups = call.world.workspace.user_groups.values()
    return {"usergroups": [_group_json(call, group) for group in groups]}


def _group_json(call: ApiCall, group: UserGroup) -> Json:
    """https://docs.slack.dev/reference/objects/usergroup-object."""
    return {
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


_SCOPES = ("usergroups:read",)
GROUP_METHODS = {
    "usergroups.list": Method(list_groups, _SCOPES, acts_in="team_id", tier=2),
}


_CHANNEL_ID = re.compile(r"[CGDZ][A-Z0-9]{8,}")


def get_upload_url(call: ApiCall) -> Json:
    name = str(call.required("filename"))
    try:
        length = int(call.required("length"))
    except (TypeError, ValueError) as error:
        raise bad_arguments("must be an integer [json-pointer:/length]") from error
    if length <= 0:
        # "Typically only occurs when the length provided is 0", the method's page says.
        raise Refusal("missing_argument")
    return call.world.files.announce(name, length)


def complete_upload(call: ApiCall) -> Json:
    """Finish uploads, and share them in one channel; without one only the app sees them."""
    titles, channel_id = _titles(call.required("files")), call.get("channel_id")
    if channel_id:
        _check_place(call, str(channel_id))
    files = call.world.files.complete(titles)
    if channel_id:
        sent = {"text": call.get("initial_comment"), "thread_ts": call.get("thread_ts")}
        call.world.files.share(files, str(channel_id), sent)
    return {"files": [call.world.files.file_json(file) for file in files]}


def _titles(files: Any) -> dict[str, str]:
    if not isinstance(files, list) or not files:
        raise bad_arguments("must provide an array of files [json-pointer:/files]")
    if not all(isinstance(file, dict) and file.get("id") for file in files):
        raise bad_arguments("missing required field: id [json-pointer:/files/0]")
    return {str(file["id"]): str(file.get("title") or "") for file in files}


def _check_place(call: ApiCall, channel_id: str) -> None:
    """Pass if the app may share files there.

    A person's id or a channel's name is none that fits, and `chat:write.public` does not help:
    https://github.com/slackapi/bolt-js/issues/2115, https://github.com/getnao/nao/issues/1372.
    """
    if not _CHANNEL_ID.fullmatch(channel_id):
        raise bad_arguments(
            "input must match regex pattern: ^[CGDZ][A-Z0-9]{8,}$ [json-pointer:/channel_id]"
        )
    channel = call.channel(channel_id)
    may_post(call, channel)
    if call.world.workspace.bot_user_id not in channel.members:
        raise Refusal("not_in_channel")


_FILE_SCOPES = ("files:write",)
FILE_METHODS = {
    "files.getUploadURLExternal": Method(get_upload_url, _FILE_SCOPES, tier=4),
    "files.completeUploadExternal": Method(complete_upload, _FILE_SCOPES, tier=4),
}
