"""Store digests as documents, and count those of a channel."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import structlog

from bot.digests.models import MAX_PER_CHANNEL, Digest, TooManyDigestsError, UnknownDigestError
from bot.digests.report import Baseline
from bot.digests.run_state import due_at
from bot.store.documents import ConflictError, Document, Documents, StoreError
from bot.workspace import WorkspaceId

VERSION = 1


def encode_digest(digest: Digest) -> dict[str, Any]:
    """Return the JSON object of a digest, without its revision: that is the store's own."""
    value = msgspec.to_builtins(digest)
    del value["rev"]
    return {"v": VERSION, **value}


def decode_digest(value: dict[str, Any], rev: int) -> Digest:
    """Return the digest that `encode_digest` gave; raise ValueError for anything else."""
    try:
        return msgspec.convert({**value, "rev": rev}, Digest)
    except msgspec.ValidationError as error:
        raise ValueError("no digest") from error


def encode_baseline(baseline: Baseline) -> dict[str, Any]:
    """Return the JSON object of a baseline."""
    taken_at = baseline.taken_at.astimezone(UTC).isoformat()
    return {"v": VERSION, "taken_at": taken_at, "scores": dict(baseline.scores)}


def decode_baseline(value: dict[str, Any]) -> Baseline:
    """Return the baseline that `encode_baseline` gave."""
    taken_at = datetime.fromisoformat(value["taken_at"])
    return Baseline(scores=value["scores"], taken_at=taken_at)


logger = structlog.get_logger()
KIND = "digest"
BASELINE = "digest-baseline"
RIGHTS = "digest-rights"


class DigestRepository:
    """Every workspace's digests. Every method may raise StoreError.

    `on_change` learns of every digest that was written or deleted, whoever did it: people, or
    the clock; `on_step` of how a digest was and is, when this process has changed it.
    """

    def __init__(
        self,
        documents: Documents,
        *,
        on_change: Callable[[WorkspaceId], object] = lambda _workspace: None,
        on_step: Callable[[Digest, Digest], object] = lambda _before, _after: None,
    ) -> None:
        self._documents = documents
        self._on_change = on_change
        self._on_step = on_step

    async def of_workspace(self, workspace: WorkspaceId) -> list[Digest]:
        """Return a workspace's digests, the oldest first."""
        documents = await self._documents.list_prefix(f"{workspace}/{KIND}/")
        digests = [digest for each in documents if (digest := _readable(each))]
        return sorted(digests, key=lambda digest: digest.made_at)

    async def get(self, workspace: WorkspaceId, digest_id: str) -> Digest:
        """Return a digest, or raise UnknownDigestError."""
        document = await self._documents.get(_place(workspace, digest_id))
        if document is None:
            raise UnknownDigestError("no such digest")
        return _decoded(document)

    async def put(self, workspace: WorkspaceId, digest: Digest) -> Digest:
        """Save a digest that nobody has written since it was read (`rev`, 0: it is new).

        Raises:
            ConflictError: somebody has; nothing was changed.
        """
        place = _place(workspace, digest.digest_id)
        value = encode_digest(digest)
        document = await self._documents.put(
            place, value, due_at=due_at(digest), if_rev=digest.rev
        )
        self._on_change(workspace)
        return _decoded(document)

    async def change(
        self, workspace: WorkspaceId, digest_id: str, change: Callable[[Digest], Digest]
    ) -> Digest:
        """Save what `change` makes of the digest as it is now; whatever it raises is passed on.

        Raises:
            UnknownDigestError: it was deleted.
        """
        while True:
            document = await self._documents.get(_place(workspace, digest_id))
            if document is None:
                raise UnknownDigestError("no such digest")
            digest = _decoded(document)
            changed = change(digest)
            if changed == digest and document.due_at == due_at(digest):
                return digest
            try:
                saved = await self.put(workspace, changed)
            except ConflictError:
                continue  # somebody else was faster: look again
            self._on_step(digest, saved)
            return saved

    async def delete(self, workspace: WorkspaceId, digest_id: str) -> None:
        """Forget a digest and what it compares with; raise UnknownDigestError."""
        was_there = await self._documents.delete(_place(workspace, digest_id))
        for document in await self._documents.list_prefix(f"{workspace}/{BASELINE}/{digest_id}/"):
            await self._documents.delete(document.key)
        if not was_there:
            raise UnknownDigestError("no such digest")
        self._on_change(workspace)

    async def due(self, now: datetime, *, limit: int) -> list[tuple[WorkspaceId, str]]:
        """Return at most `limit` digests that need something done, the longest due first."""
        keys = await self._documents.due_keys(now, limit=limit)
        return [_named(key) for key in keys if f"/{KIND}/" in key]

    async def baseline(
        self, workspace: WorkspaceId, digest_id: str, name: str | None
    ) -> Baseline | None:
        """Return what the digest compares with, or `None` when there is nothing."""
        if name is None:
            return None
        document = await self._documents.get(_baseline_place(workspace, digest_id, name))
        return decode_baseline(document.value) if document else None

    async def keep_baseline(
        self, workspace: WorkspaceId, digest_id: str, name: str, baseline: Baseline
    ) -> None:
        """Keep what a next post is compared with, under the name of the run that is about it."""
        place = _baseline_place(workspace, digest_id, name)
        await self._documents.put(place, encode_baseline(baseline))

    async def forget_baseline(
        self, workspace: WorkspaceId, digest_id: str, name: str | None
    ) -> None:
        """Forget what nothing is compared with any more."""
        if name is not None:
            await self._documents.delete(_baseline_place(workspace, digest_id, name))

    async def is_restricted(self, workspace: WorkspaceId) -> bool:
        """Return whether only admins may make and change digests there."""
        document = await self._documents.get(f"{workspace}/{RIGHTS}")
        return bool(document and document.value["admins_only"])

    async def restrict(self, workspace: WorkspaceId, *, admins_only: bool) -> bool:
        """Say who may make and change digests there; return whether that is new."""
        place = f"{workspace}/{RIGHTS}"
        while True:
            document = await self._documents.get(place)
            if bool(document and document.value["admins_only"]) is admins_only:
                return False
            value, rev = {"v": 1, "admins_only": admins_only}, document.rev if document else 0
            try:
                await self._documents.put(place, value, if_rev=rev)
            except ConflictError:
                continue  # somebody else was faster: look again
            return True


def _place(workspace: WorkspaceId, digest_id: str) -> str:
    return f"{workspace}/{KIND}/{digest_id}"


def _baseline_place(workspace: WorkspaceId, digest_id: str, name: str) -> str:
    return f"{workspace}/{BASELINE}/{digest_id}/{name}"


def _named(key: str) -> tuple[WorkspaceId, str]:
    workspace, _, digest_id = key.split("/")
    return WorkspaceId.parse(workspace), digest_id


def _readable(document: Document) -> Digest | None:
    """A digest, unless another version of the bot wrote it: that one must not hide the others."""
    try:
        return _decoded(document)
    except ValueError:
        logger.exception("a digest that cannot be read", key=document.key)
        return None


def _decoded(document: Document) -> Digest:
    return decode_digest(document.value, document.rev)


PLACES_KIND = "digest-places"
# Of a process that has died. Much longer than the store takes for what is done in a place, and
# than clocks of two machines differ.
HELD_FOR = timedelta(minutes=2)


class Places:
    """Lets no channel have more than twenty digests, however many are made at one moment.

    Two steps are needed, to count the digests and to add one, which the store does not do as one.
    So whoever adds one says so first, in a document of the channel that is there as long as
    somebody is about to. Then they count the digests, and who had said so before them. Whoever
    is no longer in that document by then has added theirs before: it is counted as a digest.
    """

    def __init__(self, documents: Documents, *, clock: Callable[[], datetime]) -> None:
        self._documents = documents
        self._clock = clock

    @asynccontextmanager
    async def taken(
        self,
        workspace: WorkspaceId,
        channel_id: str,
        digest_id: str,
        present: Callable[[], Awaitable[Collection[str]]],
    ) -> AsyncIterator[None]:
        """Have a place for a digest inside the block, in which it comes into the channel.

        `present` returns the ids of those that are there now.

        Raises:
            TooManyDigestsError: there is none.
            StoreError: nobody knows.
        """
        key = f"{workspace}/{PLACES_KIND}/{channel_id}"
        coming = await self._announce(key, digest_id)
        try:
            if len({*coming, *await present()}) > MAX_PER_CHANNEL:
                raise TooManyDigestsError("a full channel")
            yield
        finally:
            await self._give_back(key, digest_id)

    async def _announce(self, key: str, digest_id: str) -> Collection[str]:
        """Say that a digest is about to come; return it and those that were about to before."""
        while True:
            document = await self._documents.get(key)
            until = (self._clock() + HELD_FOR).isoformat()
            coming = self._coming(document) | {digest_id: until}
            try:
                await self._put(key, document, coming)
            except ConflictError:
                continue  # somebody else was faster: look again
            return coming.keys()

    async def _give_back(self, key: str, digest_id: str) -> None:
        try:
            while document := await self._documents.get(key):
                coming = self._coming(document)
                coming.pop(digest_id, None)
                try:
                    await self._put(key, document, coming)
                except ConflictError:
                    continue
                return
        except StoreError as error:
            logger.warning("a place is held until it expires", error=repr(error))

    async def _put(self, key: str, document: Document | None, coming: dict[str, str]) -> None:
        rev = document.rev if document else 0
        if coming:
            await self._documents.put(key, {"v": 1, "coming": coming}, if_rev=rev)
        else:
            await self._documents.delete(key, if_rev=rev)

    def _coming(self, document: Document | None) -> dict[str, str]:
        """The ids of those that are about to come, and until when that holds."""
        coming: dict[str, str] = document.value["coming"] if document else {}
        now = self._clock()
        return {each: at for each, at in coming.items() if datetime.fromisoformat(at) > now}
