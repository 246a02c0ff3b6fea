"""The queue's upkeep: periodic work comes round, and the jobs of dead workers do not stay."""

import asyncio
import time
from collections.abc import Callable, Iterable

import structlog
from procrastinate import App
from procrastinate.exceptions import AlreadyEnqueued
from procrastinate.manager import JobManager

from bot.engine.queue_jobs import DELIVER, MAX_ATTEMPTS
from bot.store.postgres.pool import Pool

logger = structlog.get_logger()

# One statement, so that of several who look at once one takes a job back: procrastinate's own way
# reads first and writes then, and may take it back from whoever has it by then. Periodic work is
# dropped, as it comes round anyway: to put it back while its next turn waits fails for good,
# https://github.com/procrastinate-org/procrastinate/issues/1446
_TAKE_BACK = """
WITH dead AS (
    SELECT id, queue_name = %(queue)s AND attempts < %(max_attempts)s AS is_tried
    FROM procrastinate_jobs
    WHERE status = 'doing' AND (worker_id IS NULL OR worker_id IN (
        SELECT id FROM procrastinate_workers
        WHERE last_heartbeat < now() - make_interval(secs => %(dead_after_s)s)
    ))
    FOR UPDATE SKIP LOCKED
), dropped AS (
    DELETE FROM procrastinate_jobs job USING dead WHERE job.id = dead.id AND NOT dead.is_tried
)
UPDATE procrastinate_jobs job SET status = 'todo', attempts = attempts + 1, scheduled_at = NULL
FROM dead WHERE job.id = dead.id AND dead.is_tried
"""


async def take_back(pool: Pool, *, dead_after_s: float) -> int:
    """Give the jobs of workers who are silent for so long to the others; return how many."""
    values = {"queue": DELIVER, "max_attempts": MAX_ATTEMPTS, "dead_after_s": dead_after_s}
    async with pool.connection() as connection:
        return (await connection.execute(_TAKE_BACK, values)).rowcount


async def keep_up(
    pool: Pool,
    jobs: JobManager,
    workers: Callable[[], Iterable[int]],
    note: Callable[[], object],
    *,
    every_s: float,
    dead_after_s: float,
) -> None:
    """For ever: let the database know that `workers` live, and look after the dead ones.

    `note` is called after each time that all of it worked. It goes on while a worker stops:
    procrastinate's own heartbeat (3.10) ends before the last jobs do.
    """
    while True:
        try:
            async with asyncio.timeout(dead_after_s):
                await _look_after(pool, jobs, workers(), dead_after_s)
            note()
        except Exception as error:  # noqa: BLE001  # whatever it is, the next time may be better
            logger.warning("the queue's upkeep failed", error=repr(error.__cause__ or error))
        await asyncio.sleep(every_s)


async def _look_after(
    pool: Pool, jobs: JobManager, workers: Iterable[int], dead_after_s: float
) -> None:
    for worker_id in workers:
        await jobs.update_heartbeat(worker_id)
    if taken := await take_back(pool, dead_after_s=dead_after_s):
        logger.warning("jobs of dead workers are for others now", jobs=taken)
    await jobs.prune_stalled_workers(dead_after_s)


async def come_round(app: App, names: Iterable[str], *, every_s: float) -> None:
    """For ever: put each periodic work into the queue at once and every `every_s` seconds.

    The database takes one for each moment, whoever brings it first, and none while one waits.
    procrastinate's own clock (3.10) knows whole seconds only, and stands still for an hour when
    the machine's is set back by one.
    """
    names = [*names]
    while True:
        turn = int(time.time() // every_s)
        try:
            for name in names:
                await _put(app, name, int(turn * every_s * 1000))
        except Exception as error:  # noqa: BLE001  # as above
            logger.warning("periodic work was not queued", error=repr(error.__cause__ or error))
        await asyncio.sleep((turn + 1) * every_s - time.time())


async def _put(app: App, name: str, moment_ms: int) -> None:
    job = app.tasks[name].configure(task_kwargs={"timestamp": moment_ms}).job
    try:
        await app.job_manager.defer_periodic_job(job, periodic_id="", defer_timestamp=moment_ms)
    except AlreadyEnqueued:
        logger.debug("the last turn still waits", work=name)
