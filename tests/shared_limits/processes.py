"""What several processes have of their own, over one store and one service."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import httpx

from bot.concurrency import Tasks
from bot.shared_limits import share_allowances
from bot.store.documents import Document, Documents, StoreError
from bot.store.memory import MemoryDocuments
from bot.tracker.client import TrackerClient
from bot.tracker.http import tracker_http
from bot.tracker.rate_limit import Purpose, RateLimiter
from bot.tracker.usage import UsageCounter
from bot.workspace import Caller, WorkspaceId, caller_context, person
from tests.fakes import TIME_LIMIT_S, FakeClock
from tests.tracker.loopback import KEY, QUICK, Service

ACME = WorkspaceId("T1")
ADA, BOB = person("U1"), person("U2")
LIMIT = {"error": "Rate limit exceeded"}
ONE = [{"domain": "a.example", "domainId": "d1"}]


class Process:
    """One of several: its clock counts from its own start, as `time.monotonic` does."""

    def __init__(
        self,
        documents: Documents,
        clock: FakeClock,
        http: httpx.AsyncClient,
        url: str,
        *,
        up_s: float = 0.0,
        within_s: float = TIME_LIMIT_S,
    ) -> None:
        booted_at = clock.seconds() - up_s

        def seconds() -> float:
            return clock.seconds() - booted_at

        self.tasks = Tasks()
        self.budget = RateLimiter(clock=seconds, chance=lambda: 0.5)
        self.meter = UsageCounter(clock=seconds)
        self.shared = share_allowances(
            documents,
            self.budget,
            self.meter,
            self.tasks,
            clock=clock,
            answered_within_s=within_s,
        )
        self.client = TrackerClient(
            http,
            base_url=url,
            budget=self.budget,
            limits=QUICK,
            on_sent=self.shared.usage.count_present,
            peers=self.shared.budget,
        )

    async def ask(
        self, *, asker: Caller = ADA, purpose: Purpose = Purpose.PERSON, home: WorkspaceId = ACME
    ) -> None:
        """Ask the service for a list."""
        with caller_context(home, asker):
            await self.client.list_domains(KEY, purpose=purpose)

    async def settled(self) -> None:
        """Wait for what is done in the background."""
        assert await self.tasks.drain(TIME_LIMIT_S)


@asynccontextmanager
async def two_processes(
    documents: Documents, clock: FakeClock, there: Service, *, within_s: float = TIME_LIMIT_S
) -> AsyncIterator[tuple[Process, Process]]:
    """Yield two of them, started at different times."""
    async with tracker_http() as http:
        yield (
            Process(documents, clock, http, there.url, up_s=100, within_s=within_s),
            Process(documents, clock, http, there.url, up_s=70_000, within_s=within_s),
        )


class BadDay(MemoryDocuments):
    """A store that fails, or does not answer, from `fails` or `hangs` on; counts its calls.

    Between a call and what it does others have their turn, as with a database.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fails = self.hangs = False
        self.reads = self.writes = 0

    async def get(self, key: str) -> Document | None:
        self.reads += 1
        await self._meet()
        return await super().get(key)

    async def list_prefix(self, prefix: str, *, limit: int | None = None) -> list[Document]:
        self.reads += 1
        await self._meet()
        return await super().list_prefix(prefix, limit=limit)

    async def put(
        self,
        key: str,
        value: Mapping[str, Any],
        *,
        due_at: datetime | None = None,
        if_rev: int | None = None,
    ) -> Document:
        self.writes += 1
        await self._meet()
        return await super().put(key, value, due_at=due_at, if_rev=if_rev)

    async def _meet(self) -> None:
        await asyncio.sleep(0)
        if self.fails:
            raise StoreError("gone")
        if self.hangs:
            await asyncio.Event().wait()
