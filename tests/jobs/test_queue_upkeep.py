"""What dead workers leave: their jobs go to others, and those of the living are let alone."""

import pytest

from bot.jobs.queue_jobs import MAX_ATTEMPTS
from bot.jobs.queue_upkeep import stuck, take_back
from bot.store.postgres.pool import Pool
from tests.jobs.queue_room import rows

pytestmark = pytest.mark.anyio


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
    queue: str = "deliver",
    status: str = "doing",
    attempts: int = 0,
    queueing_lock: str | None = None,
    task: str = "any",
) -> int:
    found = await rows(
        pool,
        "INSERT INTO procrastinate_jobs"
        " (queue_name, task_name, status, attempts, worker_id, queueing_lock)"
        " VALUES (%s, %s, %s, %s, %s, %s) RETURNING id",
        queue,
        task,
        status,
        attempts,
        worker_id,
        queueing_lock,
    )
    return int(found[0][0])


async def test_the_job_of_a_silent_worker_is_tried_again_and_that_of_a_living_one_is_not(
    pool: Pool,
) -> None:
    lost = await a_job(pool, await a_worker(pool, silent_s=17))
    kept = await a_job(pool, await a_worker(pool, silent_s=15))

    assert await take_back(pool, dead_after_s=16) == 1

    found = await rows(pool, "SELECT id, status::text, attempts FROM procrastinate_jobs")
    assert sorted(found) == sorted([(lost, "todo", 1), (kept, "doing", 0)])


async def test_the_job_of_a_worker_whose_row_is_gone_is_tried_again(pool: Pool) -> None:
    await a_job(pool, None)

    assert await take_back(pool, dead_after_s=16) == 1


async def test_periodic_work_of_a_dead_worker_is_dropped_as_its_next_turn_may_wait(
    pool: Pool,
) -> None:
    dead = await a_worker(pool, silent_s=17)
    await a_job(pool, dead, queue="periodic", queueing_lock="tick")
    waiting = await a_job(pool, None, queue="periodic", status="todo", queueing_lock="tick")

    await take_back(pool, dead_after_s=16)

    assert await rows(pool, "SELECT id FROM procrastinate_jobs") == [(waiting,)]


async def test_a_job_that_has_killed_many_workers_is_given_up(pool: Pool) -> None:
    await a_job(pool, None, attempts=MAX_ATTEMPTS)

    assert await take_back(pool, dead_after_s=16) == 0

    assert await rows(pool, "SELECT id FROM procrastinate_jobs") == []


async def begun(pool: Pool, job_id: int, *, ago_s: float) -> None:
    await rows(
        pool,
        "INSERT INTO procrastinate_events (job_id, type, at)"
        " VALUES (%s, 'started', now() - make_interval(secs => %s)) RETURNING id",
        job_id,
        ago_s,
    )


@pytest.mark.parametrize(
    ("task", "ago_s", "names"),
    [
        ("tick", 119, []),
        ("tick", 121, ["tick"]),
        ("proofs", 899, []),
        ("proofs", 901, ["proofs"]),
    ],
)
async def test_periodic_work_that_takes_too_long_counts_as_stuck(
    pool: Pool, task: str, ago_s: float, names: list[str]
) -> None:
    worker = await a_worker(pool, silent_s=0)
    await begun(pool, await a_job(pool, worker, queue="periodic", task=task), ago_s=ago_s)
    await begun(pool, await a_job(pool, worker), ago_s=5000)  # a delivery may take its time

    assert await stuck(pool) == names
