"""The queue at work in one process: everything due is delivered, whatever happens to one of it.

A worker that ends begins again, until the stop; readiness tells whether it takes part.
The queue's tables: what a new database gets at once is what an old one gets step by step.
A connection that breaks while the end of a job is written stops neither tick nor workspace.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import LiteralString

import pytest
from procrastinate.jobs import Status
from procrastinate.manager import JobManager
from procrastinate.worker import Worker
from structlog.testing import capture_logs

from bot.app.main import FINISH_WITHIN_S, JOBS_END_WITHIN
from bot.jobs import queue
from bot.jobs.queue import HAND_BACK_WITHIN_S, INTERVALS, Connector, depth
from bot.process.workspace import WorkspaceId
from bot.store.documents import StoreError
from bot.store.postgres.pool import Pool
from tests.fakes import TIME_LIMIT_S
from tests.jobs.queue_room import (
    Deliveries,
    at_work,
    count_of,
    digests_of,
    lines_of,
    put_due,
    rows,
    until,
)


async def is_empty(pool: Pool) -> bool:
    return not await depth(pool)


async def test_what_is_due_is_delivered_and_leaves_nothing_of_its_workspace(pool: Pool) -> None:
    keys = digests_of("T1", "T2", each=150)
    deliveries = Deliveries(wanted=len(keys))
    await put_due(pool, keys)

    async with at_work(pool, deliveries) as takes_part:
        await until(takes_part)
        await deliveries.until_done()
        await until(lambda: is_empty(pool))

    assert await takes_part() is False
    assert sorted(deliveries.digests) == keys
    assert await lines_of(pool, "-.T") == []
    assert await count_of(pool, "procrastinate_events") == 0


async def test_the_jobs_of_a_workspace_never_run_beside_each_other(pool: Pool) -> None:
    keys = digests_of("T1", "T2", each=450)
    deliveries = Deliveries(wanted=len(keys))
    deliveries.during = lambda _workspace: asyncio.sleep(0.02)
    await put_due(pool, keys)

    async with at_work(pool, deliveries), at_work(pool, deliveries):
        await deliveries.until_done()

    assert Counter(deliveries.digests) == Counter(keys)
    assert deliveries.overlaps == []


async def test_a_digest_that_the_store_failed_is_delivered_at_the_next_try(pool: Pool) -> None:
    one, other = digests_of("T1", each=2)
    deliveries = Deliveries(wanted=2)
    deliveries.unreadable = {"d0001"}

    async def mend(_workspace: str) -> None:
        if deliveries.done:
            deliveries.unreadable.clear()

    deliveries.during = mend
    await put_due(pool, [one, other])

    async with at_work(pool, deliveries):
        await until(lambda: deliveries.has(other))

    assert {*deliveries.digests} == {one, other}


async def test_a_bug_is_logged_and_not_retried(
    pool: Pool, caplog: pytest.LogCaptureFixture
) -> None:
    deliveries = Deliveries()
    caplog.set_level(logging.WARNING)

    async def fail(workspace: str) -> None:
        if workspace == "-.T1":
            raise ZeroDivisionError(workspace)

    deliveries.during = fail
    await put_due(pool, digests_of("T1", "T2"))

    with capture_logs() as lines:
        async with at_work(pool, deliveries):
            await deliveries.until_done()
            await until(lambda: is_empty(pool))

    assert [line["event"] for line in lines if line["log_level"] == "error"] == [
        "unforeseen failure"
    ]
    assert not [each for each in caplog.records if each.name.startswith("procrastinate")]
    assert deliveries.digests == digests_of("T2")


async def test_what_the_stop_cuts_off_is_handed_back_and_done_by_the_next(pool: Pool) -> None:
    begun = asyncio.Event()
    deliveries = Deliveries(wanted=250)

    async def never_end(_workspace: WorkspaceId, _digests: Sequence[str]) -> None:
        begun.set()
        await asyncio.Event().wait()

    await put_due(pool, digests_of("T1", each=250))
    async with at_work(pool, never_end, finish_within_s=0.05):
        async with asyncio.timeout(TIME_LIMIT_S):
            await begun.wait()
        found = await depth(pool)

    assert (found["deliver", "doing"], found["deliver", "todo"]) == (1, 2)
    assert (await depth(pool))["deliver", "todo"] == 3
    assert await count_of(pool, "procrastinate_workers") == 0

    async with at_work(pool, deliveries):
        await deliveries.until_done()
    assert sorted(deliveries.digests) == digests_of("T1", each=250)


async def test_a_stop_lets_jobs_end(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_end = asyncio.Event(), asyncio.Event()
    deliveries = Deliveries()
    stop = Worker.stop

    def stop_and_let_end(worker: Worker) -> None:
        stop(worker)  # type: ignore[no-untyped-call]  # procrastinate 3.10
        may_end.set()

    async def wait(_workspace: str) -> None:
        begun.set()
        await may_end.wait()

    deliveries.during = wait
    await put_due(pool, digests_of("T1", each=150))  # two jobs
    async with at_work(pool, deliveries):
        async with asyncio.timeout(TIME_LIMIT_S):
            await begun.wait()
        monkeypatch.setattr(Worker, "stop", stop_and_let_end)

    assert len(deliveries.digests) == 100
    assert (await depth(pool))[("deliver", "todo")] == 1


async def test_a_stuck_job_holds_no_process(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "HAND_BACK_WITHIN_S", 0.05)
    begun, may_end = asyncio.Event(), asyncio.Event()
    deliveries = Deliveries()

    async def hold_on(_workspace: str) -> None:
        begun.set()
        while not may_end.is_set():
            with suppress(asyncio.CancelledError):
                await may_end.wait()

    deliveries.during = hold_on
    await put_due(pool, digests_of("T1"))

    with capture_logs() as lines:
        async with asyncio.timeout(TIME_LIMIT_S), at_work(pool, deliveries, finish_within_s=0.05):
            await begun.wait()
    may_end.set()
    await deliveries.until_done()

    assert [line["event"] for line in lines if line["log_level"] == "error"] == [
        "jobs do not end: others take them when this process is gone"
    ]


def test_a_worker_that_stops_is_not_taken_for_dead() -> None:
    longest_s = FINISH_WITHIN_S * JOBS_END_WITHIN + HAND_BACK_WITHIN_S

    assert INTERVALS.heartbeat_s + longest_s < INTERVALS.dead_after_s


async def test_fetching_is_planned_alike_whatever_the_table_looked_like_before(pool: Pool) -> None:
    """See FETCHING: without it each fetch of these took seconds."""
    await rows(
        pool,
        "INSERT INTO procrastinate_jobs (queue_name, task_name, lock)"
        " SELECT 'deliver', 'deliver', 'T' || n FROM generate_series(1, 20000) n RETURNING 1",
    )
    worker = await rows(pool, "SELECT worker_id FROM procrastinate_register_worker_v1()")

    async with pool.connection() as connection:
        await connection.execute("SET statement_timeout = '1s'")
        for _ in range(10):
            await connection.execute(
                "SELECT procrastinate_fetch_job_v2(ARRAY['deliver'], %s)", worker[0]
            )


# The numbers of a sequence are used up although the transaction does not come to its end.
CUT = """
CREATE SEQUENCE cut;
CREATE FUNCTION cut_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('cut') = 1 THEN
        PERFORM pg_terminate_backend(pg_backend_pid());
        PERFORM pg_sleep(10);
    END IF;
    RETURN coalesce(NEW, OLD);
END $$;
"""
AT_THE_END = """
CREATE TRIGGER cut BEFORE DELETE ON procrastinate_jobs FOR EACH ROW
    EXECUTE FUNCTION cut_once()
"""
AT_A_RETRY = """
CREATE TRIGGER cut BEFORE UPDATE ON procrastinate_jobs FOR EACH ROW
    WHEN (NEW.status = 'todo') EXECUTE FUNCTION cut_once()
"""


async def cut(pool: Pool, trigger: LiteralString) -> None:
    """Let the connection break when the first end of a job is written."""
    async with pool.connection() as connection:
        await connection.execute(CUT)
        await connection.execute(trigger)


async def was_cut(pool: Pool) -> bool:
    return await rows(pool, "SELECT is_called FROM cut") == [(True,)]


async def test_an_unwritten_end_does_not_stop_the_next_job(pool: Pool) -> None:
    first, second = digests_of("T1", each=2)
    deliveries = Deliveries()
    await cut(pool, AT_THE_END)
    await put_due(pool, [first])

    async with at_work(pool, deliveries):
        await until(lambda: was_cut(pool))
        await put_due(pool, [second])
        await until(lambda: deliveries.has(second))

    assert {*deliveries.digests} == {first, second}


async def test_a_hand_back_that_could_not_be_written_is_made_up_for(pool: Pool) -> None:
    failures = [StoreError("for a moment")]
    deliveries = Deliveries()

    async def fail_once(_workspace: str) -> None:
        if failures:
            raise failures.pop()

    deliveries.during = fail_once
    await cut(pool, AT_A_RETRY)
    await put_due(pool, digests_of("T1"))

    async with at_work(pool, deliveries):
        await deliveries.until_done()

    assert await was_cut(pool)


async def test_a_write_that_succeeded_or_is_outdated_is_not_repeated(pool: Pool) -> None:
    manager = await manager_on(pool)

    async with asyncio.timeout(TIME_LIMIT_S):
        await manager.finish_job_by_id_async(7, Status.SUCCEEDED, delete_job=True)


async def manager_on(pool: Pool) -> JobManager:
    connector = Connector()
    await connector.open_async(pool)
    return JobManager(connector)
