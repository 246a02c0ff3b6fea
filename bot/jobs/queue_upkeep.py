"""Run the queue's periodic jobs, and retry the jobs of dead workers."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

import structlog
from procrastinate import App
from procrastinate.connector import BaseConnector
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager

from bot.jobs.queue_jobs import DELIVER, MAX_ATTEMPTS, PERIODIC, TICK
from bot.store.postgres.pool import Pool

logger = structlog.get_logger()
# More than the pool lets somebody wait for a connection. procrastinate 3.10 waits for ever.
WITHIN_S = 15.0


class Ends(JobManager):
    """procrastinate's way to the tables, which also remembers the ends that it could not write.

    procrastinate 3.10 writes an end once. When the connection breaks just then, the job stays
    "doing" under a worker that lives, and keeps back all others of its lock for ever. To write it
    again would be wrong when it was written after all: somebody else may have the job by then.
    """

    def __init__(self, connector: BaseConnector, *, within_s: float = WITHIN_S) -> None:
        super().__init__(connector)
        self._within_s = within_s
        self._unwritten: dict[int, int] = {}

    @property
    def unwritten(self) -> Mapping[int, int]:
        """The jobs of which it is not known that their ends were written: id and `attempts`.

        A worker that takes a job up again raises `attempts`, so both together mean this one try.
        """
        return dict(self._unwritten)

    def settle(self, jobs: Iterable[int]) -> None:
        """Remember these jobs no longer."""
        for job_id in jobs:
            self._unwritten.pop(job_id, None)

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        """See `JobManager.fetch_job`; a database that does not answer ends the worker."""
        try:
            async with asyncio.timeout(self._within_s):
                return await super().fetch_job(queues, worker_id)
        except TimeoutError as error:
            raise ConnectorException from error

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:  # noqa: FBT001  # theirs
        """See `JobManager.finish_job`; a failure of the database is remembered."""
        await self._written(job, super().finish_job(job, status, delete_job))

    async def retry_job(
        self,
        job: Job,
        retry_at: datetime | None = None,
        priority: int | None = None,
        queue: str | None = None,
        lock: str | None = None,
    ) -> None:
        """See `JobManager.retry_job`; likewise."""
        await self._written(job, super().retry_job(job, retry_at, priority, queue, lock))

    async def _written(self, job: Job, writing: Awaitable[None]) -> None:
        try:
            async with asyncio.timeout(self._within_s):
                await writing
        except Exception as error:  # noqa: BLE001  # whatever it is, the job must not stay
            if job.id is not None:
                self._unwritten[job.id] = job.attempts
            logger.warning("a job's end was not written", error=repr(error.__cause__ or error))


# So many may fail or be late before somebody should look.
MISSED = 3


class Pulse:
    """When the queue was last in order here, and when a tick here last went wrong."""

    def __init__(self, *, heartbeat_s: float, every_s: float) -> None:
        self._heartbeat_s = heartbeat_s
        self._every_s = every_s
        self.last_at = time.monotonic()
        self.failed_at: float | None = None
        self._stuck: Collection[str] = ()

    def note(self, stuck: Collection[str] = ()) -> None:
        """Record that the queue's database took a sign of life just now.

        `stuck` is the periodic work that goes on for too long, in whichever process: none of it
        comes round again before it ends, or its worker does.
        """
        self.last_at = time.monotonic()
        self._stuck = stuck

    @contextmanager
    def ticking(self) -> Iterator[None]:
        """Record how the tick inside the block goes; what it raises is passed on."""
        try:
            yield
        except Exception:
            self.failed_at = time.monotonic()
            raise
        self.failed_at = None

    async def are_recent(self) -> bool:
        """Say whether this process takes part, and no tick of its own has failed lately.

        And whether the periodic work of all comes round. Ticks are done by one of all workers:
        that none came to this one means nothing.
        """
        now = time.monotonic()
        if self._stuck or now - self.last_at > MISSED * self._heartbeat_s + 1:
            return False
        return self.failed_at is None or now - self.failed_at > MISSED * self._every_s


# One statement, so that of several who look at once one takes a job back: procrastinate's own way
# reads first and writes then, and may take it back from its next worker. Periodic work is
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
UPKEEP_WITHIN_S = 900.0
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
    values = {"queue": PERIODIC, "tick": TICK, "tick_s": TICK_WITHIN_S, "else_s": UPKEEP_WITHIN_S}
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
    """Put, forever, each periodic work into the queue at once and every `every_s` seconds.

    The database takes one for each moment, from the first process, and none while one waits.
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
