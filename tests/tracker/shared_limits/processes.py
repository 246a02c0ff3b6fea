"""What several processes have of their own, over one store and one service."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import httpx

from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from bot.store.documents import Document, Documents, StoreError
from bot.tracker.client import TrackerClient
from bot.tracker.http import tracker_http
from bot.tracker.rate_limit import Purpose, RateLimiter
from bot.tracker.shared_limits import SharedLimits
from tests.fakes import TIME_LIMIT_S, FakeClock
from tests.memory import MemoryDocuments
from tests.tracker.loopback import ACME, KEY, Service, uncounted

LIMIT = {"error": "Rate limit exceeded"}
ONE = [{"domain": "a.example", "domainId": "d1"}]


class Process:
    """One of several."""

    def __init__(
        self, documents: Documents, clock: FakeClock, http: httpx.AsyncClient, url: str
    ) -> None:
        self.tasks = Tasks()
        self.limiter = RateLimiter(clock=clock, chance=lambda: 0.5)
        limits = SharedLimits(documents, self.limiter, self.tasks, seconds=clock.seconds)
        self.client = TrackerClient(http, base_url=url, limits=limits, on_call=uncounted)

    async def ask(self, *, purpose: Purpose = Purpose.PERSON, home: WorkspaceId = ACME) -> None:
        """Ask the service for a list."""
        await self.client.list_domains(home, KEY, purpose=purpose)

    async def settled(self) -> None:
        """Wait for what is done in the background."""
        assert await self.tasks.drain(TIME_LIMIT_S)


@asynccontextmanager
async def two_processes(
    documents: Documents, clock: FakeClock, there: Service
) -> AsyncIterator[tuple[Process, Process]]:
    async with tracker_http() as http:
        one, other = (Process(documents, clock, http, there.url) for _ in range(2))
        yield one, other


class BadDay(MemoryDocuments):
    """A store that fails, or does not answer, from `fails` or `hangs` on; counts its calls.

    Between a call and what it does, and before its answer, others have their turn.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fails = self.hangs = False
        self.reads = self.writes = 0

    async def get(self, key: str) -> Document | None:
        self.reads += 1
        await self._meet()
        return await super().get(key)

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
        kept = await super().put(key, value, due_at=due_at, if_rev=if_rev)
        await asyncio.sleep(0)
        return kept

    async def _meet(self) -> None:
        await asyncio.sleep(0)
        if self.fails:
            raise StoreError("gone")
        if self.hangs:
            await asyncio.Event().wait()
