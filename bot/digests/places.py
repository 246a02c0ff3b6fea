"""The places of a channel that digests are just about to take, for all processes to know."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import structlog

from bot.digests.digest import MAX_PER_CHANNEL
from bot.digests.errors import TooManyDigestsError
from bot.store.base import Document, Documents
from bot.store.errors import ConflictError, StoreError
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

KIND = "digest-places"
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
        key = f"{workspace}/{KIND}/{channel_id}"
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
