"""A connection that breaks while the end of a job is written stops neither tick nor workspace."""

import asyncio

import pytest
from procrastinate import PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status

from bot.jobs.queue_upkeep import Ends, keep_up, take_back
from bot.store.documents import StoreError
from bot.store.postgres.pool import Pool
from tests.fakes import TIME_LIMIT_S
from tests.jobs.queue_room import (
    MORTAL,
    Deliveries,
    at_work,
    digests_of,
    put_due,
    rows,
    until,
)
from tests.jobs.test_queue_upkeep import a_job, a_worker

pytestmark = pytest.mark.anyio

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
    WHEN (OLD.task_name = '{task}') EXECUTE FUNCTION cut_once()
"""
AT_A_RETRY = """
CREATE TRIGGER cut BEFORE UPDATE ON procrastinate_jobs FOR EACH ROW
    WHEN (OLD.task_name = '{task}' AND NEW.status = 'todo') EXECUTE FUNCTION cut_once()
"""


async def cut(pool: Pool, trigger: str, task: str) -> None:
    """Let the connection break when the first end of a job of this task is written."""
    async with pool.connection() as connection:
        await connection.execute(CUT.encode())
        await connection.execute(trigger.format(task=task).encode())


async def was_cut(pool: Pool) -> bool:
    return await rows(pool, "SELECT is_called FROM cut") == [(True,)]


@pytest.mark.parametrize("task", ["deliver", "tick"])
async def test_an_end_that_could_not_be_written_does_not_stop_what_comes_after(
    pool: Pool, task: str
) -> None:
    first, second = digests_of("T1", each=2)
    deliveries = Deliveries()
    await cut(pool, AT_THE_END, task)
    await put_due(pool, [first])

    async with at_work(pool, deliveries, intervals=MORTAL):
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
    await cut(pool, AT_A_RETRY, "deliver")
    await put_due(pool, digests_of("T1"))

    async with at_work(pool, deliveries, intervals=MORTAL):
        await deliveries.until_done()

    assert await was_cut(pool)


async def test_a_job_that_is_tried_again_by_now_is_not_taken_from_whoever_has_it(
    pool: Pool,
) -> None:
    worker = await a_worker(pool, silent_s=0)
    again = await a_job(pool, worker, attempts=1)
    lost = await a_job(pool, worker, attempts=1)

    taken = await take_back(pool, dead_after_s=16, unwritten={again: 0, lost: 1})

    found = await rows(pool, "SELECT id, status::text, attempts FROM procrastinate_jobs")
    assert taken == 1
    assert sorted(found) == [(again, "doing", 1), (lost, "todo", 2)]


async def impatient(pool: Pool) -> Ends:
    connector = PsycopgConnector()
    await connector.open_async(pool)
    return Ends(connector, within_s=0.05)


async def test_a_job_that_a_statement_still_holds_is_taken_back_once_it_does_not(
    pool: Pool,
) -> None:
    ends, looks = await impatient(pool), asyncio.Semaphore(0)
    job_id = await a_job(pool, await a_worker(pool, silent_s=0), attempts=1)
    job = Job(
        id=job_id, queue="deliver", task_name="any", lock=None, queueing_lock=None, attempts=1
    )
    upkeep = keep_up(pool, ends, list, lambda _: looks.release(), every_s=0.02, dead_after_s=16)

    async with pool.connection() as connection, connection.transaction():
        await connection.execute("SELECT FROM procrastinate_jobs FOR UPDATE")
        await ends.finish_job(job, Status.SUCCEEDED, delete_job=True)  # takes too long
        looking = asyncio.create_task(upkeep)
        await asyncio.wait_for(looks.acquire(), TIME_LIMIT_S)
        kept = ends.unwritten
    await until(lambda: is_todo(pool))
    looking.cancel()

    assert kept == {job_id: 1}


async def is_todo(pool: Pool) -> bool:
    return await rows(pool, "SELECT status::text FROM procrastinate_jobs") == [("todo",)]


async def test_a_database_that_does_not_answer_does_not_hold_a_worker_for_ever(pool: Pool) -> None:
    ends = await impatient(pool)

    async with pool.connection() as connection, connection.transaction():
        await connection.execute("LOCK TABLE procrastinate_jobs")
        with pytest.raises(ConnectorException):
            await asyncio.wait_for(ends.fetch_job(["deliver"], 1), TIME_LIMIT_S)
