"""Decide who may manage a workspace's key, add and scan; record what managers did."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from enum import Enum
from typing import Any

import msgspec

from bot.dispatch.commands import COMMANDS, Audience
from bot.process.clock import Clock
from bot.process.errors import BotError, NotAllowedError, log_and_suppress
from bot.process.redaction import redact
from bot.process.workspace import WorkspaceId
from bot.store.documents import Document, Documents, StoreError, Write, update

KIND = "managers"
MAX_MANAGERS = 20
AUDIENCES_KIND = "audiences"
# The operations whose audience admins choose: until then it is that of their command.
CHOSEN_FOR = ("add", "scan")
DEFAULT_AUDIENCES = {
    each.operation: each.audience for each in COMMANDS.values() if each.operation in CHOSEN_FOR
}
# How the store names an audience.
AUDIENCE_NAMES = {
    "everyone": Audience.GUESTS,
    "no-guests": Audience.MEMBERS,
    "managers": Audience.MANAGERS,
}
HISTORY_KIND = "audit"
# As many as a form shows.
MAX_ENTRIES = 200
# The actor that is no person.
SLACK = "slack"


class NotAManagerError(NotAllowedError):
    """Only admins, owners and the managers that they named may do this.

    `is_in_organisation`: the workspace is in one, whose admins Slack may not name.
    """

    def __init__(
        self, managers: tuple[str, ...] = (), *, is_in_organisation: bool = False
    ) -> None:
        self.managers = managers
        self.is_in_organisation = is_in_organisation
        super().__init__("neither admin nor manager")


class NotAnAdminError(NotAManagerError):
    """Only admins and owners may do this, managers may not."""


class OutsideAudienceError(NotAllowedError):
    """The workspace's admins chose a smaller audience for "add" or "scan".

    `managers` as in `NotAManagerError`, if the audience is the managers.
    """

    def __init__(
        self,
        operation: str = "add",
        audience: Audience = Audience.MEMBERS,
        managers: tuple[str, ...] = (),
    ) -> None:
        self.operation = operation
        self.audience = audience
        self.managers = managers
        super().__init__(f"may not {operation}")


class UnfitManagerError(BotError):
    """A named person cannot be a manager: a guest, a bot, of elsewhere, or gone."""

    def __init__(self, user_ids: tuple[str, ...] = ()) -> None:
        self.user_ids = user_ids
        super().__init__("a guest, a bot, a stranger, or gone")


@dataclass(frozen=True, slots=True)
class Managers:
    """The ids of the named managers. `access/permissions.py` also asks Slack about them.

    Every method may raise StoreError.
    """

    documents: Documents

    async def named(self, workspace: WorkspaceId) -> tuple[str, ...]:
        document = await self.documents.get(f"{workspace}/{KIND}")
        return decode(document) if document else ()

    async def name(self, workspace: WorkspaceId, user_ids: tuple[str, ...]) -> tuple[str, ...]:
        """Replace the managers; return those before."""
        before: tuple[str, ...] = ()

        def written(document: Document | None) -> Write:
            nonlocal before
            before = decode(document) if document else ()
            return Write({"v": 1, "user_ids": user_ids})

        await update(self.documents, f"{workspace}/{KIND}", written)
        return before


def decode(document: Document) -> tuple[str, ...]:
    return tuple(document.value["user_ids"])


@dataclass(frozen=True, slots=True)
class Audiences:
    """Who may add and who may scan. Every method may raise StoreError."""

    documents: Documents

    async def chosen(self, workspace: WorkspaceId) -> dict[str, Audience]:
        document = await self.documents.get(f"{workspace}/{AUDIENCES_KIND}")
        return DEFAULT_AUDIENCES | (decode_audiences(document) if document else {})

    async def choose(self, workspace: WorkspaceId, chosen: Mapping[str, Audience]) -> bool:
        """Save the audiences; return whether one of them differs."""
        is_new = False

        def written(document: Document | None) -> Write | None:
            nonlocal is_new
            before = DEFAULT_AUDIENCES | (decode_audiences(document) if document else {})
            after = {**before, **chosen}
            is_new = before != after
            return Write({"v": 1, **audience_names(after)}) if is_new else None

        await update(self.documents, f"{workspace}/{AUDIENCES_KIND}", written)
        return is_new


def audience_names(audiences: Mapping[str, Audience]) -> dict[str, str]:
    names = {audience: name for name, audience in AUDIENCE_NAMES.items()}
    return {operation: names[audience] for operation, audience in audiences.items()}


def decode_audiences(document: Document) -> dict[str, Audience]:
    """Return the audiences in a document; raise LookupError if it is of another kind."""
    return {operation: AUDIENCE_NAMES[document.value[operation]] for operation in CHOSEN_FOR}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
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
            return Write({"v": 1, "entries": [*before, encode(entry)][-MAX_ENTRIES:]})

        with log_and_suppress("not in the history", StoreError, act=act.value, by=by):
            await update(self.documents, f"{workspace}/{HISTORY_KIND}", with_entry)

    async def entries(self, workspace: WorkspaceId) -> list[Entry]:
        """Return the acts, the latest first; raise StoreError."""
        document = await self.documents.get(f"{workspace}/{HISTORY_KIND}")
        kept = document.value["entries"] if document else []
        return [msgspec.convert(each, Entry) for each in reversed(kept)]


def encode(entry: Entry) -> dict[str, Any]:
    """Return the JSON object of an entry, without empty fields."""
    value = msgspec.to_builtins(entry) | {"at": entry.at.isoformat()}
    return {name: each for name, each in value.items() if each}
