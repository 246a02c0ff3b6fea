"""Record what admins and managers did."""

from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from enum import Enum

import msgspec

from bot.process.clock import Clock
from bot.process.errors import log_and_suppress
from bot.process.redaction import redact
from bot.process.workspace import WorkspaceId
from bot.store.documents import Document, Documents, StoreError, Write, update

HISTORY_KIND = "audit"
# As many as a form shows.
MAX_ENTRIES = 200
# The actor that is no person.
SLACK = "slack"


class Act(Enum):
    """The kinds of entries. The values are stored."""

    KEY_SET = "key-set"
    KEY_REPLACED = "key-replaced"
    KEY_ROLLED_BACK = "key-rolled-back"
    KEY_REMOVED = "key-removed"
    EARLIER_KEY_FORGOTTEN = "earlier-key-forgotten"
    MANAGERS_CHANGED = "managers-changed"
    AUDIENCES_CHANGED = "audiences-changed"
    DIGEST_MADE = "digest-made"
    DIGEST_CHANGED = "digest-changed"
    DIGEST_PAUSED = "digest-paused"
    DIGEST_RESUMED = "digest-resumed"
    DIGEST_DELETED = "digest-deleted"
    NIGHTLY_SCANS_ON = "nightly-scans-on"
    NIGHTLY_SCANS_OFF = "nightly-scans-off"
    APP_INSTALLED = "app-installed"
    APP_REINSTALLED = "app-reinstalled"
    ACCESS_REVOKED = "access-revoked"


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One act. `by` is the id of a person, or SLACK; `key` a key as people see it.

    `added` and `removed` are ids of people. `detail` is a few words of our own.
    """

    at: datetime
    by: str
    act: Act
    key: str | None = None
    channel_id: str | None = None
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Audit:
    """The latest acts of every workspace, in one document each."""

    documents: Documents
    _: KW_ONLY
    clock: Clock

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
        """Record an act. A store that fails is only logged."""
        entry = Entry(
            at=self.clock(),
            by=by,
            act=act,
            key=key and redact(key),
            channel_id=channel_id,
            added=added,
            removed=removed,
            detail=detail and redact(detail),
        )

        def with_entry(document: Document | None) -> Write:
            before = document.value["entries"] if document else []
            return Write({"v": 1, "entries": [*before, msgspec.to_builtins(entry)][-MAX_ENTRIES:]})

        with log_and_suppress("not in the history", StoreError, act=act.value, by=by):
            await update(self.documents, f"{workspace}/{HISTORY_KIND}", with_entry)

    async def entries(self, workspace: WorkspaceId) -> list[Entry]:
        """Return the acts, the latest first; raise StoreError."""
        document = await self.documents.get(f"{workspace}/{HISTORY_KIND}")
        kept = document.value["entries"] if document else []
        return [msgspec.convert(each, Entry) for each in reversed(kept)]
