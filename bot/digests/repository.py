"""Store digests as documents, and count what becomes of them."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, replace
from datetime import datetime
from typing import Any, Concatenate, ParamSpec

import msgspec

from bot.digests.alert_card import AlertCard
from bot.digests.models import Digest, Outcome, UnknownAlertError, UnknownDigestError
from bot.digests.run_state import due_at
from bot.process.workspace import WorkspaceId
from bot.store.documents import ConflictError, Document, Documents, Write, update
from bot.web.metrics import DigestMetrics

P = ParamSpec("P")
KIND = "digest"
ALERT = "digest-alert"
DUE_AT_MOST, ALERTS_AT_ONCE = 20_000, 20


def encode_digest(digest: Digest) -> dict[str, Any]:
    """Return the JSON object of a digest, without its revision: that is the store's own."""
    value = _encoded(digest)
    del value["rev"]
    return value


def _encoded(stored: AlertCard | Digest) -> dict[str, Any]:
    return {"v": 1, **msgspec.to_builtins(stored)}


def decode_digest(value: dict[str, Any], rev: int) -> Digest:
    return msgspec.convert({**value, "rev": rev}, Digest)


@dataclass
class DigestRepository:
    """Every workspace's digests. Every method may raise StoreError.

    `on_step` is called with the digest before and after a change.
    """

    documents: Documents
    _: KW_ONLY
    on_step: Callable[[Digest, Digest], object] = lambda _before, _after: None

    async def of_workspace(self, workspace: WorkspaceId) -> list[Digest]:
        """Return a workspace's digests, the oldest first."""
        documents = await self.documents.list_prefix(f"{workspace}/{KIND}/")
        digests = (decode_digest(each.value, each.rev) for each in documents)
        return sorted(digests, key=lambda digest: digest.made_at)

    async def get(self, workspace: WorkspaceId, digest_id: str) -> Digest:
        """Return a digest, or raise UnknownDigestError."""
        document = await self.documents.get(f"{workspace}/{KIND}/{digest_id}")
        if document is None:
            raise UnknownDigestError("no such digest")
        return decode_digest(document.value, document.rev)

    async def put(self, workspace: WorkspaceId, digest: Digest) -> Digest:
        """Save a digest; raise ConflictError if it was written since `rev` (0: it is new)."""
        key, value = f"{workspace}/{KIND}/{digest.digest_id}", encode_digest(digest)
        document = await self.documents.put(key, value, due_at=due_at(digest), if_rev=digest.rev)
        return replace(digest, rev=document.rev)

    async def step(
        self, workspace: WorkspaceId, known: Digest, step: Callable[[Digest], Digest]
    ) -> Digest:
        """Save a step as `change` does, but read the digest only if it is not `known` any more."""
        with suppress(ConflictError):
            saved = await self.put(workspace, step(known))
            self.on_step(known, saved)
            return saved
        return await self.change(workspace, known.digest_id, step)

    async def change(
        self,
        workspace: WorkspaceId,
        digest_id: str,
        change: Callable[Concatenate[Digest, P], Digest],
        *args: P.args,
        **more: P.kwargs,
    ) -> Digest:
        """Save and return `change` of a digest; raise its errors and UnknownDigestError."""
        known: list[Digest] = []

        def changed(document: Document | None) -> Write | None:
            if document is None:
                raise UnknownDigestError("no such digest")
            before = decode_digest(document.value, document.rev)
            after = change(before, *args, **more)
            known[:] = [before, after]
            is_same = after == before and document.due_at == due_at(after)
            return None if is_same else Write(encode_digest(after), due_at(after))

        document = await update(self.documents, f"{workspace}/{KIND}/{digest_id}", changed)
        before, after = known
        if document is None or document.rev == before.rev:
            return before
        saved = replace(after, rev=document.rev)
        self.on_step(before, saved)
        return saved

    async def delete(self, workspace: WorkspaceId, digest_id: str) -> None:
        """Delete a digest but its alerts, whose cards say so first; raise UnknownDigestError."""
        if not await self.documents.delete(f"{workspace}/{KIND}/{digest_id}"):
            raise UnknownDigestError("no such digest")

    async def due(
        self, now: datetime, *, limit: int, kind: str = KIND
    ) -> list[tuple[WorkspaceId, str]]:
        """Return at most `limit` due digests, or names of alerts, the longest due first."""
        keys = await self.documents.due_keys(now, kind, limit=limit)
        places = (key.split("/", 2) for key in keys)
        return [(WorkspaceId.parse(workspace), name) for workspace, _, name in places]

    async def keep_card(self, workspace: WorkspaceId, name: str, alert: AlertCard) -> None:
        key = f"{workspace}/{ALERT}/{name}"
        await self.documents.put(key, _encoded(alert), due_at=alert.due)

    async def card(self, workspace: WorkspaceId, name: str) -> AlertCard:
        return _alert_in(await self.documents.get(f"{workspace}/{ALERT}/{name}"))

    async def cards(self, workspace: WorkspaceId, digest_id: str) -> dict[str, AlertCard]:
        """Return the alerts of a digest by name, the oldest first."""
        documents = await self.documents.list_prefix(f"{workspace}/{ALERT}/{digest_id}/")
        named: dict[str, AlertCard] = {}
        for document in documents:
            with suppress(UnknownAlertError):
                named[document.key.split("/", 2)[2]] = _alert_in(document)
        return dict(sorted(named.items(), key=lambda each: each[1].falls[0].at))

    async def change_card(
        self,
        workspace: WorkspaceId,
        name: str,
        change: Callable[Concatenate[AlertCard, P], AlertCard],
        *args: P.args,
        **more: P.kwargs,
    ) -> AlertCard:
        """Save and return `change` of an alert; raise UnknownAlertError."""

        def changed(document: Document | None) -> Write | None:
            before = _alert_in(document)
            after = change(before, *args, **more)
            return None if after == before else Write(_encoded(after), after.due)

        return _alert_in(await update(self.documents, f"{workspace}/{ALERT}/{name}", changed))

    async def delete_card(self, workspace: WorkspaceId, name: str) -> None:
        await self.documents.delete(f"{workspace}/{ALERT}/{name}")

    async def zones(self, workspace: WorkspaceId) -> list[str]:
        return [digest.plan.schedule.zone for digest in await self.of_workspace(workspace)]


def _alert_in(document: Document | None) -> AlertCard:
    with suppress(msgspec.ValidationError):  # of an earlier version
        alert = msgspec.convert(document.value, AlertCard) if document else None
        if alert and alert.falls:
            return alert
    raise UnknownAlertError("no such alert")


def steps_to(counts: DigestMetrics) -> Callable[[Digest, Digest], None]:
    """Return the `on_step` of a repository that counts each saved step in `counts`."""

    def on_step(before: Digest, after: Digest) -> None:
        if before.past[-1:] != after.past[-1:]:  # at one step in three; comparing all is slow
            for ended in (run for run in after.past if run not in before.past):
                counts.note_run(ended.outcome.value, ended.trouble and ended.trouble.value)
                if ended.outcome is Outcome.POSTED and before.run and not ended.asked_by:
                    lag_s = (ended.at - ended.slot.due_at).total_seconds()
                    counts.note_lag(lag_s, is_first_try=before.run.attempt == 1)

    return on_step


async def overdue(repository: DigestRepository, now: datetime) -> tuple[int, float]:
    """Return the number of due digests, 20,000 at most, and how late the first one is in seconds.

    Those count from the digest's own due moment, not from when it was queued again.
    """
    due = await repository.due(now, limit=DUE_AT_MOST)
    for place in due[:ALERTS_AT_ONCE]:
        with suppress(UnknownDigestError):  # it hides no late one
            since = due_at(await repository.get(*place)) or now
            return len(due), max(0.0, (now - since).total_seconds())
    return len(due), 0.0
