"""A connection that breaks while the end of a job is written stops neither tick nor workspace."""

import asyncio

import pytest
from procrastinate.jobs import Status
from procrastinate.manager import JobManager

from bot.jobs.queue import Connector
from bot.store.documents import StoreError
from bot.store.postgres.pool import Pool
from tests.fakes import TIME_LIMIT_S
from tests.jobs.queue_room import Deliveries, at_work, digests_of, put_due, rows, until

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
async def test_an_unwritten_end_does_not_stop_the_next_job(pool: Pool, task: str) -> None:
    first, second = digests_of("T1", each=2)
    deliveries = Deliveries()
    await cut(pool, AT_THE_END, task)
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
    await cut(pool, AT_A_RETRY, "deliver")
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
