"""Use, check, save, rotate and remove the API key of a workspace. Callers check permissions."""

from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from typing import TypeVar

from bot.access.repository import Act, Audit, EarlierKeyRefusedError
from bot.domains.add_domain import NewDomain
from bot.domains.service import Portfolio
from bot.keys.key_pair import KeyPair
from bot.keys.key_record import (
    ExpiredDraftError,
    KeyDraft,
    KeyInUseError,
    KeyRecord,
    NoKeyError,
    StoredKey,
)
from bot.keys.repository import Keys
from bot.process.errors import BotError, warned
from bot.process.workspace import WorkspaceId
from bot.store.documents import StoreError
from bot.tracker.client import TrackerClient
from bot.tracker.models import (
    InsufficientPermissionsError,
    InvalidKeyError,
    Listing,
    ScanResult,
)
from bot.tracker.rate_limit import Purpose

T = TypeVar("T")


class LackingScopeError(BotError):
    """The workspace's key works, but may not do `operation`: "list", "add" or "scan"."""

    def __init__(self, operation: str) -> None:
        self.operation = operation
        super().__init__(f"the key's scopes do not cover {operation}")


@dataclass(frozen=True, slots=True)
class WorkspaceTracker:
    """Calls the service for workspaces, and records what it says about their keys.

    A key that was refused as invalid is sent again once an hour, at the slots of digests, and
    when a person rechecks it.
    `on_refusal` returns once a refusal was notified of, and never raises. Every call may raise
    NoKeyError, LackingScopeError, StoreError (the key cannot be read) and any TrackerError.
    """

    tracker: TrackerClient
    keys: Keys
    _: KW_ONLY
    on_refusal: Callable[[WorkspaceId, StoredKey], Awaitable[None]]

    async def list_domains(
        self,
        workspace: WorkspaceId,
        purpose: Purpose = Purpose.PERSON,
        slot_at: datetime | None = None,
    ) -> Listing:
        return await self._observed(
            workspace,
            await self._usable_key(workspace, slot_at),
            "list",
            lambda key: self.tracker.list_domains(key, workspace=workspace, purpose=purpose),
        )

    async def add_domain(self, workspace: WorkspaceId, new: NewDomain) -> None:
        await self._call(
            workspace,
            "add",
            lambda key: self.tracker.add_domain(
                key,
                domain=new.host,
                domain_type=new.domain_type,
                tags=new.tags,
                folder=new.folder,
                workspace=workspace,
            ),
        )

    async def scan(
        self, workspace: WorkspaceId, domain_id: str, purpose: Purpose = Purpose.PERSON
    ) -> ScanResult:
        """Run a full scan, which may take two minutes."""
        return await self._call(
            workspace,
            "scan",
            lambda key: self.tracker.scan(key, domain_id, workspace=workspace, purpose=purpose),
        )

    async def ready(self, workspace: WorkspaceId) -> None:
        """Raise NoKeyError or InvalidKeyError without a usable key; make no request."""
        await self._usable_key(workspace)

    async def probe_key(self, workspace: WorkspaceId, secret: str) -> Listing:
        """Return the domains of a key that is not in use; record nothing."""
        return await self.tracker.list_domains(secret, workspace=workspace)

    async def recheck_key(self, workspace: WorkspaceId) -> Listing:
        """Return the domains of the workspace's key, even if it was refused before."""
        key = await self.keys.stored(workspace)
        return await self._observed(
            workspace,
            key,
            "list",
            lambda secret: self.tracker.list_domains(secret, workspace=workspace),
        )

    async def _call(
        self, workspace: WorkspaceId, operation: str, call: Callable[[str], Awaitable[T]]
    ) -> T:
        return await self._observed(workspace, await self._usable_key(workspace), operation, call)

    async def _usable_key(
        self, workspace: WorkspaceId, slot_at: datetime | None = None
    ) -> StoredKey:
        key = await self.keys.stored(workspace)
        if not self.keys.may_try(key, slot_at):
            if key.record.told_at is None:  # the notice may be on its way
                await self.on_refusal(workspace, key)
            raise InvalidKeyError("refused within the hour, and not replaced since")
        return key

    async def _observed(
        self,
        workspace: WorkspaceId,
        key: StoredKey,
        operation: str,
        call: Callable[[str], Awaitable[T]],
    ) -> T:
        try:
            answer = await call(key.secret)
        except InvalidKeyError:
            if await _noted(self.keys.note_refused(workspace, key)):
                await self.on_refusal(workspace, key)
            raise
        except InsufficientPermissionsError as error:
            await _noted(self.keys.note_lacking(workspace, key, operation))
            raise LackingScopeError(operation) from error
        await _noted(self.keys.note_accepted(workspace, key, operation))
        return answer


async def _noted(note: Awaitable[bool]) -> bool:
    """Return the result of a note; a store that fails must not hide the service's answer."""
    with warned("could not record the state of a key", StoreError):
        return await note
    return False


@dataclass(frozen=True, slots=True)
class KeyCheck:
    """The keys after one of them was seen to work, and the number of its domains."""

    pair: KeyPair
    domains: int

    @property
    def record(self) -> KeyRecord:
        return self.pair.record


@dataclass(frozen=True, slots=True)
class KeyService:
    """Sets, checks, rolls back and removes keys, audited. Every method may raise StoreError."""

    keys: Keys
    connection: WorkspaceTracker
    portfolio: Portfolio
    audit: Audit

    async def set_key(
        self, workspace: WorkspaceId, draft: KeyDraft, *, by: str, is_rotation: bool = False
    ) -> KeyCheck:
        """Check a key with one request and use it from now on.

        Raises:
            ExpiredDraftError: its expiration is in the past.
            KeyInUseError: a rotation needs another key than the one in use.
            TrackerError: it does not work, or that is unknown; nothing was changed.
        """
        if draft.expires_on and draft.expires_on < self.keys.clock().date():
            raise ExpiredDraftError("an expiration in the past")
        if is_rotation and await self.keys.is_in_use(workspace, draft.secret):
            raise KeyInUseError("the same key again")
        listing = await self.connection.probe_key(workspace, draft.secret)
        before = await self.keys.record(workspace)
        pair = await self.keys.save(workspace, draft, set_by=by)
        await self.portfolio.invalidate_everywhere(workspace)
        act = Act.KEY_REPLACED if before else Act.KEY_SET
        await self.audit.note(workspace, act, by=by, key=pair.record.shown)
        return KeyCheck(pair, len(listing.domains))

    async def check(self, workspace: WorkspaceId) -> KeyCheck:
        """Check the key in use with one request; raise NoKeyError, TrackerError."""
        snapshot = await self.portfolio.renew(
            workspace, lambda: self.connection.recheck_key(workspace)
        )
        pair = await self.keys.pair(workspace)
        if pair is None:
            raise NoKeyError("removed during the check")
        return KeyCheck(pair, len(snapshot.domains))

    async def roll_back(self, workspace: WorkspaceId, mark: str, *, by: str) -> KeyCheck:
        """Check the earlier key with one request and use it from now on.

        Raises:
            KeyInUseError: it is in use already. NoEarlierKeyError: there is no such key.
            EarlierKeyRefusedError, TrackerError: it does not work, or that is unknown.
        """
        key = await self.keys.earlier(workspace, mark)
        try:
            listing = await self.connection.probe_key(workspace, key.secret)
        except (InvalidKeyError, InsufficientPermissionsError) as error:
            raise EarlierKeyRefusedError("not swapped in") from error
        pair = await self.keys.roll_back(workspace, key)
        await self.portfolio.invalidate_everywhere(workspace)
        await self.audit.note(workspace, Act.KEY_ROLLED_BACK, by=by, key=pair.record.shown)
        return KeyCheck(pair, len(listing.domains))

    async def forget_earlier(self, workspace: WorkspaceId, mark: str, *, by: str) -> None:
        """Delete the earlier key, if it is that one: it was deleted in the service."""
        pair = await self.keys.pair(workspace)
        earlier = pair.earlier if pair else None
        if earlier and await self.keys.forget_earlier(workspace, mark):
            shown = earlier.record.shown
            await self.audit.note(workspace, Act.EARLIER_KEY_FORGOTTEN, by=by, key=shown)

    async def remove(self, workspace: WorkspaceId, mark: str | None, *, by: str) -> None:
        """Delete both keys; raise OtherKeyError if the one in use is not that of `mark`."""
        record = await self.keys.record(workspace)
        was_there = await self.keys.remove(workspace, mark)
        await self.portfolio.invalidate_everywhere(workspace)
        if was_there:
            shown = record.shown if record else None
            await self.audit.note(workspace, Act.KEY_REMOVED, by=by, key=shown)
