"""Keep commands typed before the workspace had a key, for a quarter of an hour."""

import hashlib
import json
from dataclasses import asdict, dataclass
from datetime import timedelta
from operator import attrgetter

from bot.process.clock import Clock
from bot.process.redaction import redact
from bot.process.workspace import WorkspaceId
from bot.store.documents import Documents
from bot.store.encryption import KeyRing, associated_data

# Slack takes answers to a command for half an hour:
# https://docs.slack.dev/interactivity/handling-user-interaction
KEPT_FOR = timedelta(minutes=15)
KIND = "kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCommand:
    """A command line and where its answer goes; `response_url` and `channel_id` may be `None`."""

    command: str
    text: str
    user_id: str
    channel_id: str | None
    response_url: str | None


class KeptCommands:
    """Each person's commands, each once; sealed because of a response_url."""

    def __init__(self, documents: Documents, ring: KeyRing, *, clock: Clock) -> None:
        self._documents = documents
        self._ring = ring
        self._clock = clock

    async def keep(self, workspace: WorkspaceId, command: KeptCommand) -> None:
        body = asdict(command) | {"text": redact(command.text)}
        sealed = self._ring.encrypt(json.dumps(body), _about(workspace, command.user_id))
        name = hashlib.sha256(f"{command.command} {command.text}".encode()).hexdigest()[:16]
        await self._documents.put(
            f"{workspace}/{KIND}/{command.user_id}/{name}",
            {"v": 1, "sealed": sealed},
            due_at=self._clock() + KEPT_FOR,
        )

    async def take_all(self, workspace: WorkspaceId) -> list[KeptCommand]:
        """Return and delete the commands of a workspace that have not expired, oldest first."""
        taken, now = [], self._clock()
        kept = await self._documents.list_prefix(f"{workspace}/{KIND}/")
        for document in sorted(kept, key=attrgetter("due_at")):
            is_mine = await self._documents.delete(document.key)
            if is_mine and document.due_at and document.due_at > now:
                user_id = document.key.split("/")[2]
                body = self._ring.decrypt(document.value["sealed"], _about(workspace, user_id))
                taken.append(KeptCommand(**json.loads(body) | {"user_id": user_id}))
        return taken


def _about(workspace: WorkspaceId, user_id: str) -> str:
    return associated_data("kept-command", workspace, user_id)
