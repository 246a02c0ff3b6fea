"""Who did what to a workspace's settings, and when. Never a secret."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

import structlog

from bot.redaction import redact
from bot.store.base import Document, Documents
from bot.store.errors import ConflictError, StoreError
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

KIND = "audit"
MAX_ENTRIES = 500
# Whoever runs the bot: nobody in Slack. And Slack itself.
OPERATOR, SLACK = "operator", "slack"


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
    IMPORTED = "imported"
    APP_INSTALLED = "app-installed"
    APP_REINSTALLED = "app-reinstalled"
    ACCESS_REVOKED = "access-revoked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One act. `by` is the id of a person, OPERATOR or SLACK; `key` a key as people see it.

    `added` and `removed` are ids of people and user groups. `detail` is a few words of our own.
    """

    at: datetime
    by: str
    act: Act
    key: str | None = None
    channel_id: str | None = None
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    detail: str | None = None


class Audit:
    """The latest 500 acts of every workspace, in one document each.

    `on_act` learns that something was done in a workspace.
    """

    def __init__(
        self,
        documents: Documents,
        *,
        clock: Callable[[], datetime],
        on_act: Callable[[WorkspaceId], object] = lambda _workspace: None,
    ) -> None:
        self._documents = documents
        self._clock = clock
        self._on_act = on_act

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
        detail: str | None = None,
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
            detail=detail and redact(detail),
        )
        try:
            await self._add(workspace, encode(entry))
        except StoreError as error:
            logger.warning("not in the history", act=act.value, by=by, error=repr(error))
        self._on_act(workspace)

    async def note_digest(
        self, workspace: WorkspaceId, what: str, *, by: str, channel_id: str | None = None
    ) -> None:
        """See `bot.digests.desk.Notes`; `what` is the value of an Act."""
        await self.note(workspace, Act(what), by=by, channel_id=channel_id)

    async def entries(self, workspace: WorkspaceId) -> list[Entry]:
        """Return what was done, the latest first; raise StoreError."""
        document = await self._documents.get(_place(workspace))
        return entries_in(document) if document else []

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


def entries_in(document: Document) -> list[Entry]:
    """Return what was done, the latest first.

    Raises:
        LookupError, TypeError, ValueError: it is no document of this kind.
    """
    return [_decode(each) for each in reversed(document.value["entries"])]


def encode(entry: Entry) -> dict[str, Any]:
    """Return what an entry says, without what it does not."""
    value = {
        "at": entry.at.isoformat(),
        "by": entry.by,
        "act": entry.act.value,
        "key": entry.key,
        "channel_id": entry.channel_id,
        "added": list(entry.added),
        "removed": list(entry.removed),
        "detail": entry.detail,
    }
    return {name: each for name, each in value.items() if each}


def _place(workspace: WorkspaceId) -> str:
    return f"{workspace}/{KIND}"


def _decode(value: dict[str, Any]) -> Entry:
    return Entry(
        at=datetime.fromisoformat(value["at"]),
        by=value["by"],
        act=Act(value["act"]),
        key=value.get("key"),
        channel_id=value.get("channel_id"),
        added=tuple(value.get("added", ())),
        removed=tuple(value.get("removed", ())),
        detail=value.get("detail"),
    )
