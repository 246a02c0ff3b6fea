"""Store the API keys of workspaces, sealed."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from datetime import datetime, timedelta

import msgspec

from bot.keys.key_record import (
    TRY_AGAIN_AFTER,
    EarlierKey,
    KeyDraft,
    KeyNotHeldError,
    KeyPair,
    KeyRecord,
    KeysChangedError,
    NoKeyError,
    StoredKey,
    new_key_pair,
)
from bot.process.clock import Clock
from bot.process.errors import log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.store import documents as store
from bot.store.encryption import KeyRing, associated_data

KIND = "key"
# A key that waits for a confirmation, by the person who entered it.
HELD_KIND = "held-key"
HELD_FOR = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Keys:
    """Every workspace's keys, sealed for it alone. All methods but notes may raise StoreError."""

    documents: store.Documents
    ring: KeyRing
    _: KW_ONLY
    clock: Clock

    async def pair(self, workspace: WorkspaceId) -> KeyPair | None:
        document = await self.documents.get(_document_key(workspace))
        return _decoded(document).without_expired(self.clock()) if document else None

    async def present(self, workspace: WorkspaceId) -> KeyPair:
        """Return the key in use and the earlier one; raise NoKeyError."""
        if pair := await self.pair(workspace):
            return pair
        raise NoKeyError("no key in this workspace")

    async def record(self, workspace: WorkspaceId) -> KeyRecord | None:
        pair = await self.pair(workspace)
        return pair.record if pair else None

    async def stored(self, workspace: WorkspaceId) -> StoredKey:
        """Return the key to call the service with; raise NoKeyError, UnreadableSecretError."""
        return self._opened(workspace, await self.present(workspace))

    async def earlier(self, workspace: WorkspaceId, mark: str) -> StoredKey:
        """Return the key before the one in use, as `stored` does; raise KeysChangedError."""
        return self._opened(workspace, (await self.present(workspace)).earlier_of(mark))

    async def save(self, workspace: WorkspaceId, draft: KeyDraft, *, set_by: str) -> KeyPair:
        """Save a key that was just seen to list domains; the earlier one is kept for a week."""
        now = self.clock()
        record = KeyRecord(
            last4=draft.secret[-4:],
            label=draft.label,
            expires_on=draft.expires_on,
            scopes=draft.scopes,
            set_by=set_by,
            set_at=now,
            works=("list",),
        )
        sealed = self.ring.encrypt(draft.secret, _about(workspace))

        def with_new(document: store.Document | None) -> store.Write:
            before = _decoded(document).without_expired(now) if document else None
            is_same = self._holds(workspace, before, draft.secret)
            return _encoded(new_key_pair(sealed, record, before, is_same=is_same))

        await store.update(self.documents, _document_key(workspace), with_new)
        return await self.present(workspace)

    async def hold(self, workspace: WorkspaceId, draft: KeyDraft, by: str) -> None:
        """Keep an entered key, sealed, until the person confirms it or a quarter of an hour."""
        text = msgspec.json.encode(draft).decode()
        sealed = self.ring.encrypt(text, associated_data(HELD_KIND, workspace, by))
        value, due_at = {"v": 1, "sealed": sealed}, self.clock() + HELD_FOR
        await self.documents.put(_held_document_key(workspace, by), value, due_at=due_at)

    async def held(self, workspace: WorkspaceId, by: str) -> KeyDraft:
        """Return the key that a person entered and has not confirmed; raise KeyNotHeldError."""
        document = await self.documents.get(_held_document_key(workspace, by))
        if document is None or (document.due_at and document.due_at <= self.clock()):
            raise KeyNotHeldError("not kept any more")
        sealed = document.value["sealed"]
        text = self.ring.decrypt(sealed, associated_data(HELD_KIND, workspace, by))
        return msgspec.json.decode(text, type=KeyDraft)

    async def forget_held(self, workspace: WorkspaceId, by: str) -> None:
        await self.documents.delete(_held_document_key(workspace, by))

    async def roll_back(self, workspace: WorkspaceId, key: StoredKey) -> KeyPair:
        """Swap the keys; raise KeysChangedError if they were changed since it was read."""

        def swapped(pair: KeyPair) -> KeyPair:
            if pair.earlier is None or pair.earlier.sealed != key.sealed:
                raise KeysChangedError("the keys were changed")
            return pair.rolled_back(pair.earlier, self.clock())

        await self.change(workspace, swapped)
        return await self.present(workspace)

    async def forget_earlier(self, workspace: WorkspaceId, mark: str) -> bool:
        """Delete the earlier key; return whether it was that one."""

        def forgotten(pair: KeyPair) -> KeyPair:
            is_meant = pair.earlier and pair.earlier.record.mark == mark
            return replace(pair, earlier=None) if is_meant else pair

        return await self.change(workspace, forgotten)

    async def remove(self, workspace: WorkspaceId, mark: str) -> KeyRecord | None:
        """Delete both keys; return the record of the one in use; raise KeysChangedError."""
        removed: KeyRecord | None = None

        def deleted(document: store.Document | None) -> store.Delete:
            nonlocal removed
            removed = _decoded(document).record if document else None
            if removed and removed.mark != mark:
                raise KeysChangedError("replaced by another key")
            return store.DELETE

        await store.update(self.documents, _document_key(workspace), deleted)
        return removed

    async def change(self, workspace: WorkspaceId, change: Callable[[KeyPair], KeyPair]) -> bool:
        """Save the result of `change`; return whether it differs."""
        is_changed = False

        def written(document: store.Document | None) -> store.Write | None:
            nonlocal is_changed
            if document is None:
                return None
            pair = _decoded(document)
            changed = change(pair)
            is_changed = changed != pair
            is_due_then = document.due_at == pair.due_at()
            return None if not is_changed and is_due_then else _encoded(changed)

        await store.update(self.documents, _document_key(workspace), written)
        return is_changed

    async def note_refused(self, workspace: WorkspaceId, key: StoredKey) -> bool:
        """Record that the service calls `key` invalid; return whether the key is still in use."""
        now = self.clock()

        def refused(record: KeyRecord) -> KeyRecord:
            told = record.told if record.refused_at else ()
            return replace(record, refused_at=record.refused_at or now, tried_at=now, told=told)

        return await self._note(workspace, key, refused)

    def may_try(self, key: StoredKey, slot_at: datetime | None = None) -> bool:
        """Return whether `key` may be sent now: a refused one once an hour, or since `slot_at`."""
        tried_at = key.record.tried_at or key.record.refused_at
        is_first_at_slot = tried_at and slot_at and tried_at <= slot_at
        return not tried_at or bool(is_first_at_slot) or self.clock() >= tried_at + TRY_AGAIN_AFTER

    async def note_accepted(self, workspace: WorkspaceId, key: StoredKey, operation: str) -> bool:
        """Record that `key` works for this operation; return whether that is new."""
        if not key.record.refused_at and operation in key.record.works:
            return False

        def better(record: KeyRecord) -> KeyRecord:
            return replace(
                record,
                refused_at=None,
                tried_at=None,
                told_at=None,
                lacks=_without(record.lacks, operation),
                works=(*_without(record.works, operation), operation),
            )

        return await self._note(workspace, key, better)

    async def note_lacking(self, workspace: WorkspaceId, key: StoredKey, operation: str) -> bool:
        """Record that the scopes of `key` do not cover `operation`; return whether that is new."""

        def worse(record: KeyRecord) -> KeyRecord:
            lacks = tuple(dict.fromkeys((*record.lacks, operation)))
            return replace(record, lacks=lacks, works=_without(record.works, operation))

        return await self._note(workspace, key, worse)

    async def _note(
        self, workspace: WorkspaceId, key: StoredKey, change: Callable[[KeyRecord], KeyRecord]
    ) -> bool:
        with log_and_suppress("could not record the state of a key", store.StoreError):
            return await self.change(
                workspace, lambda pair: pair.noted(change) if pair.sealed == key.sealed else pair
            )
        return False  # a store that fails must not hide what the service says

    def _opened(self, workspace: WorkspaceId, kept: KeyPair | EarlierKey) -> StoredKey:
        secret = self.ring.decrypt(kept.sealed, _about(workspace))
        return StoredKey(secret, kept.sealed, kept.record)

    def _holds(self, workspace: WorkspaceId, pair: KeyPair | None, secret: str) -> bool:
        """Return whether the key in use is this one; an unreadable key is another one."""
        try:
            return pair is not None and self._opened(workspace, pair).secret == secret
        except store.UnreadableSecretError:
            return False


def _without(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(each for each in names if each != name)


def _about(workspace: WorkspaceId) -> str:
    return associated_data("api-key", workspace)


def _decoded(document: store.Document) -> KeyPair:
    return msgspec.convert(document.value, KeyPair)


def _encoded(pair: KeyPair) -> store.Write:
    return store.Write({"v": 1, **msgspec.to_builtins(pair)}, pair.due_at())


def _document_key(workspace: WorkspaceId) -> str:
    return f"{workspace}/{KIND}"


def _held_document_key(workspace: WorkspaceId, by: str) -> str:
    return f"{workspace}/{HELD_KIND}/{by}"
