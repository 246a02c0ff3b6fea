"""Store the API keys of workspaces, sealed."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from datetime import datetime, timedelta

from bot.api_keys.models import (
    KeyDraft,
    KeyInUseError,
    KeyNotice,
    KeyPair,
    KeyRecord,
    NoEarlierKeyError,
    NoKeyError,
    NoticeAttempt,
    NoticeKind,
    OtherKeyError,
    SentNotice,
    StoredKey,
    decode_key_pair,
    encode_key_pair,
    may_try,
    new_key_pair,
)
from bot.slack.client import SentMessage
from bot.store import documents as store
from bot.store.encryption import KeyRing, associated_data
from bot.workspace import WorkspaceId

KIND = "key"


@dataclass(frozen=True, slots=True)
class Keys:
    """Every workspace's keys, one document each, sealed for that workspace alone.

    Every method may raise StoreError.
    """

    documents: store.Documents
    ring: KeyRing
    _: KW_ONLY
    clock: Callable[[], datetime]

    async def due(self, *, limit: int) -> list[WorkspaceId]:
        """Return at most `limit` workspaces whose keys need work now."""
        due = await self.documents.due_keys(self.clock(), limit=limit)
        return [WorkspaceId.parse(key.partition("/")[0]) for key in due if is_of_keys(key)]

    async def slots(self, workspace: WorkspaceId) -> KeyPair | None:
        """Return the key in use and the earlier one, `None` when there is none."""
        document = await self.documents.get(_place(workspace))
        return _decoded(document).without_expired(self.clock()) if document else None

    async def record(self, workspace: WorkspaceId) -> KeyRecord | None:
        """Return the record of the key in use, `None` when there is none."""
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
        return StoredKey(self._decrypt(workspace, slots.sealed), slots.sealed, slots.record)

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
        return StoredKey(self._decrypt(workspace, sealed), sealed, slots.earlier.record)

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
            return _written(new_key_pair(sealed, record, before, is_same=is_same))

        return await self._put(workspace, with_new)

    async def roll_back(self, workspace: WorkspaceId, key: StoredKey) -> KeyPair:
        """Swap the keys; raise NoEarlierKeyError if they were changed since it was read."""

        def with_earlier(document: store.Document | None) -> store.Write:
            slots = _decoded(document) if document else None
            if slots is None or slots.earlier is None or slots.earlier.sealed != key.sealed:
                raise NoEarlierKeyError("the keys were changed")
            return _written(slots.rolled_back(slots.earlier, self.clock()))

        return await self._put(workspace, with_earlier)

    async def forget_earlier(self, workspace: WorkspaceId, mark: str) -> bool:
        """Delete the earlier key; return whether it was that one."""

        def forgotten(slots: KeyPair) -> KeyPair:
            is_meant = slots.earlier and slots.earlier.record.mark == mark
            return replace(slots, earlier=None) if is_meant else slots

        return await self.change(workspace, forgotten)

    async def remove(self, workspace: WorkspaceId, mark: str | None = None) -> bool:
        """Delete both keys; return whether there was one. Raise OtherKeyError if not of `mark`."""
        was_there = False

        def deleted(document: store.Document | None) -> store.Delete:
            nonlocal was_there
            was_there = document is not None
            if document and mark not in {None, _decoded(document).record.mark}:
                raise OtherKeyError("replaced by another key")
            return store.DELETE

        await store.update(self.documents, _place(workspace), deleted)
        return was_there

    async def change(self, workspace: WorkspaceId, change: Callable[[KeyPair], KeyPair]) -> bool:
        """Save the result of `change`; return whether it differs."""
        is_changed = False

        def written(document: store.Document | None) -> store.Write | None:
            nonlocal is_changed
            if document is None:
                return None
            slots = _decoded(document)
            changed = change(slots)
            is_changed = changed != slots
            is_due_then = document.due_at == slots.due_at()
            return None if not is_changed and is_due_then else _written(changed)

        await store.update(self.documents, _place(workspace), written)
        return is_changed

    async def note_refused(self, workspace: WorkspaceId, key: StoredKey) -> bool:
        """Record that the service calls `key` invalid; return whether that changes its record."""
        now = self.clock()

        def refused(record: KeyRecord) -> KeyRecord:
            told = record.told if record.refused_at else ()
            return replace(record, refused_at=record.refused_at or now, tried_at=now, told=told)

        return await self._note(workspace, key, refused)

    def may_try(self, key: StoredKey) -> bool:
        """Return whether `key` may be sent now."""
        return may_try(key.record, self.clock())

    async def note_accepted(self, workspace: WorkspaceId, key: StoredKey, operation: str) -> bool:
        """Record that `key` works for this operation; return whether that is new."""
        known = key.record
        if not known.refused_at and operation in known.works:  # so it is not among what it lacks
            return False

        def better(record: KeyRecord) -> KeyRecord:
            return replace(
                record,
                refused_at=None,
                tried_at=None,
                told_at=None,
                works_since=self.clock() if record.refused_at else record.works_since,
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
        return await self.change(
            workspace,
            lambda slots: slots.noted(change) if slots.sealed == key.sealed else slots,
        )

    async def _put(self, workspace: WorkspaceId, change: store.Change) -> KeyPair:
        document = await store.update(self.documents, _place(workspace), change)
        assert document is not None  # noqa: S101  # `change` writes
        return _decoded(document)

    def _decrypt(self, workspace: WorkspaceId, sealed: str) -> str:
        return self.ring.decrypt(sealed, _about(workspace))

    def _holds(self, workspace: WorkspaceId, slots: KeyPair | None, secret: str) -> bool:
        """Return whether the key in use is this one; an unreadable key is another one."""
        try:
            return slots is not None and self._decrypt(workspace, slots.sealed) == secret
        except store.UnreadableSecretError:
            return False


def _without(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(each for each in names if each != name)


def _about(workspace: WorkspaceId) -> str:
    return associated_data("api-key", workspace)


def _decoded(document: store.Document) -> KeyPair:
    return decode_key_pair(document.value)


def _written(slots: KeyPair) -> store.Write:
    return store.Write(encode_key_pair(slots), slots.due_at())


def is_of_keys(key: str) -> bool:
    """Return whether the document of that name holds keys."""
    return key.count("/") == 1 and key.endswith(f"/{KIND}")


def _place(workspace: WorkspaceId) -> str:
    return f"{workspace}/{KIND}"


@dataclass(frozen=True, slots=True)
class Claim:
    """A notice that one worker sends: its key, the people it has reached, earlier attempts.

    `outdated` are the sent notices that it edits.
    """

    notice: KeyNotice
    record: KeyRecord
    reached: tuple[str, ...]
    tries: int
    outdated: tuple[SentNotice, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyClaims:
    """Hands out due notices, and records their progress. May raise StoreError."""

    keys: Keys

    async def claim(self, workspace: WorkspaceId, *, lease: timedelta) -> Claim | None:
        """Return the due notice, for the caller alone until `lease` has passed.

        `None`: there is none, or another worker has it. An earlier key whose time is over is
        deleted too.
        """
        claims: list[Claim] = []

        def claimed(slots: KeyPair) -> KeyPair:
            now = self.keys.clock()
            claims.clear()
            slots = slots.without_expired(now)
            notice, telling = slots.due_notice(now), slots.telling
            if notice is None or (telling and telling.until > now):
                return slots
            if telling is None or telling.name != notice.name:
                telling = NoticeAttempt(notice.name, now)
            outdated = slots.outdated_by(notice)
            claims.append(Claim(notice, slots.record, telling.told, telling.tries, outdated))
            return replace(slots, telling=replace(telling, until=now + lease))

        await self.keys.change(workspace, claimed)
        return claims[0] if claims else None

    async def note_delivered(
        self,
        workspace: WorkspaceId,
        claim: Claim,
        user_id: str,
        message: SentMessage | None = None,
    ) -> None:
        """Record that a notice has reached a person, by `message` if it may be edited later."""
        sent = message and SentNotice(claim.notice.name, claim.record.mark, user_id, message)

        def delivered(slots: KeyPair, telling: NoticeAttempt) -> KeyPair:
            people = tuple(dict.fromkeys((*telling.told, user_id)))
            kept = (*slots.sent, sent) if sent else slots.sent
            return replace(slots, telling=replace(telling, told=people), sent=kept)

        def late(slots: KeyPair) -> KeyPair:  # the key was replaced while it was sent
            return replace(slots, sent=(*slots.sent, sent)) if sent else slots

        await self._change_telling(workspace, claim, delivered, late)

    async def note_edited(self, workspace: WorkspaceId, claim: Claim, sent: SentNotice) -> None:
        """Record that a sent notice says what is true, and who reads it there."""

        def edited(slots: KeyPair, telling: NoticeAttempt) -> KeyPair:
            told = replace(telling, told=(*telling.told, sent.user_id))
            left = tuple(each for each in slots.sent if each != sent)
            return replace(slots, telling=told, sent=left)

        await self._change_telling(workspace, claim, edited)

    async def postpone(self, workspace: WorkspaceId, claim: Claim, wait: timedelta) -> None:
        """Schedule another attempt after `wait`: the notice has not reached everybody."""

        def postponed(slots: KeyPair, telling: NoticeAttempt) -> KeyPair:
            later = replace(telling, until=self.keys.clock() + wait, tries=telling.tries + 1)
            return replace(slots, telling=later)

        await self._change_telling(workspace, claim, postponed)

    async def finish(self, workspace: WorkspaceId, claim: Claim) -> None:
        """Record that a notice is sent for good."""

        def late(slots: KeyPair) -> KeyPair:
            # That the key expires was said: its refusal is the same matter.
            is_end = claim.notice.kind is NoticeKind.EXPIRY
            if not is_end or slots.record.mark != claim.record.mark:
                return slots
            record = replace(slots.record, reminded_days=claim.notice.days)
            return replace(slots, record=record)

        await self._change_telling(
            workspace,
            claim,
            lambda slots, telling: slots.notified(claim.notice, self.keys.clock(), telling.told),
            late,
        )

    async def _change_telling(
        self,
        workspace: WorkspaceId,
        claim: Claim,
        change: Callable[[KeyPair, NoticeAttempt], KeyPair],
        late: Callable[[KeyPair], KeyPair] = lambda slots: slots,
    ) -> None:
        """Change the progress of a notice; `late` if the document has another one by now."""

        def changed(slots: KeyPair) -> KeyPair:
            telling, is_same_key = slots.telling, slots.record.mark == claim.record.mark
            is_same = telling and telling.name == claim.notice.name and is_same_key
            return change(slots, telling) if telling and is_same else late(slots)

        await self.keys.change(workspace, changed)
