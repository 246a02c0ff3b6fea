"""The workspace's API key: its form, what is known of it, and where it is kept sealed."""

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime
from typing import Any

from bot.errors import BotError
from bot.store.base import Documents
from bot.store.errors import ConflictError
from bot.store.sealed import KeyRing, about
from bot.workspace import WorkspaceId

# Service document, sections 2.1 and 8.
KEY_PREFIX = "service_sk_"
KEY_CHARS = 52
# A bearer token's characters: RFC 6750, section 2.1. Anything else could not be sent in a header.
_KEY = re.compile(rf"{KEY_PREFIX}[A-Za-z0-9._~+/=-]+")
# Service document, section 5.2, which says that there may be more.
SCOPES = (
    "read_domains",
    "write_domains",
    "read_reports",
    "write_reports",
    "read_alerts",
    "write_alerts",
    "admin",
)


class NoKeyError(BotError):
    """The workspace has no API key yet."""


class KeyFormError(BotError):
    """What was given as a key cannot be one: wrong beginning, length or characters."""


class ExpiredDraftError(BotError):
    """The key that somebody entered has expired by what they say of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyDraft:
    """A key as an admin typed it, and what they said of it. `expires_on` is `None`: not known."""

    secret: str = field(repr=False)
    label: str
    expires_on: date | None
    scopes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRecord:
    """What may be shown of a workspace's key.

    `refused_at`: since when the service calls it invalid, or `None`; `told_at`: when whoever set
    it was told so. `lacks`: the operations
    ("list", "add", "scan") for which the service said that its scopes do not suffice.
    """

    last4: str
    label: str
    expires_on: date | None
    scopes: tuple[str, ...]
    set_by: str
    set_at: datetime
    refused_at: datetime | None = None
    told_at: datetime | None = None
    lacks: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The key as people see it."""
        return f"{KEY_PREFIX}…{self.last4}"


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A key in use: its value for the request, how it is sealed, its record for people."""

    secret: str = field(repr=False)
    sealed: str = field(repr=False)
    record: KeyRecord


def checked_secret(typed: str) -> str:
    """Return the key in `typed`, without the space around it, or raise KeyFormError."""
    secret = typed.strip()
    if len(secret) != KEY_CHARS or not _KEY.fullmatch(secret):
        raise KeyFormError("not the form of an API key")
    return secret


class Keys:
    """Every workspace's key, one document each, sealed for that workspace alone."""

    def __init__(
        self, documents: Documents, ring: KeyRing, *, clock: Callable[[], datetime]
    ) -> None:
        self._documents = documents
        self._ring = ring
        self._clock = clock

    async def record(self, workspace: WorkspaceId) -> KeyRecord | None:
        """Return what is known of the key, or `None` when there is none."""
        document = await self._documents.get(_place(workspace))
        return _decode(document.value) if document else None

    async def stored(self, workspace: WorkspaceId) -> StoredKey:
        """Return the key to call the service with, or raise NoKeyError.

        Raises:
            UnreadableSecretError: it was sealed for another workspace, or with a lost key.
        """
        document = await self._documents.get(_place(workspace))
        if document is None:
            raise NoKeyError("no key in this workspace")
        sealed = document.value["sealed"]
        secret = self._ring.unseal(sealed, _about(workspace))
        return StoredKey(secret, sealed, _decode(document.value))

    async def save(self, workspace: WorkspaceId, draft: KeyDraft, *, set_by: str) -> KeyRecord:
        """Keep a key that was just seen to work, in the place of any other."""
        record = KeyRecord(
            last4=draft.secret[-4:],
            label=draft.label,
            expires_on=draft.expires_on,
            scopes=draft.scopes,
            set_by=set_by,
            set_at=self._clock(),
        )
        sealed = self._ring.seal(draft.secret, _about(workspace))
        await self._documents.put(_place(workspace), _encode(record, sealed))
        return record

    async def remove(self, workspace: WorkspaceId) -> bool:
        """Forget the key; say whether there was one."""
        return await self._documents.delete(_place(workspace))

    async def note_refused(self, workspace: WorkspaceId, key: StoredKey) -> bool:
        """Remember that the service calls `key` invalid; say whether that is news."""
        now = self._clock()
        return await self._note(
            workspace, key, lambda record: replace(record, refused_at=record.refused_at or now)
        )

    async def note_accepted(self, workspace: WorkspaceId, key: StoredKey, operation: str) -> bool:
        """Remember that `key` works, and for this operation too; say whether that is news."""
        if not key.record.refused_at and operation not in key.record.lacks:
            return False

        def better(record: KeyRecord) -> KeyRecord:
            lacks = tuple(name for name in record.lacks if name != operation)
            return replace(record, refused_at=None, told_at=None, lacks=lacks)

        return await self._note(workspace, key, better)

    async def note_lacking(self, workspace: WorkspaceId, key: StoredKey, operation: str) -> bool:
        """Remember that the scopes of `key` do not cover `operation`; say whether that is news."""
        return await self._note(
            workspace,
            key,
            lambda record: replace(record, lacks=tuple(dict.fromkeys((*record.lacks, operation)))),
        )

    async def note_told(self, workspace: WorkspaceId, key: StoredKey) -> bool:
        """Remember that whoever set `key` was told that it is refused."""
        now = self._clock()
        return await self._note(workspace, key, lambda record: replace(record, told_at=now))

    async def _note(
        self, workspace: WorkspaceId, key: StoredKey, change: Callable[[KeyRecord], KeyRecord]
    ) -> bool:
        """Change the record as it is now, unless `key` is no longer there; say if it changed."""
        while True:
            document = await self._documents.get(_place(workspace))
            if document is None or document.value["sealed"] != key.sealed:
                return False
            record = _decode(document.value)
            if (changed := change(record)) == record:
                return False
            try:
                value = _encode(changed, key.sealed)
                await self._documents.put(_place(workspace), value, if_rev=document.rev)
            except ConflictError:
                continue  # another note was faster: look again
            return True


def _place(workspace: WorkspaceId) -> str:
    return f"{workspace}/key"


def _about(workspace: WorkspaceId) -> str:
    return about("api-key", workspace)


def _encode(record: KeyRecord, sealed: str) -> dict[str, Any]:
    value = asdict(record)
    for name in ("expires_on", "set_at", "refused_at", "told_at"):
        value[name] = value[name] and value[name].isoformat()
    return {"v": 1, "sealed": sealed, **value}


def _decode(value: dict[str, Any]) -> KeyRecord:
    return KeyRecord(
        last4=value["last4"],
        label=value["label"],
        expires_on=value["expires_on"] and date.fromisoformat(value["expires_on"]),
        scopes=tuple(value["scopes"]),
        set_by=value["set_by"],
        set_at=datetime.fromisoformat(value["set_at"]),
        refused_at=_moment(value.get("refused_at")),
        told_at=_moment(value.get("told_at")),
        lacks=tuple(value.get("lacks", ())),
    )


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
