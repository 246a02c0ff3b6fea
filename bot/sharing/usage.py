"""What each process has counted of the requests, put together for those who manage the key."""

import asyncio
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from weakref import WeakValueDictionary

import structlog
from cachetools import TTLCache

from bot.asking import who_asks
from bot.meter import WINDOW_S, Meter
from bot.patience import Patience
from bot.sharing.counts import decode_counted, encode_counted
from bot.sharing.timeline import Timeline
from bot.store.base import Document, Documents
from bot.store.errors import StoreError
from bot.tasks import Tasks
from bot.tracker.budget import Budget
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

KIND = "usage"
WRITTEN_EVERY_S = 30.0
WRITTEN_AT_ONCE = 4
MAX_REMEMBERED = 20_000
# Processes times keys that one workspace had within an hour; of more the rest is not counted.
MAX_READ = 200

# A workspace, and the fingerprint of a key that it uses.
Place = tuple[WorkspaceId, str]


class SharedUsage:
    """Keeps the counts of this process for an hour where the others, and its successor, read them.

    One document for each key that was used, with what the service has told of it. It is written
    at once, and what comes within 30 s after that by a later `tick`. Without the store each
    process counts for itself.
    """

    def __init__(
        self,
        documents: Documents,
        budget: Budget,
        meter: Meter,
        tasks: Tasks,
        *,
        clock: Callable[[], datetime],
        answered_within_s: float,
    ) -> None:
        self._documents = documents
        self._budget = budget
        self._meter = meter
        self._tasks = tasks
        self._patience = Patience(answered_within_s)
        self._process = secrets.token_hex(4)
        # The seconds of the budget are those of the meter.
        self._timeline = Timeline(clock, meter.now)
        self._changed: set[Place] = set()
        # An earlier write must not come after a later one, which has counted more.
        self._turns: WeakValueDictionary[Place, asyncio.Lock] = WeakValueDictionary()
        self._is_written: TTLCache[Place, bool] = TTLCache(
            MAX_REMEMBERED, WRITTEN_EVERY_S, timer=meter.now
        )

    def count_present(self, fingerprint: str) -> None:
        """See `Meter.count_present`."""
        self._meter.count_present(fingerprint)
        if asked := who_asks():
            place = (asked[0], fingerprint)
            self._changed.add(place)
            if place not in self._is_written:
                self._begin({place})

    async def tick(self) -> None:
        """Begin to write what has changed and was not written for a while; this never waits."""
        self._begin({place for place in self._changed if place not in self._is_written})

    def stop(self) -> None:
        """Begin to write what has changed now."""
        self._begin(self._changed.copy())

    async def refresh(self, workspace: WorkspaceId) -> None:
        """Learn what the other processes have counted and were told; never raises."""
        prefix = f"{_place(workspace)}/"
        try:
            documents = await self._patience.wait(
                self._documents.list_prefix(prefix, limit=MAX_READ)
            )
        except (StoreError, TimeoutError) as error:
            logger.warning("only what this process has used is counted", error=repr(error))
            return
        own = f"{prefix}{self._process}."
        self._learn(workspace, [each for each in documents if not each.key.startswith(own)])

    def _begin(self, places: set[Place]) -> None:
        self._changed -= places
        self._is_written.update(dict.fromkeys(places, True))
        if places:
            self._tasks.start(self._write_all(places))

    def _learn(self, workspace: WorkspaceId, documents: list[Document]) -> None:
        now, ahead_s = self._timeline.now(), self._timeline.ahead_s()
        others = []
        for document in documents:
            is_over = document.due_at is not None and document.due_at <= now
            known = None if is_over else decode_counted(document.value, ahead_s)
            if known:
                others.append(known[0])
                self._budget.learn(known[0].fingerprint, known[1])
        self._meter.learn(workspace, others)

    async def _write_all(self, changed: set[Place]) -> None:
        """Write some of it at once; what the store does not take is tried with the next."""
        writers = min(WRITTEN_AT_ONCE, len(changed))
        await asyncio.gather(*(self._write_some(changed) for _ in range(writers)))
        self._changed |= changed

    async def _write_some(self, changed: set[Place]) -> None:
        while changed:
            place = changed.pop()
            try:
                await self._patience.wait(self._write(*place))
            except (StoreError, TimeoutError) as error:
                logger.warning("what was used is not told to others", error=repr(error))
                return

    async def _write(self, workspace: WorkspaceId, fingerprint: str) -> None:
        async with self._turns.setdefault((workspace, fingerprint), asyncio.Lock()):
            await self._write_present(workspace, fingerprint)

    async def _write_present(self, workspace: WorkspaceId, fingerprint: str) -> None:
        counted = self._meter.counted(workspace, fingerprint)
        if not counted.minutes:
            return
        account = self._budget.account(fingerprint)
        await self._documents.put(
            f"{_place(workspace)}/{self._process}.{fingerprint}",
            encode_counted(counted, account, self._timeline.ahead_s()),
            due_at=self._timeline.now() + timedelta(seconds=WINDOW_S),
        )


def _place(workspace: WorkspaceId) -> str:
    return f"{workspace}/{KIND}"
