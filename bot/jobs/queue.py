"""Run jobs that any number of processes share, by procrastinate on PostgreSQL.

This module and `queue_jobs` are the only ones that know procrastinate. What it overrides, and
why: docs/decisions/0015-the-job-queue.md.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, LiteralString

import structlog
from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.worker import Worker

from bot.jobs.queue_jobs import (
    DELIVER,
    PERIODIC,
    RETRY_STALLED,
    TICK,
    Deliver,
    add_deliver,
    add_periodic,
    add_retry_stalled,
    described,
    tick,
)
from bot.jobs.scheduler import ROUND_WITHIN_S, ticking
from bot.process.clock import Clock
from bot.store.postgres.pool import Pool

logger = structlog.get_logger()
CONCURRENCY = 20
FINISH_WITHIN_S = 20.0
# So long handing back what was cut off may take.
HAND_BACK_WITHIN_S = 4.0
# More than the pool lets a caller wait for a connection.
ANSWER_WITHIN_S = 15.0
PAUSE_S = 1.0
# For a cancelled job to end.
ENDS_WITHIN_S = 10.0
# https://www.postgresql.org/docs/current/errcodes-appendix.html
RAISED, SHUTDOWN = "P0001", "57P"


@dataclass(frozen=True, slots=True)
class Intervals:
    """How often a worker looks for jobs, shows that it lives, and looks for stalled jobs.

    A worker that was silent for `dead_after_s` counts as dead. procrastinate 3.10 sends no
    heartbeat while a worker stops (pull request 1585), so it is more than the longest stop.
    """

    look_s: float = 1.0
    heartbeat_s: float = 5.0
    dead_after_s: float = 30.0
    stalled_every_s: int = 5


INTERVALS = Intervals()


class Connector(PsycopgConnector):
    """procrastinate's connector, with repeated writes."""

    async def execute_query_async(self, query: LiteralString, **arguments: Any) -> None:
        """Write, and repeat what a broken connection may have kept from being written.

        procrastinate writes the end of a job once. When that fails, the job stays "doing" under
        a worker that lives, and holds its lock for ever (issues 1446 and 1518).
        """
        while not await self._is_written(query, arguments):  # noqa: ASYNC110  # a database has no event
            await asyncio.sleep(PAUSE_S)

    async def _is_written(self, query: LiteralString, arguments: dict[str, Any]) -> bool:
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                await super().execute_query_async(query, **arguments)
        except (ConnectorException, TimeoutError) as error:
            state = getattr(error.__cause__, "sqlstate", None) or SHUTDOWN
            if state == RAISED:  # it was written before, or another worker has taken the job
                return True
            if not state.startswith(SHUTDOWN):
                raise
            logger.warning("the queue repeats a write", error=described(error))
            return False
        return True


@asynccontextmanager
async def working(
    pool: Pool,
    deliver: Deliver,
    periodic: Mapping[str, Callable[[], Awaitable[object]]],
    *,
    clock: Clock,
    every_s: float,
    concurrency: int = CONCURRENCY,
    finish_within_s: float = FINISH_WITHIN_S,
    intervals: Intervals = INTERVALS,
) -> AsyncIterator[Callable[[], Awaitable[bool]]]:
    """Do the queue's work inside the block; yield how to tell whether this process takes part.

    At the end of the block nothing new is taken; what has not ended within `finish_within_s` is
    cancelled, and handed back for another worker. Digests that are due are looked for every
    `every_s` seconds by one of all workers, as all of `periodic` is done by its names, never twice
    at once. `concurrency` deliveries are under way at once; periodic work does not wait for them.
    """
    logger.info("queue", at_once=concurrency)
    logging.getLogger("procrastinate").setLevel(logging.WARNING)  # two lines for each job
    connector = Connector()
    await connector.open_async(pool)  # it leaves a pool that it was given open
    app = App(connector=connector)
    make = partial(_worker, app, finish_within_s=finish_within_s, intervals=intervals)

    async def look() -> None:
        found = await tick(pool, app.job_manager.batch_defer_jobs_async, clock=clock)
        if found:
            logger.info("due", digests=found)

    works = {**periodic, TICK: look}
    names, stalled_s = [*works], intervals.stalled_every_s
    workers = [make(PERIODIC, len(names) + 1), make(DELIVER, concurrency)]
    add_deliver(app, deliver)
    for name, action in works.items():
        add_periodic(app, name, action, within_s=ROUND_WITHIN_S - ENDS_WITHIN_S)
    add_retry_stalled(app, dead_after_s=intervals.dead_after_s)

    async def takes_part() -> bool:
        return all(each.worker_id for each in workers)

    async with (
        _at_work(workers, finish_within_s + HAND_BACK_WITHIN_S),
        ticking(partial(_defer_periodic, app, names, every_s), every_s=every_s),
        ticking(partial(_defer_periodic, app, [RETRY_STALLED], stalled_s), every_s=stalled_s),
    ):
        yield takes_part


async def depth(pool: Pool) -> Mapping[tuple[str, str], int]:
    """Return how many jobs there are of each (task, state); the states are "todo" and "doing"."""
    async with pool.connection() as connection:
        counted = await connection.execute(
            "SELECT task_name, status::text, count(*) FROM procrastinate_jobs"
            " WHERE status IN ('todo', 'doing') GROUP BY task_name, status"
        )
        return {(task, state): count for task, state, count in await counted.fetchall()}


def _worker(
    app: App, queue: str, concurrency: int, *, finish_within_s: float, intervals: Intervals
) -> Worker:
    return Worker(
        app,
        queues=[queue],
        name=queue,
        concurrency=concurrency,
        fetch_job_polling_interval=intervals.look_s,
        shutdown_graceful_timeout=finish_within_s,
        listen_notify=False,  # freed locks send no notification, and poolers pass none on
        delete_jobs="always",
        install_signal_handlers=False,
        update_heartbeat_interval=intervals.heartbeat_s,
        stalled_worker_timeout=intervals.dead_after_s,
    )


async def _defer_periodic(app: App, names: Sequence[str], every_s: float) -> None:
    """Defer each periodic work for this moment, which the database takes from one process.

    cron knows whole seconds and no 45 of them, and TICK_SECONDS is any number from 0.5.
    """
    moment_ms = int(time.time() // every_s * every_s * 1000)
    try:
        for name in names:
            job = app.tasks[name].configure(task_kwargs={"timestamp": moment_ms}).job
            with suppress(AlreadyEnqueued):  # the last turn still waits
                await app.job_manager.defer_periodic_job(job, "", moment_ms)
    except ConnectorException as error:
        logger.warning("periodic work was not queued", error=described(error))


@asynccontextmanager
async def _at_work(workers: Sequence[Worker], end_within_s: float) -> AsyncIterator[None]:
    stop = asyncio.Event()
    running = [asyncio.create_task(keep_running(worker, stop)) for worker in workers]
    try:
        yield
    finally:
        stop.set()
        for worker in workers:
            worker.stop()  # type: ignore[no-untyped-call]  # procrastinate 3.10
        _, late = await asyncio.wait(running, timeout=end_within_s)
        for task in late:
            task.cancel()
        if late:
            logger.error("jobs do not end: others take them when this process is gone")


async def keep_running(worker: Worker, stop: asyncio.Event) -> None:
    """Run the worker until `stop`, again after each end.

    procrastinate ends a worker when PostgreSQL goes away (issues 1116 and 1463).
    """
    while not stop.is_set():
        try:
            await worker.run()  # type: ignore[no-untyped-call]  # procrastinate 3.10
        except ConnectorException as error:
            logger.warning("the queue cannot reach its database", error=described(error))
        except Exception:
            logger.exception("a worker of the queue failed")
        with suppress(TimeoutError):
            async with asyncio.timeout(PAUSE_S):
                await stop.wait()
