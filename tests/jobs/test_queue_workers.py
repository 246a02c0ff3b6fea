"""A worker that ends begins again, until the stop; readiness tells whether it takes part."""

import asyncio
from typing import cast

import pytest
from procrastinate.exceptions import ConnectorException
from procrastinate.worker import Worker

from bot.app import FINISH_WITHIN_S, JOBS_END_WITHIN
from bot.jobs import queue
from bot.jobs.queue import HAND_BACK_WITHIN_S, INTERVALS, Readiness, keep_running
from bot.store.postgres.pool import Pool
from tests.fakes import TIME_LIMIT_S
from tests.jobs.queue_room import Deliveries, at_work, until

pytestmark = pytest.mark.anyio


class FakeWorker:
    """Ends its first run, with an error or without, and its second one by a stop."""

    def __init__(self, error: Exception | None = None) -> None:
        self.runs = 0
        self.is_again = asyncio.Event()
        self._error, self._stop = error, asyncio.Event()

    async def run(self) -> None:
        self.runs += 1
        if self.runs > 1:
            self.is_again.set()
            await self._stop.wait()
        elif self._error:
            raise self._error

    def stop(self) -> None:
        self._stop.set()


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(None, id="ends without an error"),
        pytest.param(ConnectorException(), id="has lost the database"),
        pytest.param(ZeroDivisionError(), id="has met a mistake"),
    ],
)
async def test_a_worker_that_ends_begins_again(
    error: Exception | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "PAUSE_S", 0.01)
    worker, stop = FakeWorker(error), asyncio.Event()

    async with asyncio.timeout(TIME_LIMIT_S):
        running = asyncio.create_task(keep_running(cast(Worker, worker), stop))
        await worker.is_again.wait()
        stop.set()
        worker.stop()
        await running

    assert worker.runs == 2


def test_a_worker_that_stops_is_not_taken_for_dead() -> None:
    longest_s = FINISH_WITHIN_S * JOBS_END_WITHIN + HAND_BACK_WITHIN_S

    assert INTERVALS.heartbeat_s + longest_s < INTERVALS.dead_after_s


async def test_a_worker_is_ready_once_it_takes_part(pool: Pool) -> None:
    async with at_work(pool, Deliveries()) as ready:
        await until(ready.is_ready)

    assert await ready.is_ready() is False


async def test_a_tick_that_failed_makes_unready_until_one_ends_well_or_others_tick() -> None:
    ready = Readiness([], every_s=10)

    with pytest.raises(ZeroDivisionError), ready.ticking():
        raise ZeroDivisionError
    assert await ready.is_ready() is False
    assert ready.failed_at is not None
    ready.failed_at -= 3 * 10 + 1
    assert await ready.is_ready() is True

    with pytest.raises(ZeroDivisionError), ready.ticking():
        raise ZeroDivisionError
    with ready.ticking():
        pass
    assert await ready.is_ready() is True
