"""What dead workers leave: their jobs go to others, and those of the living are let alone."""

import pytest
from procrastinate import App
from procrastinate.exceptions import ConnectorException
from procrastinate.testing import InMemoryConnector
from structlog.testing import capture_logs

from bot.jobs.queue_jobs import MAX_ATTEMPTS, RETRY_STALLED, add_retry_stalled
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
    pool: Pool,
    worker_id: int | None,
    *,
    digest: str = "-.T1/digest/d1",
    task: str = "deliver",
    attempts: int = 0,
) -> int:
    workspace, _, digest_id = digest.split("/")
    queue = "deliver" if task == "deliver" else "periodic"
    locks = (workspace, None) if task == "deliver" else (task, task)
    found = await rows(
        pool,
        "INSERT INTO procrastinate_jobs"
        " (queue_name, task_name, status, attempts, worker_id, lock, queueing_lock, args)"
        " VALUES (%s, %s, 'doing', %s, %s, %s, %s, jsonb_build_object('workspace', %s::text,"
        " 'digests', ARRAY[%s::text])) RETURNING id",
        queue,
        task,
        attempts,
        worker_id,
        *locks,
        workspace,
        digest_id,
    )
    return int(found[0][0])


async def test_only_the_jobs_of_dead_workers_are_taken_over(pool: Pool) -> None:
    lost, orphaned, kept = digests_of("T1", "T2", "T3")
    await a_job(pool, await a_worker(pool, silent_s=DEAD), digest=lost)
    await a_job(pool, None, digest=orphaned)  # the row of its worker is gone
    job_id = await a_job(pool, await a_worker(pool, silent_s=ALIVE), digest=kept)
    killed_many = await a_job(pool, None, digest="-.T4/digest/d0000", attempts=MAX_ATTEMPTS)
    deliveries = Deliveries(wanted=2)

    async def is_given_up() -> bool:
        return not await rows(pool, "SELECT id FROM procrastinate_jobs WHERE id = %s", killed_many)

    async with at_work(pool, deliveries):
        await deliveries.until_done()
        await until(is_given_up)

    assert sorted(deliveries.digests) == [lost, orphaned]
    found = await rows(
        pool, "SELECT id, attempts FROM procrastinate_jobs WHERE queue_name = %s", "deliver"
    )
    assert found == [(job_id, 0)]


async def test_periodic_work_comes_round_though_its_worker_died_at_it(pool: Pool) -> None:
    dead = await a_worker(pool, silent_s=DEAD)
    await a_job(pool, dead, task="tick")
    await a_job(pool, dead, task="retry_stalled")
    deliveries = Deliveries()
    await rows(
        pool,
        "INSERT INTO document (key, value, rev, due_at) VALUES"
        " ('-.T1/digest/d1', '{}', 1, '2026-01-01Z') RETURNING 1",
    )

    async with at_work(pool, deliveries):
        await deliveries.until_done()


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


@pytest.mark.parametrize("error", [TimeoutError(), ConnectorException("gone")])
async def test_a_silent_database_fails_no_job(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = App(connector=InMemoryConnector())
    add_retry_stalled(app, dead_after_s=1)

    async def fail(**_asked: object) -> None:
        raise error

    monkeypatch.setattr(app.job_manager, "get_stalled_jobs", fail)

    with capture_logs() as lines:
        await app.tasks[RETRY_STALLED](timestamp=0)

    assert [(line["event"], "exc_info" in line) for line in lines] == [
        ("stalled jobs stay", False)
    ]
