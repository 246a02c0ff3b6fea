"""The tick: each digest that is due goes into one job, whatever else happens at that moment.

Periodic work on the queue: one of all workers does it, and a failure is not the last of it.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from procrastinate.jobs import Job
from structlog.testing import capture_logs

from bot.jobs.queue import ENDS_WITHIN_S
from bot.jobs.queue_jobs import DIGESTS_PER_JOB, LEASE, tick
from bot.store.documents import StoreError
from bot.store.postgres.pool import Connection, Pool
from tests.fakes import TIME_LIMIT_S
from tests.jobs.queue_room import A_MINUTE_AGO, NOW, Deliveries, at_work, digests_of, put_due, rows


class Deferred:
    """Remembers jobs instead of queueing them."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    async def __call__(self, jobs: list[Job], _connection: Connection) -> None:
        self.jobs += jobs

    @property
    def digests(self) -> list[str]:
        return [
            f"{job.task_kwargs['workspace']}/digest/{digest_id}"
            for job in self.jobs
            for digest_id in _ids(job)
        ]


def _ids(job: Job) -> list[object]:
    digests = job.task_kwargs["digests"]
    assert isinstance(digests, list)
    return [*digests]


async def test_due_work_is_deferred_once_in_ten_minutes(pool: Pool) -> None:
    deferred = Deferred()
    keys = digests_of("T1", "T2", each=2)
    await put_due(pool, keys)

    assert await tick(pool, deferred, clock=lambda: NOW) == 4
    assert await tick(pool, deferred, clock=lambda: NOW + LEASE - timedelta(seconds=1)) == 0
    assert sorted(deferred.digests) == keys

    assert await tick(pool, deferred, clock=lambda: NOW + LEASE) == 4


async def test_only_digests_are_taken_and_only_those_that_are_due(pool: Pool) -> None:
    deferred = Deferred()
    await put_due(pool, ["-.T1/digest-alert/d1/r", "-.T1/pending/digest/d1"])
    await put_due(pool, ["-.T1/digest/later"], due_at=NOW + timedelta(seconds=1))
    await put_due(pool, ["-.T1/digest/paused"], due_at=None)
    await put_due(pool, ["-.T1/digest/now"], due_at=NOW)

    await tick(pool, deferred, clock=lambda: NOW)

    assert deferred.digests == ["-.T1/digest/now"]


async def test_a_job_holds_some_digests_of_one_workspace_and_its_lock(pool: Pool) -> None:
    deferred = Deferred()
    await put_due(pool, digests_of("T1", each=DIGESTS_PER_JOB + 1))
    await put_due(pool, digests_of("T0"), due_at=A_MINUTE_AGO - timedelta(seconds=1))

    await tick(pool, deferred, clock=lambda: NOW)

    assert [(job.lock, len(_ids(job))) for job in deferred.jobs] == [
        ("-.T0", 1),  # the longest due first
        ("-.T1", DIGESTS_PER_JOB),
        ("-.T1", 1),
    ]


async def test_a_tick_that_dies_before_its_commit_changes_nothing(pool: Pool) -> None:
    await put_due(pool, digests_of("T1"))

    async def die(_jobs: list[Job], connection: Connection) -> None:
        await rows(pool, "SELECT pg_terminate_backend(%s)", connection.info.backend_pid)
        await connection.execute("SELECT 1")

    with pytest.raises(StoreError):
        await tick(pool, die, clock=lambda: NOW)

    assert await rows(pool, "SELECT due_at FROM document") == [(A_MINUTE_AGO,)]
    assert await tick(pool, Deferred(), clock=lambda: NOW) == 1


async def test_a_digest_that_another_transaction_holds_is_left_to_it(pool: Pool) -> None:
    deferred = Deferred()
    await put_due(pool, digests_of("T1", "T2"))

    async with pool.connection() as connection, connection.transaction():
        await connection.execute(
            "SELECT key FROM document WHERE key = %s FOR UPDATE", digests_of("T1")
        )
        assert await tick(pool, deferred, clock=lambda: NOW) == 1

    assert deferred.digests == ["-.T2/digest/d0000"]


async def test_a_workspace_with_a_waiting_job_is_passed_over(pool: Pool) -> None:
    deferred = Deferred()
    await put_due(pool, digests_of("T1", "T2", "T3"))
    await rows(  # that of T3 waits for its next try
        pool,
        "INSERT INTO procrastinate_jobs (queue_name, task_name, lock, scheduled_at)"
        " VALUES ('deliver', 'deliver', '-.T1', NULL), ('periodic', 'tick', 'tick', NULL),"
        " ('deliver', 'deliver', '-.T3', now() + interval '10 s') RETURNING id",
    )

    await tick(pool, deferred, clock=lambda: NOW)

    assert deferred.digests == digests_of("T2", "T3")


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


async def test_one_of_all_workers_takes_each_turn_and_no_two_overlap(pool: Pool) -> None:
    turns, every_s = Turns(wanted=5), 0.2
    turns.during = lambda: asyncio.sleep(1.5 * every_s)
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
    assert turns.overlaps == 0


async def test_work_that_fails_or_hangs_is_logged_and_comes_again(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.jobs.queue.ROUND_WITHIN_S", ENDS_WITHIN_S + 0.5)
    fails, hangs = Turns(wanted=3), Turns(wanted=2)

    async def fail() -> None:
        raise ZeroDivisionError("each time")

    fails.during, hangs.during = fail, asyncio.Event().wait
    with capture_logs() as lines:
        async with at_work(
            pool, Deliveries(), {"reminders": fails, "nightly": hangs}, finish_within_s=0.05
        ):
            await fails.until_done()
            await hangs.until_done()

    failed = {line["error"] for line in lines if line["event"] == "periodic work failed"}
    assert failed == {"ZeroDivisionError('each time')", "TimeoutError()"}
    assert hangs.overlaps == 0
