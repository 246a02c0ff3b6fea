"""Decide who may manage a workspace's key, and record what they did."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

import structlog

from bot.errors import BotError, NotAllowedError
from bot.redaction import redact
from bot.store.documents import Document, Documents, StoreError, Write, update
from bot.workspace import WorkspaceId


class NotAManagerError(NotAllowedError):
    """Only admins, owners and the managers that they named may do this.

    `managers` are ids of people and user groups. `is_in_organisation`: so is the workspace, and
    then Slack may not say who its own admins are.
    """

    def __init__(
        self, managers: tuple[str, ...] = (), *, is_in_organisation: bool = False
    ) -> None:
        self.managers = managers
        self.is_in_organisation = is_in_organisation
        super().__init__("neither admin nor manager")


class NotAnAdminError(NotAllowedError):
    """Only admins and owners may do this, managers may not."""

    def __init__(self, why: str = "no admin", *, is_in_organisation: bool = False) -> None:
        self.is_in_organisation = is_in_organisation
        super().__init__(why)


class ManagersUnknownError(BotError):
    """Slack did not say who is in a user group that is a manager, so nothing was done.

    `managers` as in `NotAManagerError`. `lacks_scope`: it never will, without `usergroups:read`.
    """

    def __init__(self, managers: tuple[str, ...] = (), *, lacks_scope: bool = False) -> None:
        self.managers = managers
        self.lacks_scope = lacks_scope
        super().__init__("nobody knows who is in the group")


class UnfitManagerError(BotError):
    """Somebody was named who can be no manager: a guest, a bot, of elsewhere, or gone."""

    def __init__(self, user_ids: tuple[str, ...] = ()) -> None:
        self.user_ids = user_ids
        super().__init__("a guest, a bot, a stranger, or gone")


class UnfitGroupError(BotError):
    """A user group was named that the workspace does not have, or that is disabled."""


class EarlierKeyRefusedError(BotError):
    """The service does not take the earlier key, so it was not put in the place of the other."""


KIND = "managers"
MAX_MANAGERS = 20
MAX_GROUPS = 5


@dataclass(frozen=True, slots=True)
class Named:
    """The ids of the people and user groups that were named, in the order in which they were.

    `rev` is the revision of that list, 0 when nobody ever was.
    """

    user_ids: tuple[str, ...] = ()
    group_ids: tuple[str, ...] = ()
    rev: int = 0

    @property
    def ids(self) -> tuple[str, ...]:
        """The people, then the groups."""
        return (*self.user_ids, *self.group_ids)


class Managers:
    """Who was named. Whether they may act is asked of Slack too: see `listeners/permissions.py`.

    Every method may raise StoreError.
    """

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    async def named(self, workspace: WorkspaceId) -> Named:
        """Return the managers."""
        document = await self._documents.get(_place(workspace))
        return decode(document) if document else Named()

    async def name(self, workspace: WorkspaceId, named: Named) -> None:
        """Let these people and groups be the managers, and nobody else.

        Raises:
            ConflictError: others were named since `named.rev`; nothing was changed.
        """
        value = {
            "v": 1,
            "user_ids": list(named.user_ids[:MAX_MANAGERS]),
            "group_ids": list(named.group_ids[:MAX_GROUPS]),
        }
        await self._documents.put(_place(workspace), value, if_rev=named.rev)


def decode(document: Document) -> Named:
    """Return who is named in a document of this kind.

    Raises:
        LookupError, TypeError: it is none.
    """
    value: dict[str, Any] = dict(document.value)
    # Before there were groups the documents had none.
    return Named(tuple(value["user_ids"]), tuple(value.get("group_ids", ())), document.rev)


def _place(workspace: WorkspaceId) -> str:
    return f"{workspace}/{KIND}"


logger = structlog.get_logger()
HISTORY_KIND = "audit"
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
        document = await self._documents.get(_audit_place(workspace))
        return entries_in(document) if document else []

    async def _add(self, workspace: WorkspaceId, entry: dict[str, Any]) -> None:
        def added(document: Document | None) -> Write:
            before = document.value["entries"] if document else []
            return Write({"v": 1, "entries": [*before, entry][-MAX_ENTRIES:]})

        await update(self._documents, _audit_place(workspace), added)


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


def _audit_place(workspace: WorkspaceId) -> str:
    return f"{workspace}/{HISTORY_KIND}"


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
