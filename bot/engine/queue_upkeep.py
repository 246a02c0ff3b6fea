"""The queue's upkeep: periodic work comes round, and the jobs of dead workers do not stay."""

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Mapping

import structlog
from procrastinate import App
from procrastinate.exceptions import AlreadyEnqueued

from bot.engine.queue_ends import Ends
from bot.engine.queue_jobs import DELIVER, MAX_ATTEMPTS, PERIODIC
from bot.engine.queue_tick import TICK
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
    WHERE status = 'doing' AND (
        worker_id IS NULL
        OR worker_id IN (
            SELECT id FROM procrastinate_workers
            WHERE last_heartbeat < now() - make_interval(secs => %(dead_after_s)s)
        )
        OR (id, attempts) IN (SELECT * FROM unnest(%(ids)s::bigint[], %(attempts)s::int[]))
    )
    FOR UPDATE SKIP LOCKED
), dropped AS (
    DELETE FROM procrastinate_jobs job USING dead WHERE job.id = dead.id AND NOT dead.is_tried
)
UPDATE procrastinate_jobs job SET status = 'todo', attempts = attempts + 1, scheduled_at = NULL
FROM dead WHERE job.id = dead.id AND dead.is_tried
"""
_STILL_THERE = """
SELECT id FROM procrastinate_jobs
WHERE status = 'doing'
    AND (id, attempts) IN (SELECT * FROM unnest(%(ids)s::bigint[], %(attempts)s::int[]))
"""
_STUCK = """
SELECT task_name FROM procrastinate_jobs job
WHERE status = 'doing' AND queue_name = %(queue)s AND (
    SELECT max(at) FROM procrastinate_events WHERE job_id = job.id AND type = 'started'
) < now() - make_interval(
    secs => CASE task_name WHEN %(tick)s THEN %(tick_s)s ELSE %(else_s)s END
)
"""
# A tick gives up after half a minute; other work asks Slack for each of many workspaces.
TICK_WITHIN_S = 120.0
WITHIN_S = 900.0
NONE: Mapping[int, int] = {}


async def take_back(
    pool: Pool, *, dead_after_s: float, unwritten: Mapping[int, int] = NONE
) -> int:
    """Give the jobs of workers who are silent for so long to the others; return how many.

    And those of `unwritten` that are still the try that ended: see `Ends.unwritten`.
    """
    values = {"queue": DELIVER, "max_attempts": MAX_ATTEMPTS, "dead_after_s": dead_after_s}
    async with pool.connection() as connection:
        taken = await connection.execute(_TAKE_BACK, {**values, **_columns(unwritten)})
        return taken.rowcount


async def stuck(pool: Pool) -> list[str]:
    """Return the names of periodic work that goes on for longer than it ever should."""
    values = {"queue": PERIODIC, "tick": TICK, "tick_s": TICK_WITHIN_S, "else_s": WITHIN_S}
    async with pool.connection() as connection:
        found = await connection.execute(_STUCK, values)
        return [name for (name,) in await found.fetchall()]


async def keep_up(
    pool: Pool,
    ends: Ends,
    workers: Callable[[], Iterable[int]],
    note: Callable[[Collection[str]], object],
    *,
    every_s: float,
    dead_after_s: float,
) -> None:
    """For ever: let the database know that `workers` live, and look after the dead ones.

    `note` is called after each time that all of it worked, with what is stuck. It goes on while a
    worker stops: procrastinate's own heartbeat (3.10) ends before the last jobs do.
    """
    while True:
        try:
            async with asyncio.timeout(dead_after_s):
                await _look_after(pool, ends, workers(), dead_after_s)
                names = await stuck(pool)
            if names:
                logger.error("periodic work does not end", work=names)
            note(names)
        except Exception as error:  # noqa: BLE001  # whatever it is, the next time may be better
            logger.warning("the queue's upkeep failed", error=repr(error.__cause__ or error))
        await asyncio.sleep(every_s)


async def _look_after(pool: Pool, ends: Ends, workers: Iterable[int], dead_after_s: float) -> None:
    for worker_id in workers:
        await ends.update_heartbeat(worker_id)
    unwritten = ends.unwritten
    if taken := await take_back(pool, dead_after_s=dead_after_s, unwritten=unwritten):
        logger.warning("jobs of dead workers are for others now", jobs=taken)
    if unwritten:
        ends.settle(unwritten.keys() - await _still_there(pool, unwritten))
    await ends.prune_stalled_workers(dead_after_s)


async def _still_there(pool: Pool, unwritten: Mapping[int, int]) -> set[int]:
    """Return which of them could not be taken back, as a statement still holds them."""
    async with pool.connection() as connection:
        found = await connection.execute(_STILL_THERE, _columns(unwritten))
        return {job_id for (job_id,) in await found.fetchall()}


def _columns(unwritten: Mapping[int, int]) -> dict[str, list[int]]:
    return {"ids": [*unwritten.keys()], "attempts": [*unwritten.values()]}


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
