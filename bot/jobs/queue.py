"""Run jobs that any number of processes share, by procrastinate on PostgreSQL.

This module and its neighbours `queue_*` are the only ones that know procrastinate.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog
from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.worker import Worker

from bot.jobs.queue_jobs import (
    DELIVER,
    PERIODIC,
    TICK,
    Work,
    add_deliver,
    add_periodic,
    soon_again,
    tick,
)
from bot.jobs.queue_upkeep import Ends, Pulse, come_round, keep_up
from bot.store.postgres.pool import Address, Pool

logger = structlog.get_logger()
FIRST_DELAY_S = 0.5
LONGEST_DELAY_S = 10.0
# Who has worked so long has not failed at the start.
GOOD_RUN_S = 60.0


class WorkerSupervisor:
    """Workers one after the other, until it is stopped.

    procrastinate 3.10 ends a worker when PostgreSQL goes away, with an error or without one.
    """

    def __init__(self, hire: Callable[[], Worker]) -> None:
        self._hire = hire
        self._worker: Worker | None = None
        self._is_over = asyncio.Event()

    @property
    def worker_id(self) -> int | None:
        """The number by which the database knows the present worker; `None`: there is none."""
        return self._worker.worker_id if self._worker else None

    def stop(self) -> None:
        """Take nothing new; `run` returns when what was begun has ended or is handed back."""
        self._is_over.set()
        if self._worker:
            self._worker.stop()  # type: ignore[no-untyped-call]  # procrastinate 3.10

    async def run(self) -> None:
        """Work until `stop`."""
        delay_s = FIRST_DELAY_S
        while not self._is_over.is_set():
            begun_at = time.monotonic()
            await self._work()
            if time.monotonic() - begun_at > GOOD_RUN_S:
                delay_s = FIRST_DELAY_S
            await self._rest(delay_s)
            delay_s = min(2 * delay_s, LONGEST_DELAY_S)

    async def _work(self) -> None:
        self._worker = self._hire()
        try:
            await self._worker.run()  # type: ignore[no-untyped-call]  # likewise
        except ConnectorException as error:
            logger.warning("the queue cannot reach its database", error=repr(error.__cause__))
        except Exception:
            logger.exception("a worker of the queue failed")
        finally:
            self._worker = None

    async def _rest(self, delay_s: float) -> None:
        if self._is_over.is_set():
            return
        logger.warning("a worker of the queue has ended; another begins", in_s=delay_s)
        waiting = asyncio.create_task(self._is_over.wait())
        await asyncio.wait({waiting}, timeout=delay_s)
        waiting.cancel()


CONCURRENCY = 20
FINISH_WITHIN_S = 20.0
# So long handing back what was cut off may take.
HAND_BACK_WITHIN_S = 4.0
NEVER_S = 1e9


@dataclass(frozen=True, slots=True)
class Intervals:
    """How often a process looks. After `dead_after_s` without a sign a worker counts as dead.

    Workers poll and do not listen: a job that was handed back sends no notification, nor does one
    whose lock became free (procrastinate 3.10), and a pooler in transaction mode passes none on.
    """

    look_s: float = 1.0
    heartbeat_s: float = 4.0
    dead_after_s: float = 16.0


INTERVALS = Intervals()


@asynccontextmanager
async def working(
    address: Address,
    pool: Pool,
    work: Work,
    *,
    every_s: float,
    concurrency: int = CONCURRENCY,
    finish_within_s: float = FINISH_WITHIN_S,
    intervals: Intervals = INTERVALS,
) -> AsyncIterator[Pulse]:
    """Do the queue's work inside the block; yield what tells whether that goes well.

    `pool` leads to `address`. At the end of the block nothing new is taken; what has not ended
    within `finish_within_s` is cancelled, and handed back for another worker. Digests that are
    due are looked for every `every_s` seconds by one of all workers, as all of `work.periodic`
    is done. `concurrency` deliveries are under way at once; periodic work does not wait for them.
    """
    logger.info("queue", database=address.place, at_once=concurrency)
    app, ends = await _app(pool)
    pulse = Pulse(heartbeat_s=intervals.heartbeat_s, every_s=every_s)
    names = _teach(app, pool, work, pulse)
    hire = partial(_worker, app, finish_within_s=finish_within_s, look_s=intervals.look_s)
    shifts = [
        WorkerSupervisor(partial(hire, PERIODIC, len(names))),
        WorkerSupervisor(partial(hire, DELIVER, concurrency)),
    ]
    async with (  # the upkeep goes on while jobs end: their workers live
        _beside(_upkeep(ends, pool, shifts, pulse, intervals)),
        _at_work(shifts, finish_within_s + HAND_BACK_WITHIN_S),
        _beside(come_round(app, names, every_s=every_s)),
    ):
        yield pulse


async def depth(pool: Pool) -> Mapping[tuple[str, str], int]:
    """Return how many jobs there are of each (task, state); the states are "todo" and "doing"."""
    async with pool.connection() as connection:
        counted = await connection.execute(
            "SELECT task_name, status::text, count(*) FROM procrastinate_jobs"
            " WHERE status IN ('todo', 'doing') GROUP BY task_name, status"
        )
        return {(task, state): count for task, state, count in await counted.fetchall()}


async def _app(pool: Pool) -> tuple[App, Ends]:
    logging.getLogger("procrastinate").setLevel(logging.WARNING)  # two lines for each job
    connector = PsycopgConnector()
    await connector.open_async(pool)  # it leaves a pool that it was given open
    app = App(connector=connector)
    app.job_manager = ends = Ends(connector)
    return app, ends


def _teach(app: App, pool: Pool, work: Work, pulse: Pulse) -> list[str]:
    """Teach `app` the work; return the names of what is periodic in it."""

    async def look() -> None:
        with pulse.ticking():
            found = await tick(pool, app.job_manager.batch_defer_jobs_async, clock=work.clock)
        if found:
            logger.info("due", digests=found)

    add_deliver(app, work, partial(soon_again, pool, clock=work.clock))
    for name, action in {**work.periodic, TICK: look}.items():
        add_periodic(app, name, action)
    return [*work.periodic, TICK]


def _worker(
    app: App, queue: str, concurrency: int, *, finish_within_s: float, look_s: float
) -> Worker:
    return Worker(
        app,
        queues=[queue],
        name=queue,
        concurrency=concurrency,
        fetch_job_polling_interval=look_s,
        abort_job_polling_interval=NEVER_S,  # jobs are never aborted
        shutdown_graceful_timeout=finish_within_s,
        listen_notify=False,
        delete_jobs="always",
        install_signal_handlers=False,
        update_heartbeat_interval=NEVER_S,  # `keep_up` does
        stalled_worker_timeout=NEVER_S,  # likewise
    )


async def _upkeep(
    ends: Ends, pool: Pool, shifts: Sequence[WorkerSupervisor], pulse: Pulse, intervals: Intervals
) -> None:
    await keep_up(
        pool,
        ends,
        lambda: [worker_id for shift in shifts if (worker_id := shift.worker_id)],
        pulse.note,
        every_s=intervals.heartbeat_s,
        dead_after_s=intervals.dead_after_s,
    )


@asynccontextmanager
async def _beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Do what never ends beside the block, and cancel it then."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


@asynccontextmanager
async def _at_work(shifts: Sequence[WorkerSupervisor], end_within_s: float) -> AsyncIterator[None]:
    crew = [asyncio.create_task(shift.run()) for shift in shifts]
    try:
        yield
    finally:
        for shift in shifts:
            shift.stop()
        _, late = await asyncio.wait(crew, timeout=end_within_s)
        for task in late:
            task.cancel()
        if late:
            logger.error("jobs do not end: others take them when this process is gone")
