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
    """A key in use: its value for the request, its record for people."""

    secret: str = field(repr=False)
    record: KeyRecord
    rev: int


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
        secret = self._ring.unseal(document.value["sealed"], _about(workspace))
        return StoredKey(secret, _decode(document.value), document.rev)

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
        if key.record.refused_at:
            return False
        return await self._change(workspace, key, replace(key.record, refused_at=self._clock()))

    async def note_accepted(self, workspace: WorkspaceId, key: StoredKey, operation: str) -> bool:
        """Remember that `key` works, and for this operation too; say whether that is news."""
        lacks = tuple(name for name in key.record.lacks if name != operation)
        better = replace(key.record, refused_at=None, told_at=None, lacks=lacks)
        return better != key.record and await self._change(workspace, key, better)

    async def note_lacking(self, workspace: WorkspaceId, key: StoredKey, operation: str) -> bool:
        """Remember that the scopes of `key` do not cover `operation`; say whether that is news."""
        if operation in key.record.lacks:
            return False
        lacks = (*key.record.lacks, operation)
        return await self._change(workspace, key, replace(key.record, lacks=lacks))

    async def note_told(self, workspace: WorkspaceId) -> bool:
        """Remember that whoever set the key was told that it is refused."""
        key = await self.stored(workspace)
        is_refused = key.record.refused_at is not None
        told = replace(key.record, told_at=self._clock())
        return is_refused and await self._change(workspace, key, told)

    async def _change(self, workspace: WorkspaceId, key: StoredKey, record: KeyRecord) -> bool:
        document = await self._documents.get(_place(workspace))
        if document is None or document.rev != key.rev:
            return False  # replaced or removed meanwhile: this is no news of the present key
        try:
            value = _encode(record, document.value["sealed"])
            await self._documents.put(_place(workspace), value, if_rev=document.rev)
        except ConflictError:
            return False
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
        refused_at=value["refused_at"] and datetime.fromisoformat(value["refused_at"]),
        told_at=value["told_at"] and datetime.fromisoformat(value["told_at"]),
        lacks=tuple(value["lacks"]),
    )
