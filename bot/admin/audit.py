"""Who did what to a workspace's settings, and when. Never a secret."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

import structlog

from bot.redaction import redact
from bot.store.base import Documents
from bot.store.errors import ConflictError, StoreError
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

KIND = "audit"
MAX_ENTRIES = 500


class Act(Enum):
    """What was done. The values are kept, and exported."""

    KEY_SET = "key-set"
    KEY_REPLACED = "key-replaced"
    KEY_ROLLED_BACK = "key-rolled-back"
    KEY_REMOVED = "key-removed"
    EARLIER_KEY_FORGOTTEN = "earlier-key-forgotten"
    MANAGERS_CHANGED = "managers-changed"
    DIGEST_MADE = "digest-made"
    DIGEST_CHANGED = "digest-changed"
    DIGEST_PAUSED = "digest-paused"
    DIGEST_RESUMED = "digest-resumed"
    DIGEST_DELETED = "digest-deleted"
    DIGESTS_RESTRICTED = "digests-restricted"
    DIGESTS_UNRESTRICTED = "digests-unrestricted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One act. `key` is a key as people see it; `added` and `removed` are ids of people."""

    at: datetime
    by: str
    act: Act
    key: str | None = None
    channel_id: str | None = None
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class Audit:
    """The latest 500 acts of every workspace, in one document each."""

    def __init__(self, documents: Documents, *, clock: Callable[[], datetime]) -> None:
        self._documents = documents
        self._clock = clock

    async def note(
        self,
        workspace: WorkspaceId,
        act: Act,
        *,
        by: str,
        key: str | None = None,
        channel_id: str | None = None,
        added: tuple[str, ...] = (),
        removed: tuple[str, ...] = (),
    ) -> None:
        """Add what was just done. A store that fails is logged: what was done stays done."""
        entry = Entry(
            at=self._clock(),
            by=by,
            act=act,
            key=key and redact(key),
            channel_id=channel_id,
            added=added,
            removed=removed,
        )
        try:
            await self._add(workspace, _encode(entry))
        except StoreError as error:
            logger.warning("not in the history", act=act.value, by=by, error=repr(error))

    async def note_digest(
        self, workspace: WorkspaceId, what: str, *, by: str, channel_id: str | None = None
    ) -> None:
        """See `bot.digests.desk.Notes`; `what` is the value of an Act."""
        await self.note(workspace, Act(what), by=by, channel_id=channel_id)

    async def entries(self, workspace: WorkspaceId) -> list[Entry]:
        """Return what was done, the latest first; raise StoreError."""
        document = await self._documents.get(_place(workspace))
        return [_decode(each) for each in reversed(document.value["entries"])] if document else []

    async def _add(self, workspace: WorkspaceId, entry: dict[str, Any]) -> None:
        while True:
            document = await self._documents.get(_place(workspace))
            before = document.value["entries"] if document else []
            value = {"v": 1, "entries": [*before, entry][-MAX_ENTRIES:]}
            try:
                await self._documents.put(
                    _place(workspace), value, if_rev=document.rev if document else 0
                )
            except ConflictError:
                continue  # another act was noted first: look again
            return


def _place(workspace: WorkspaceId) -> str:
    return f"{workspace}/{KIND}"


def _encode(entry: Entry) -> dict[str, Any]:
    value = {
        "at": entry.at.isoformat(),
        "by": entry.by,
        "act": entry.act.value,
        "key": entry.key,
        "channel_id": entry.channel_id,
        "added": list(entry.added),
        "removed": list(entry.removed),
    }
    return {name: each for name, each in value.items() if each}


def _decode(value: dict[str, Any]) -> Entry:
    return Entry(
        at=datetime.fromisoformat(value["at"]),
        by=value["by"],
        act=Act(value["act"]),
        key=value.get("key"),
        channel_id=value.get("channel_id"),
        added=tuple(value.get("added", ())),
        removed=tuple(value.get("removed", ())),
    )
