"""The queue's tables: what a new database gets at once is what an old one gets step by step."""

from bot.store.postgres.pool import Pool
from tests.jobs.queue_room import rows


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
