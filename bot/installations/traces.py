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
from bot.store.base import Documents
from bot.store.errors import ConflictError
from bot.tasks import Tasks

logger = structlog.get_logger()

MARK = "meta/traces"  # names nobody
REST = timedelta(seconds=30)  # after the first failure; each further one doubles it
LONGEST_REST = timedelta(minutes=15)
# The store is to work for others for most of the time, however large it is.
REST_PER_WIPE = 10


class Traces:
    """Remembers in the store that a wipe is owed, until it is done."""

    def __init__(
        self, documents: Documents, tasks: Tasks, *, clock: Callable[[], datetime]
    ) -> None:
        self._documents = documents
        self._clock = clock
        self._wiping = Recurring(tasks, self._wipe)
        self._deletions = 0
        self._failures = 0
        self._rests_until: datetime | None = None

    @asynccontextmanager
    async def left(self) -> AsyncIterator[None]:
        """Note that the deletions inside the block leave traces; raise StoreError.

        They are not wiped before its end: none of them may come after the wipe.
        """
        self._deletions += 1
        try:
            await self._documents.put(MARK, {"v": 1})
            yield
        finally:
            self._deletions -= 1

    def wipe_soon(self) -> "asyncio.Task[None] | None":
        """Begin to wipe what is left; return that work, `None` when it is too early for it."""
        rests = self._rests_until is not None and self._clock() < self._rests_until
        return None if rests else self._wiping.begin()

    async def _wipe(self) -> None:
        mark = await self._documents.get(MARK)
        if mark is None or self._deletions:
            return
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
