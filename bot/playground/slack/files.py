"""Files: what was announced, uploaded and shared.

https://docs.slack.dev/messaging/working-with-files
"""

import mimetypes
import secrets
from dataclasses import dataclass

from bot.playground.slack.block_contents import Json
from bot.playground.slack.model import Message, Workspace
from bot.playground.slack.posting import Posting
from bot.playground.slack.refusals import Refusal


@dataclass
class File:
    """One file. `content` is None until it is uploaded; `length` is what was announced."""

    id: str
    name: str
    length: int
    created: int  # Unix seconds
    content: bytes | None = None
    title: str = ""
    is_complete: bool = False
    message: Message | None = None  # in which it was shared; None: only the app sees it

    @property
    def mimetype(self) -> str:
        return mimetypes.guess_type(self.name)[0] or "application/octet-stream"


class Files:
    """All files of a workspace, by the ticket of the upload and by their id."""

    def __init__(self, workspace: Workspace, posting: Posting) -> None:
        self._workspace = workspace
        self._posting = posting
        self._by_ticket: dict[str, File] = {}
        self._by_id: dict[str, File] = {}
        self.base = ""  # the address of Slack, once it is known

    def announce(self, name: str, length: int) -> Json:
        """Return the id of a file to come, and the address that takes its bytes."""
        file = File(self._workspace.new_id("F"), name, length, int(self._workspace.clock()))
        ticket = secrets.token_hex(24)
        self._by_ticket[ticket] = self._by_id[file.id] = file
        path = f"upload/v1/{self._workspace.team_id}/{ticket}"
        return {"file_id": file.id, "upload_url": f"{self.base}/{path}"}

    def take(self, ticket: str, content: bytes) -> None:
        """Take the bytes of an announced file, once, and as many as announced. Raises: Refusal."""
        file = self._by_ticket.get(ticket)
        if file is None or file.content is not None:
            raise Refusal("upload_not_found", status=404)
        if len(content) != file.length:
            raise Refusal("length_mismatch", status=400)
        file.content = content

    def complete(self, titles: dict[str, str]) -> list[File]:
        """Finish uploads by id, each with its title. Raises: Refusal, and finishes none."""
        found = [self._by_id.get(file_id) for file_id in titles]
        files = [each for each in found if each and each.content is not None]
        if len(files) < len(titles) or any(file.is_complete for file in files):
            raise Refusal("file_not_found")
        for file in files:
            file.title, file.is_complete = titles[file.id] or file.name, True
        return files

    def share(self, files: list[File], channel_id: str, sent: Json) -> Message:
        """Post files in one message, with `text` and `thread_ts` of `sent`. Raises: Refusal."""
        shown = [self.file_json(file) for file in files]
        channel = self._workspace.channels[channel_id]
        message = self._posting.add(channel, sent, files=shown)
        for file in files:
            file.message = message
        return message

    def file_json(self, file: File) -> Json:
        """Return a file object, without where it is shared, which becomes known later.

        https://docs.slack.dev/reference/objects/file-object and
        https://github.com/slackapi/bolt-js/issues/2115.
        """
        folder = f"{self.base}/files-pri/{self._workspace.team_id}-{file.id}"
        return {
            "id": file.id,
            "created": file.created,
            "timestamp": file.created,
            "name": file.name,
            "title": file.title,
            "mimetype": file.mimetype,
            "filetype": file.name.rpartition(".")[2],
            "user": self._workspace.bot_user_id,
            "user_team": self._workspace.team_id,
            "mode": "hosted",
            "size": file.length,
            "is_external": False,
            "is_public": False,
            "url_private": f"{folder}/{file.name}",
            "url_private_download": f"{folder}/download/{file.name}",
            "channels": [],
            "groups": [],
            "ims": [],
            "shares": {},
        }

    def shared(self, file_id: str) -> tuple[File, Message]:
        """Return a file, and the message in which it is shared. Raises: Refusal."""
        file = self._by_id.get(file_id)
        if file is None or file.message is None:
            raise Refusal("file_not_found", status=404)
        return file, file.message
