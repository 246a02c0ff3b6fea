"""What people do with the workspace's key. Whether they may is asked where they ask."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.admin.audit import Act, Audit
from bot.admin.errors import EarlierKeyRefusedError
from bot.connection import Connection
from bot.keys import (
    ExpiredDraftError,
    KeyDraft,
    KeyInUseError,
    KeyRecord,
    Keys,
    KeySlots,
    NoKeyError,
)
from bot.portfolio.portfolio import Portfolio
from bot.single_flight import SingleFlight
from bot.store.errors import UnreadableSecretError
from bot.tracker.errors import InsufficientPermissionsError, InvalidKeyError
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True)
class Tried:
    """The keys after one of them was seen to work, and how many domains it sees."""

    slots: KeySlots
    domains: int

    @property
    def record(self) -> KeyRecord:
        """The key in use."""
        return self.slots.record


class KeyCustody:
    """Sets, replaces, checks, rolls back and removes keys, and notes who did so.

    Every method may raise StoreError.
    """

    def __init__(
        self,
        keys: Keys,
        connection: Connection,
        portfolio: Portfolio,
        audit: Audit,
        *,
        clock: Callable[[], datetime],
    ) -> None:
        self._keys = keys
        self._connection = connection
        self._portfolio = portfolio
        self._audit = audit
        self._clock = clock
        # A form that is sent twice at once is one act.
        self._setting: SingleFlight[tuple[WorkspaceId, KeyDraft, str, bool], Tried] = (
            SingleFlight()
        )

    async def set_key(
        self, workspace: WorkspaceId, draft: KeyDraft, *, by: str, is_rotation: bool = False
    ) -> Tried:
        """Prove a key with one request and use it from now on, in the place of any other.

        Raises:
            ExpiredDraftError: it has expired, by what was said of it.
            KeyInUseError: a rotation needs another key than the one in use.
            TrackerError: it does not work, or nobody knows; nothing was changed.
        """
        return await self._setting.run(
            (workspace, draft, by, is_rotation),
            lambda: self._set_key(workspace, draft, by=by, is_rotation=is_rotation),
        )

    async def _set_key(
        self, workspace: WorkspaceId, draft: KeyDraft, *, by: str, is_rotation: bool
    ) -> Tried:
        if draft.expires_on and draft.expires_on < self._clock().date():
            raise ExpiredDraftError("an expiration in the past")
        if is_rotation and await self._is_in_use(workspace, draft.secret):
            raise KeyInUseError("the same key again")
        listing = await self._connection.try_out(draft.secret)
        before = await self._keys.record(workspace)
        slots = await self._keys.save(workspace, draft, set_by=by)
        await self._portfolio.disown(workspace)
        act = Act.KEY_REPLACED if before else Act.KEY_SET
        await self._audit.note(workspace, act, by=by, key=slots.record.shown)
        return Tried(slots, len(listing.domains))

    async def check(self, workspace: WorkspaceId) -> Tried:
        """Ask the service whether the key in use works now.

        Raises:
            NoKeyError: there is none, or no longer. TrackerError: it does not work.
        """
        snapshot = await self._portfolio.renew(
            workspace, lambda: self._connection.check_again(workspace)
        )
        slots = await self._keys.slots(workspace)
        if slots is None:
            raise NoKeyError("removed meanwhile")
        return Tried(slots, len(snapshot.domains))

    async def roll_back(self, workspace: WorkspaceId, mark: str, *, by: str) -> Tried:
        """Prove the earlier key with one request and use it from now on.

        Raises:
            KeyInUseError: it is in use already. NoEarlierKeyError: there is no such key.
            EarlierKeyRefusedError, TrackerError: it does not work, or nobody knows.
        """
        key = await self._keys.earlier(workspace, mark)
        try:
            listing = await self._connection.try_out(key.secret)
        except (InvalidKeyError, InsufficientPermissionsError) as error:
            raise EarlierKeyRefusedError("not swapped in") from error
        slots = await self._keys.roll_back(workspace, key)
        await self._portfolio.disown(workspace)
        await self._audit.note(workspace, Act.KEY_ROLLED_BACK, by=by, key=slots.record.shown)
        return Tried(slots, len(listing.domains))

    async def forget_earlier(self, workspace: WorkspaceId, mark: str, *, by: str) -> None:
        """Forget the earlier key, if it is that one: it was deleted in the service."""
        slots = await self._keys.slots(workspace)
        earlier = slots.earlier if slots else None
        if earlier and await self._keys.forget_earlier(workspace, mark):
            shown = earlier.record.shown
            await self._audit.note(workspace, Act.EARLIER_KEY_FORGOTTEN, by=by, key=shown)

    async def remove(self, workspace: WorkspaceId, mark: str | None, *, by: str) -> bool:
        """Forget both keys; say whether there was one.

        Raises:
            OtherKeyError: the key in use is not that of `mark`.
        """
        record = await self._keys.record(workspace)
        was_there = await self._keys.remove(workspace, mark)
        await self._portfolio.disown(workspace)
        if was_there:
            shown = record.shown if record else None
            await self._audit.note(workspace, Act.KEY_REMOVED, by=by, key=shown)
        return was_there

    async def _is_in_use(self, workspace: WorkspaceId, secret: str) -> bool:
        try:
            return (await self._keys.stored(workspace)).secret == secret
        except (NoKeyError, UnreadableSecretError):
            return False
