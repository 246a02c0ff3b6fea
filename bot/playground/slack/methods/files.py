"""`files.*`: uploading. https://docs.slack.dev/messaging/working-with-files#uploading_files."""

import re
from typing import Any

from bot.playground.slack.block_contents import Json
from bot.playground.slack.errors import Refusal, bad_arguments
from bot.playground.slack.methods.call import ApiCall, Method
from bot.playground.slack.methods.chat import may_post

_MAX_ALT_CHARS = 1_000
_CHANNEL_ID = re.compile(r"[CGDZ][A-Z0-9]{8,}")


def get_upload_url(call: ApiCall) -> Json:
    """Return where the bytes of a file go."""
    name = str(call.required("filename"))
    try:
        length = int(call.required("length"))
    except (TypeError, ValueError) as error:
        raise bad_arguments("must be an integer [json-pointer:/length]") from error
    if length <= 0:
        # "Typically only occurs when the length provided is 0", the method's page says.
        raise Refusal("missing_argument")
    if len(str(call.get("alt_txt") or "")) > _MAX_ALT_CHARS:
        raise Refusal("alt_txt_too_large")
    return call.world.files.announce(name, length)


def complete_upload(call: ApiCall) -> Json:
    """Finish uploads, and share them in one channel; without one only the app sees them."""
    titles, channel_id = _titles(call.required("files")), call.get("channel_id")
    if call.get("channels"):
        raise bad_arguments("the local Slack shares files in one channel: channel_id")
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


_SCOPES = ("files:write",)
METHODS = {
    "files.getUploadURLExternal": Method(get_upload_url, _SCOPES),
    "files.completeUploadExternal": Method(complete_upload, _SCOPES),
}
