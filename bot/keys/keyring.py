"""Every workspace's keys: set, taken, replaced, rolled back, and what is known of them."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from bot.keys.record import (
    KeyDraft,
    KeyInUseError,
    KeyRecord,
    NoEarlierKeyError,
    NoKeyError,
    StoredKey,
)
from bot.keys.shelf import KeyShelf
from bot.keys.slots import KeySlots, new_slots
from bot.store.base import Documents
from bot.store.errors import UnreadableSecretError
from bot.store.sealed import KeyRing, about
from bot.workspace import WorkspaceId


class Keys:
    """Every workspace's keys, one document each, sealed for that workspace alone.

    Every method may raise StoreError.
    """

    def __init__(
        self, documents: Documents, ring: KeyRing, *, clock: Callable[[], datetime]
    ) -> None:
        self._shelf = KeyShelf(documents)
        self._ring = ring
        self._clock = clock

    async def slots(self, workspace: WorkspaceId) -> KeySlots | None:
        """Return the key in use and the one before it, or `None` when there is none."""
        slots = await self._shelf.get(workspace)
        return slots.without_expired(self._clock()) if slots else None

    async def record(self, workspace: WorkspaceId) -> KeyRecord | None:
        """Return what is known of the key in use, or `None` when there is none."""
        slots = await self.slots(workspace)
        return slots.record if slots else None

    async def stored(self, workspace: WorkspaceId) -> StoredKey:
        """Return the key to call the service with, or raise NoKeyError.

        Raises:
            UnreadableSecretError: it was sealed for another workspace, or with a lost key.
        """
        slots = await self.slots(workspace)
        if slots is None:
            raise NoKeyError("no key in this workspace")
        return StoredKey(self._opened(workspace, slots.sealed), slots.sealed, slots.record)

    async def earlier(self, workspace: WorkspaceId, mark: str) -> StoredKey:
        """Return the key before the one in use.

        Raises:
            KeyInUseError: `mark` is that of the key in use.
            NoEarlierKeyError: there is none of this `mark`.
            UnreadableSecretError: as for `stored`.
        """
        slots = await self.slots(workspace)
        if slots and slots.record.mark == mark:
            raise KeyInUseError("rolled back already")
        if slots is None or slots.earlier is None or slots.earlier.record.mark != mark:
            raise NoEarlierKeyError("no such key")
        sealed = slots.earlier.sealed
        return StoredKey(self._opened(workspace, sealed), sealed, slots.earlier.record)

    async def save(self, workspace: WorkspaceId, draft: KeyDraft, *, set_by: str) -> KeySlots:
        """Keep a key that was just seen to list domains; the one before it is kept for a while."""
        now = self._clock()
        record = KeyRecord(
            last4=draft.secret[-4:],
            label=draft.label,
            expires_on=draft.expires_on,
            scopes=draft.scopes,
            set_by=set_by,
            set_at=now,
            works=("list",),
        )
        sealed = self._ring.seal(draft.secret, _about(workspace))

        def with_new(slots: KeySlots | None) -> KeySlots:
            before = slots.without_expired(now) if slots else None
            is_same = self._holds(workspace, before, draft.secret)
            return new_slots(sealed, record, before, is_same=is_same)

        return await self._shelf.put(workspace, with_new)

    async def roll_back(self, workspace: WorkspaceId, key: StoredKey) -> KeySlots:
        """Put the earlier key, which was just seen to work, in the place of the one in use.

        Raises:
            NoEarlierKeyError: somebody has changed the keys meanwhile.
        """

        def with_earlier(slots: KeySlots | None) -> KeySlots:
            if slots is None or slots.earlier is None or slots.earlier.sealed != key.sealed:
                raise NoEarlierKeyError("changed meanwhile")
            return slots.rolled_back(slots.earlier, self._clock())

        return await self._shelf.put(workspace, with_earlier)

    async def forget_earlier(self, workspace: WorkspaceId, mark: str) -> bool:
        """Forget the key before the one in use; say whether it was that one."""

        def forgotten(slots: KeySlots) -> KeySlots:
            is_meant = slots.earlier and slots.earlier.record.mark == mark
            return replace(slots, earlier=None) if is_meant else slots

        return await self._shelf.change(workspace, forgotten)

    async def remove(self, workspace: WorkspaceId, mark: str | None = None) -> bool:
        """Forget the keys, both of them; say whether there was one.

        Raises:
            OtherKeyError: the key in use is not that of `mark`.
        """
        return await self._shelf.delete(workspace, mark)

    async def note_refused(self, workspace: WorkspaceId, key: StoredKey) -> bool:
        """Remember that the service calls `key` invalid; say whether that is news."""
        now = self._clock()
        return await self._note(
            workspace, key, lambda record: replace(record, refused_at=record.refused_at or now)
        )

    async def note_accepted(self, workspace: WorkspaceId, key: StoredKey, operation: str) -> bool:
        """Remember that `key` works, and for this operation too; say whether that is news."""
        known = key.record
        if not known.refused_at and operation in known.works:  # so it is not among what it lacks
            return False

        def better(record: KeyRecord) -> KeyRecord:
            return replace(
                record,
                refused_at=None,
                told_at=None,
                told=(),
                lacks=_without(record.lacks, operation),
                works=(*_without(record.works, operation), operation),
            )

        return await self._note(workspace, key, better)

    async def note_lacking(self, workspace: WorkspaceId, key: StoredKey, operation: str) -> bool:
        """Remember that the scopes of `key` do not cover `operation`; say whether that is news."""

        def worse(record: KeyRecord) -> KeyRecord:
            lacks = tuple(dict.fromkeys((*record.lacks, operation)))
            return replace(record, lacks=lacks, works=_without(record.works, operation))

        return await self._note(workspace, key, worse)

    async def _note(
        self, workspace: WorkspaceId, key: StoredKey, change: Callable[[KeyRecord], KeyRecord]
    ) -> bool:
        """Change the record as it is now, unless `key` is no longer there; say if it changed."""
        return await self._shelf.change(
            workspace,
            lambda slots: slots.noted(change) if slots.sealed == key.sealed else slots,
        )

    def _opened(self, workspace: WorkspaceId, sealed: str) -> str:
        return self._ring.unseal(sealed, _about(workspace))

    def _holds(self, workspace: WorkspaceId, slots: KeySlots | None, secret: str) -> bool:
        """Whether the key in use is this one; one that cannot be read is another one."""
        try:
            return slots is not None and self._opened(workspace, slots.sealed) == secret
        except UnreadableSecretError:
            return False


def _without(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(each for each in names if each != name)


def _about(workspace: WorkspaceId) -> str:
    return about("api-key", workspace)
