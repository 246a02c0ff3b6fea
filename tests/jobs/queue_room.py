"""What the tests of the queue share: digests that are due, and work with a memory."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString

from bot.jobs.queue import Intervals, working
from bot.jobs.queue_jobs import Deliver
from bot.process.workspace import WorkspaceId
from bot.store.documents import StoreError
from bot.store.postgres.pool import Pool
from tests.fakes import TIME_LIMIT_S

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
A_MINUTE_AGO = NOW - timedelta(minutes=1)
# A worker on a busy machine may be silent for a while, and is not to be taken for dead.
QUICK = Intervals(look_s=0.02, heartbeat_s=0.05, dead_after_s=TIME_LIMIT_S)
# Where workers do die.
MORTAL = replace(QUICK, dead_after_s=1)
TABLES = ("jobs", "events", "periodic_defers", "workers")


def digests_of(*teams: str, each: int = 1) -> list[str]:
    """Return the keys of so many digests in each of these teams."""
    return [f"-.{team}/digest/d{number:04}" for team in teams for number in range(each)]


async def put_due(
    pool: Pool, keys: Iterable[str], *, due_at: datetime | None = A_MINUTE_AGO
) -> None:
    """Keep documents that are due."""
    async with pool.connection() as connection:
        await connection.cursor().executemany(
            "INSERT INTO document (key, value, rev, due_at) VALUES (%s, '{\"a\": 1}', 7, %s)",
            [(key, due_at) for key in keys],
        )


async def rows(pool: Pool, query: LiteralString, *values: object) -> list[tuple[Any, ...]]:
    """Return what a query finds."""
    async with pool.connection() as connection:
        return await (await connection.execute(query, values)).fetchall()


async def count_of(pool: Pool, table: str) -> int:
    """Return how many rows a table has."""
    async with pool.connection() as connection:
        found = await connection.execute(f"SELECT count(*) FROM {table}".encode())
        return int((await found.fetchall())[0][0])


async def lines_of(pool: Pool, word: str) -> list[str]:
    """Return every row of the queue's tables that holds a word."""
    found: list[str] = []
    async with pool.connection() as connection:
        for table in TABLES:
            lines = await connection.execute(
                f"SELECT t::text FROM procrastinate_{table} t".encode()
            )
            found += [line for (line,) in await lines.fetchall() if word in line]
    return found


async def until(is_so: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something is so in the database, which tells no one."""
    async with asyncio.timeout(TIME_LIMIT_S):
        while not await is_so():  # noqa: ASYNC110  # the database tells no one
            await asyncio.sleep(0.01)


class Deliveries:
    """Delivers to a list, and lets who waits for so many of them go on.

    `during` happens within each; `overlaps` holds the workspaces that had two at once. The store
    fails at the digests of `unreadable`.
    """

    def __init__(self, wanted: int = 1) -> None:
        self.done: list[tuple[str, list[str]]] = []
        self.overlaps: list[str] = []
        self.unreadable: set[str] = set()
        self.during: Callable[[str], Awaitable[object]] = lambda _workspace: asyncio.sleep(0)
        self._under_way: defaultdict[str, int] = defaultdict(int)
        self._wanted = wanted
        self._enough = asyncio.Event()

    async def __call__(self, workspace: WorkspaceId, digests: Sequence[str]) -> None:
        name = str(workspace)
        self._under_way[name] += 1
        if self._under_way[name] > 1:
            self.overlaps.append(name)
        try:
            await self.during(name)
        finally:
            self._under_way[name] -= 1
        self.done.append((name, [each for each in digests if each not in self.unreadable]))
        if len(self.digests) >= self._wanted:
            self._enough.set()
        if self.unreadable.intersection(digests):
            raise StoreError("a damaged page")

    @property
    def digests(self) -> list[str]:
        """The keys of what was delivered."""
        return [f"{name}/digest/{each}" for name, ids in self.done for each in ids]

    async def has(self, key: str) -> bool:
        """Say whether this digest was delivered."""
        return key in self.digests

    async def until_done(self) -> None:
        """Wait for the wanted number of digests."""
        async with asyncio.timeout(TIME_LIMIT_S):
            await self._enough.wait()


def at_work(
    pool: Pool,
    deliver: Deliver,
    *,
    every_s: float = 0.1,
    finish_within_s: float = TIME_LIMIT_S,
    intervals: Intervals = QUICK,
) -> AbstractAsyncContextManager[Callable[[], Awaitable[bool]]]:
    """Return a quick worker, for which it is `NOW`."""
    return working(
        pool,
        deliver,
        clock=lambda: NOW,
        every_s=every_s,
        finish_within_s=finish_within_s,
        intervals=intervals,
    )
