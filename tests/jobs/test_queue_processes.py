"""Workers as processes: stopped, killed, and left without their database for a while."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.jobs.queue import Intervals
from bot.store.postgres.pool import Pool
from tests.fakes import TIME_LIMIT_S
from tests.jobs.queue_room import (
    MORTAL,
    QUICK,
    Deliveries,
    at_work,
    digests_of,
    put_due,
    rows,
    until,
)
from tests.postgres import PostgresServer
from tests.processes import BotProcess
from tests.store.processes import next_line, started

pytestmark = pytest.mark.real_time

TABLE = (
    "CREATE TABLE delivery (number bigserial PRIMARY KEY, key text NOT NULL,"
    " process int NOT NULL, is_done boolean NOT NULL DEFAULT false)"
)


@pytest.fixture
async def noted(pool: Pool) -> Pool:
    """Return the database with a table in which processes note their deliveries."""
    async with pool.connection() as connection:
        await connection.execute(TABLE)
    return pool


@asynccontextmanager
async def deliverer(
    database: str,
    *,
    each_s: float = 0,
    finish_within_s: float = TIME_LIMIT_S,
    intervals: Intervals = QUICK,
) -> AsyncIterator[BotProcess]:
    """Yield a worker that is at work; kill it at the end."""
    limits = each_s, finish_within_s, intervals.dead_after_s
    async with started("jobs.deliverer", database, *limits) as process:
        assert await next_line(process) == "ready"
        yield process


async def begun_by(pool: Pool, process: BotProcess) -> list[str]:
    """Return what the process has begun."""
    query = "SELECT key FROM delivery WHERE process = %s"
    return [key for (key,) in await rows(pool, query, process.pid)]


async def until_done(pool: Pool, keys: list[str]) -> None:
    query = "SELECT count(DISTINCT key) FROM delivery WHERE is_done"

    async def are_done() -> bool:
        return await rows(pool, query) == [(len(keys),)]

    await until(are_done)


async def until_begun(pool: Pool, process: BotProcess) -> None:
    async def has_begun() -> bool:
        return bool(await begun_by(pool, process))

    await until(has_begun)


async def test_the_jobs_of_a_killed_worker_are_done_by_another(database: str, noted: Pool) -> None:
    keys = digests_of(*(f"T{number:02}" for number in range(40)), each=2)
    async with deliverer(database, each_s=0.2) as doomed:
        await put_due(noted, keys)
        await until_begun(noted, doomed)

        doomed.kill()
        await doomed.wait()

    async with deliverer(database, intervals=MORTAL):
        await until_done(noted, keys)

    begun = set(await begun_by(noted, doomed))
    twice = await rows(noted, "SELECT key FROM delivery GROUP BY key HAVING count(*) > 1")
    assert {key for (key,) in twice} <= begun  # only what the dead one had begun


async def test_work_survives_a_database_restart(postgres: PostgresServer, noted: Pool) -> None:
    if not postgres.can_restart:
        pytest.skip("this server is not ours to restart")
    deliveries = Deliveries(wanted=2)
    await put_due(noted, digests_of("T1"))

    async with at_work(noted, deliveries, intervals=MORTAL) as takes_part:
        await until(lambda: is_delivered(deliveries, 1))
        postgres.stop()
        postgres.start()
        await until(lambda: works(noted))
        await put_due(noted, digests_of("T2"))
        await deliveries.until_done()
        await until(takes_part)

    assert deliveries.digests == digests_of("T1", "T2")


async def is_delivered(deliveries: Deliveries, count: int) -> bool:
    return len(deliveries.digests) == count


async def works(pool: Pool) -> bool:
    try:
        await rows(pool, "SELECT 1")
    except Exception:  # noqa: BLE001  # whatever the driver says
        return False
    return True
