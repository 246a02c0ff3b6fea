"""The queue's tables: what a new database gets at once is what an old one gets step by step."""

from dataclasses import replace

import pytest

from bot.jobs.queue_jobs import queue_migrations
from bot.store.postgres.address import parse_address
from bot.store.postgres.migrations import migrate
from bot.store.postgres.pool import Pool, open_pool
from tests.jobs.queue_room import rows
from tests.postgres import PostgresServer

pytestmark = pytest.mark.anyio

SHAPES = (
    "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 2",
    "SELECT proname, proconfig::text FROM pg_proc WHERE proname = 'procrastinate_fetch_job_v2'",
    "SELECT table_name, column_name, data_type FROM information_schema.columns"
    " WHERE table_schema = 'public' ORDER BY 1, 2",
)


async def shapes_of(pool: Pool) -> list[object]:
    return [await rows(pool, query) for query in SHAPES]


async def test_step_by_step_leads_to_the_same_tables_as_at_once(postgres: PostgresServer) -> None:
    at_once = queue_migrations()
    found = []

    for steps in (at_once, replace(at_once, whole=None)):
        with postgres.database() as url:
            await migrate(parse_address(url), [steps])
            pool = await open_pool(parse_address(url))
            found.append(await shapes_of(pool))
            await pool.close()

    assert found[0] == found[1]


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
