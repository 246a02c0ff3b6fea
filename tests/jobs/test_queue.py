"""The queue at work in one process: everything due is delivered, whatever happens to one of it."""

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

import pytest
from procrastinate.worker import Worker
from structlog.testing import capture_logs

from bot.jobs import queue
from bot.jobs.queue import depth
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

STRAY_EVENTS = (
    "SELECT id FROM procrastinate_events WHERE job_id NOT IN"
    " (SELECT id FROM procrastinate_jobs WHERE queue_name = 'periodic')"
)


async def is_empty(pool: Pool) -> bool:
    return not [name for name in await depth(pool) if name[0] == "deliver"]


async def test_what_is_due_is_delivered_and_leaves_nothing_of_its_workspace(pool: Pool) -> None:
    keys = digests_of("T1", "T2", each=150)
    deliveries = Deliveries(wanted=len(keys))
    await put_due(pool, keys)

    async with at_work(pool, deliveries):
        await deliveries.until_done()
        await until(lambda: is_empty(pool))

    assert sorted(deliveries.digests) == keys
    assert await lines_of(pool, "-.T") == []
    assert await rows(pool, STRAY_EVENTS) == []


async def test_the_jobs_of_a_workspace_never_run_beside_each_other(pool: Pool) -> None:
    keys = digests_of("T1", "T2", each=450)
    deliveries = Deliveries(wanted=len(keys))
    deliveries.during = lambda _workspace: asyncio.sleep(0.02)
    await put_due(pool, keys)

    async with at_work(pool, deliveries), at_work(pool, deliveries):
        await deliveries.until_done()

    assert Counter(deliveries.digests) == Counter(keys)
    assert deliveries.overlaps == []


async def test_a_job_that_was_handed_back_is_done_again(pool: Pool) -> None:
    deliveries = Deliveries()
    failures = [StoreError("for a moment")]

    async def fail_once(_workspace: str) -> None:
        if failures:
            raise failures.pop()

    deliveries.during = fail_once
    await put_due(pool, digests_of("T1"))

    async with at_work(pool, deliveries):
        await deliveries.until_done()

    assert deliveries.digests == digests_of("T1")


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
    deliveries = Deliveries()

    async def never_end(_workspace: WorkspaceId, _digests: Sequence[str]) -> None:
        begun.set()
        await asyncio.Event().wait()

    await put_due(pool, digests_of("T1"))
    async with at_work(pool, never_end, finish_within_s=0.05):
        async with asyncio.timeout(TIME_LIMIT_S):
            await begun.wait()

    assert (await depth(pool))[("deliver", "todo")] == 1
    assert await count_of(pool, "procrastinate_workers") == 0

    async with at_work(pool, deliveries):
        await deliveries.until_done()
    assert deliveries.digests == digests_of("T1")


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
    async with at_work(pool, deliveries, concurrency=1):
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


async def test_depth_counts_what_waits_and_what_is_under_way(pool: Pool) -> None:
    begun = asyncio.Event()

    async def never_end(_workspace: WorkspaceId, _digests: Sequence[str]) -> None:
        begun.set()
        await asyncio.Event().wait()

    await put_due(pool, digests_of("T1", each=250))
    async with at_work(pool, never_end, finish_within_s=0.05):
        async with asyncio.timeout(TIME_LIMIT_S):
            await begun.wait()
        found = await depth(pool)

    assert (found["deliver", "doing"], found["deliver", "todo"]) == (1, 2)
