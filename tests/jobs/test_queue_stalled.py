"""What dead workers leave: their jobs go to others, and those of the living are let alone."""

import pytest
from procrastinate import App
from procrastinate.exceptions import ConnectorException
from procrastinate.testing import InMemoryConnector
from structlog.testing import capture_logs

from bot.jobs.queue_jobs import MAX_ATTEMPTS, retry_stalled
from bot.store.postgres.pool import Pool
from tests.jobs.queue_room import MORTAL, Deliveries, at_work, digests_of, rows, until

DEAD, ALIVE = 3600, -3600  # seconds of silence


async def a_worker(pool: Pool, *, silent_s: float) -> int:
    found = await rows(
        pool,
        "INSERT INTO procrastinate_workers (last_heartbeat)"
        " VALUES (now() - make_interval(secs => %s)) RETURNING id",
        silent_s,
    )
    return int(found[0][0])


async def a_job(
    pool: Pool, worker_id: int | None, digest: str, *, queue: str = "deliver", attempts: int = 0
) -> int:
    workspace, _, digest_id = digest.split("/")
    found = await rows(
        pool,
        "INSERT INTO procrastinate_jobs"
        " (queue_name, task_name, status, attempts, worker_id, lock, args)"
        " VALUES (%s, 'deliver', 'doing', %s, %s, %s, jsonb_build_object('workspace', %s::text,"
        " 'digests', ARRAY[%s::text])) RETURNING id",
        queue,
        attempts,
        worker_id,
        workspace,
        workspace,
        digest_id,
    )
    return int(found[0][0])


async def test_only_the_jobs_of_dead_workers_are_taken_over(pool: Pool) -> None:
    lost, orphaned, kept, deadly, old = digests_of("T1", "T2", "T3", "T4", "T5")
    await a_job(pool, await a_worker(pool, silent_s=DEAD), lost)
    await a_job(pool, None, orphaned)  # the row of its worker is gone
    job_id = await a_job(pool, await a_worker(pool, silent_s=ALIVE), kept)
    given_up = [
        await a_job(pool, None, deadly, attempts=MAX_ATTEMPTS),
        await a_job(pool, None, old, queue="periodic"),  # as 1.0 had it
    ]
    deliveries = Deliveries(wanted=2)

    async def is_given_up() -> bool:
        return not await rows(
            pool, "SELECT id FROM procrastinate_jobs WHERE id = ANY(%s)", given_up
        )

    async with at_work(pool, deliveries):
        await deliveries.until_done()
        await until(is_given_up)

    assert sorted(deliveries.digests) == [lost, orphaned]
    found = await rows(
        pool, "SELECT id, attempts FROM procrastinate_jobs WHERE queue_name = %s", "deliver"
    )
    assert found == [(job_id, 0)]


async def test_a_living_worker_that_was_taken_for_dead_goes_on(pool: Pool) -> None:
    deliveries = Deliveries()

    async with at_work(pool, deliveries, intervals=MORTAL) as takes_part:
        await until(takes_part)
        await rows(pool, "DELETE FROM procrastinate_workers RETURNING id")
        await rows(
            pool,
            "INSERT INTO document (key, value, rev, due_at) VALUES"
            " ('-.T1/digest/d1', '{}', 1, '2026-01-01Z') RETURNING 1",
        )
        await deliveries.until_done()


async def test_a_silent_database_fails_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = App(connector=InMemoryConnector()).job_manager

    async def fail(**_asked: object) -> None:
        raise ConnectorException("gone")

    monkeypatch.setattr(manager, "get_stalled_jobs", fail)

    with capture_logs() as lines:
        await retry_stalled(manager, dead_after_s=1)

    assert [line["event"] for line in lines] == ["stalled jobs stay"]
