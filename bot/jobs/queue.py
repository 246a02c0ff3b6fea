"""Run jobs that any number of processes share, by procrastinate on PostgreSQL.

This module and `queue_jobs` are the only ones that know procrastinate. What it overrides, and
why: docs/decisions/0015-the-job-queue.md.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, LiteralString

import structlog
from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.worker import Worker

from bot.jobs.queue_jobs import DELIVER, Deliver, add_deliver, claim_due, described, retry_stalled
from bot.jobs.scheduler import ticking
from bot.process.clock import Clock
from bot.store.postgres.pool import Pool

logger = structlog.get_logger()
CONCURRENCY = 20
# So long handing back what was cut off may take.
HAND_BACK_WITHIN_S = 4.0
# More than the pool lets a caller wait for a connection.
ANSWER_WITHIN_S = 15.0
PAUSE_S = 1.0
# https://www.postgresql.org/docs/current/errcodes-appendix.html
RAISED, SHUTDOWN = "P0001", "57P"


@dataclass(frozen=True, slots=True)
class Intervals:
    """How often a worker looks for jobs, and shows that it lives and looks for stalled jobs.

    A worker that was silent for `dead_after_s` counts as dead. procrastinate 3.10 sends no
    heartbeat while a worker stops (pull request 1585), so it is more than the longest stop.
    """

    look_s: float = 1.0
    heartbeat_s: float = 5.0
    dead_after_s: float = 30.0


INTERVALS = Intervals()


class Connector(PsycopgConnector):
    """procrastinate's connector, with repeated writes."""

    async def execute_query_async(self, query: LiteralString, **arguments: Any) -> None:
        """Write, and repeat what a broken connection may have kept from being written.

        procrastinate writes the end of a job once. When that fails, the job stays "doing" under
        a worker that lives, and holds its lock for ever (issues 1446 and 1518).
        """
        while True:
            try:
                async with asyncio.timeout(ANSWER_WITHIN_S):
                    await super().execute_query_async(query, **arguments)
                    return
            except (ConnectorException, TimeoutError) as error:
                state = getattr(error.__cause__, "sqlstate", None) or SHUTDOWN
                if state == RAISED:  # it was written before, or another worker has taken the job
                    return
                if not state.startswith(SHUTDOWN):
                    raise
                logger.warning("the queue repeats a write", error=described(error))
            await asyncio.sleep(PAUSE_S)


@asynccontextmanager
async def working(
    pool: Pool,
    deliver: Deliver,
    *,
    clock: Clock,
    every_s: float,
    finish_within_s: float,
    intervals: Intervals = INTERVALS,
) -> AsyncIterator[Callable[[], Awaitable[bool]]]:
    """Do the queue's work inside the block; yield how to tell whether this process takes part.

    Digests that are due are looked for every `every_s` seconds. At the end of the block nothing
    new is taken; what has not ended within `finish_within_s` is cancelled, and handed back for
    another worker.
    """
    logger.info("queue", at_once=CONCURRENCY)
    logging.getLogger("procrastinate").setLevel(logging.WARNING)  # two lines for each job
    connector = Connector()
    await connector.open_async(pool)  # it leaves a pool that it was given open
    app = App(connector=connector)
    add_deliver(app, deliver)
    worker = Worker(
        app,
        queues=[DELIVER],
        name=DELIVER,
        concurrency=CONCURRENCY,
        fetch_job_polling_interval=min(intervals.look_s, every_s / 4),  # or a quick tick waits
        shutdown_graceful_timeout=finish_within_s,
        listen_notify=False,  # freed locks send no notification, and poolers pass none on
        delete_jobs="always",
        install_signal_handlers=False,
        update_heartbeat_interval=intervals.heartbeat_s,
        stalled_worker_timeout=intervals.dead_after_s,
    )

    async def look() -> None:
        found = await claim_due(pool, app.job_manager.batch_defer_jobs_async, clock=clock)
        if found:
            logger.info("due", digests=found)

    async def take_over() -> None:
        await retry_stalled(app.job_manager, dead_after_s=intervals.dead_after_s)

    async def takes_part() -> bool:
        return bool(worker.worker_id)

    async with (
        _at_work(worker, finish_within_s + HAND_BACK_WITHIN_S),
        ticking(look, every_s=every_s),
        ticking(take_over, every_s=intervals.heartbeat_s),
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


@asynccontextmanager
async def _at_work(worker: Worker, end_within_s: float) -> AsyncIterator[None]:
    stop = asyncio.Event()
    running = asyncio.create_task(keep_running(worker, stop))
    try:
        yield
    finally:
        stop.set()
        worker.stop()  # type: ignore[no-untyped-call]  # procrastinate 3.10
        await asyncio.wait({running}, timeout=end_within_s)
        if not running.done():
            running.cancel()
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
