"""Periodic work on the queue: one of all workers does it, and a failure is not the last of it."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest
from structlog.testing import capture_logs

from bot.jobs.queue import ENDS_WITHIN_S
from bot.store.postgres.pool import Pool
from tests.fakes import TIME_LIMIT_S
from tests.jobs.queue_room import Deliveries, at_work


class Turns:
    """Periodic work that counts its turns; `during` happens within each."""

    def __init__(self, wanted: int) -> None:
        self.count = self.overlaps = self._under_way = 0
        self.during: Callable[[], Awaitable[object]] = lambda: asyncio.sleep(0)
        self._wanted, self._enough = wanted, asyncio.Event()

    async def __call__(self) -> None:
        self.count += 1
        self._under_way += 1
        self.overlaps += self._under_way > 1
        if self.count == self._wanted:
            self._enough.set()
        try:
            await self.during()
        finally:
            self._under_way -= 1

    async def until_done(self) -> None:
        async with asyncio.timeout(TIME_LIMIT_S):
            await self._enough.wait()


async def test_periodic_work_that_failed_is_logged_and_comes_again(pool: Pool) -> None:
    turns = Turns(wanted=3)

    async def fail() -> None:
        raise ZeroDivisionError("each time")

    turns.during = fail
    with capture_logs() as lines:
        async with at_work(pool, Deliveries(), {"reminders": turns}):
            await turns.until_done()

    assert "periodic work failed" in [line["event"] for line in lines]


class StoppedTime:
    """The module `time` at one moment."""

    monotonic = staticmethod(time.monotonic)

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def time(self) -> float:
        return self._seconds


async def test_each_interval_runs_once(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    for seconds in (1_000.0, 1_030.0):
        monkeypatch.setattr("bot.jobs.queue.time", StoppedTime(seconds))
        turns = Turns(wanted=1)
        async with at_work(pool, Deliveries(), {"reminders": turns}, every_s=30):
            await turns.until_done()


async def test_one_of_all_workers_takes_each_turn(pool: Pool) -> None:
    turns, every_s = Turns(wanted=5), 0.2

    loop = asyncio.get_running_loop()
    began_at = loop.time()
    async with (
        at_work(pool, Deliveries(), {"reminders": turns}, every_s=every_s),
        at_work(pool, Deliveries(), {"reminders": turns}, every_s=every_s),
        at_work(pool, Deliveries(), {"reminders": turns}, every_s=every_s),
    ):
        await turns.until_done()

    # The first one comes at once, and the turns are not cut to when the workers began.
    assert turns.count <= (loop.time() - began_at) / every_s + 2


async def test_no_two_of_a_kind_are_under_way_at_once(pool: Pool) -> None:
    turns = Turns(wanted=5)
    turns.during = lambda: asyncio.sleep(0.15)

    async with (
        at_work(pool, Deliveries(), {"reminders": turns}, every_s=0.05),
        at_work(pool, Deliveries(), {"reminders": turns}, every_s=0.05),
    ):
        await turns.until_done()

    assert turns.overlaps == 0


async def test_hanging_work_is_ended(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.jobs.queue.ROUND_WITHIN_S", ENDS_WITHIN_S + 0.01)
    turns = Turns(wanted=2)
    turns.during = asyncio.Event().wait

    async with at_work(pool, Deliveries(), {"reminders": turns}, finish_within_s=0.05):
        await turns.until_done()

    assert turns.overlaps == 0
