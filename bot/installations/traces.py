"""What the storage still holds of deleted workspaces: wiped soon after, also after a crash.

Wiping writes the whole store anew and everybody waits meanwhile, so one wipe is for all that were
deleted before it, and nobody's answer waits for it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import structlog

from bot.errors import BotError
from bot.installations.recurring import Recurring
from bot.store.base import Document, Documents
from bot.store.errors import ConflictError, StoreError
from bot.tasks import Tasks

logger = structlog.get_logger()

# Neither names anybody: that a wipe is owed, and until when somebody is at it.
MARK = "meta/traces"
LEASE = "meta/traces/wiping"
# No wipe of any store takes longer, so whoever has not ended by then has died.
LEASE_LASTS = timedelta(minutes=11)
REST = timedelta(seconds=30)  # after the first failure; each further one doubles it
LONGEST_REST = timedelta(minutes=15)
# The store is to work for others for most of the time, however large it is.
REST_PER_WIPE = 10


class Traces:
    """Remembers in the store that a wipe is owed, until one of all processes has done it."""

    def __init__(
        self, documents: Documents, tasks: Tasks, *, clock: Callable[[], datetime]
    ) -> None:
        self._documents = documents
        self._clock = clock
        self._wiping = Recurring(tasks, self._wipe)
        self._deletions = 0
        self._is_unmarked = False
        self._failures = 0
        self._rests_until: datetime | None = None

    @asynccontextmanager
    async def left(self) -> AsyncIterator[None]:
        """Note that the deletions inside the block leave traces; raise StoreError.

        None of them may come after the wipe: this process wipes nothing before its end, and
        another one that does, and takes the mark away, finds it there again.
        """
        self._deletions += 1
        try:
            await self._mark()
            yield
        finally:
            self._deletions -= 1
            await self._mark_again()

    def wipe_soon(self) -> "asyncio.Task[None] | None":
        """Begin to wipe what is left; return that work, `None` when it is too early for it."""
        rests = self._rests_until is not None and self._clock() < self._rests_until
        return None if rests else self._wiping.begin()

    async def _mark(self) -> None:
        await self._documents.put(MARK, {"v": 1})

    async def _mark_again(self) -> None:
        """Mark once more; what was deleted is not deleted again because that failed."""
        try:
            await self._mark()
        except StoreError as error:
            self._is_unmarked = True
            logger.warning("not marked yet that there are traces", error=repr(error))

    async def _wipe(self) -> None:
        if self._is_unmarked:
            await self._mark()
            self._is_unmarked = False
        if self._deletions or await self._documents.get(MARK) is None:
            return
        if (lease := await self._lease()) is None:
            return
        try:
            # Anew: whoever had the lease until now may have wiped.
            if mark := await self._documents.get(MARK):
                await self._wipe_for(mark)
        finally:
            await self._give_back(lease)

    async def _lease(self) -> Document | None:
        """Take the lease; return `None` when another process has it."""
        lease, now = await self._documents.get(LEASE), self._clock()
        if lease and datetime.fromisoformat(lease.value["until"]) > now:
            return None
        until = {"v": 1, "until": (now + LEASE_LASTS).isoformat()}
        try:
            return await self._documents.put(LEASE, until, if_rev=lease.rev if lease else 0)
        except ConflictError:
            return None

    async def _give_back(self, lease: Document) -> None:
        try:
            await self._documents.delete(LEASE, if_rev=lease.rev)
        except ConflictError:
            logger.warning("a wipe took so long that another one has begun")

    async def _wipe_for(self, mark: Document) -> None:
        began_at = self._clock()
        try:
            await self._documents.wipe_traces()
            await self._documents.delete(MARK, if_rev=mark.rev)
        except ConflictError:
            self._failures = 0  # others were deleted meanwhile: the next wipe is for them
        except BotError as error:
            self._failures += 1
            logger.warning("traces of deleted workspaces are still there", error=repr(error))
        else:
            self._failures = 0
            logger.info("traces wiped")
        took = self._clock() - began_at
        rest = min(REST * 2 ** min(self._failures, 10), LONGEST_REST)
        rest = rest if self._failures else timedelta()
        self._rests_until = self._clock() + max(rest, REST_PER_WIPE * took)
