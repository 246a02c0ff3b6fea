"""The queue's tables and its jobs: digests that are due become jobs, each in one job only."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import structlog
from procrastinate import App, JobContext, RetryStrategy
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from procrastinate.schema import SchemaManager
from procrastinate.types import JSONValue

from bot.process.clock import Clock
from bot.process.errors import BotError
from bot.process.workspace import WorkspaceId
from bot.store.postgres.migrations import OURS, Steps
from bot.store.postgres.pool import Connection, Pool, db_errors

# procrastinate 3.10 has no index by lock (issue 1242), and PostgreSQL 18 takes the table for empty
# when 20,000 jobs come at once: each fetch sorted and compared all of them (5.6 s). With the index
# and in the order of the index that it is made for, a fetch takes less than 1 ms.
FETCHING = """
CREATE INDEX bot_jobs_by_lock ON procrastinate_jobs (lock) WHERE status IN ('todo', 'doing');
ALTER FUNCTION procrastinate_fetch_job_v2(character varying[], bigint)
    SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off;
"""
logger = structlog.get_logger()
DELIVER = "deliver"
DIGESTS_PER_JOB = 100
# After waits of 2, 4, 8 and 16 s: short and few, as a job that waits for its next try holds its
# lock (issue 1599). Then a tick finds the digests again when their lease is over.
MAX_ATTEMPTS = 4
# Takes up these digests of one workspace; raises what is to be tried again.
Deliver = Callable[[WorkspaceId, Sequence[str]], Awaitable[None]]
# The kind of the documents that are delivered; see `bot/digests/repository.py`.
KIND = "digest"
# So long a digest that is in a job is not looked for again.
LEASE = timedelta(minutes=10)
AT_ONCE = 20_000
WITHIN_S = 30.0
# Keys are `{workspace}/{kind}/{name}`. The order of locking is that of the index on `due_at`. Jobs
# that wait for their next try do not count: they may be about unreadable digests.
_CLAIM = """
WITH due AS (
    SELECT key, due_at FROM document
    WHERE due_at <= %(now)s
        AND split_part(key, '/', 2) = %(kind)s
        AND split_part(key, '/', 1) NOT IN (
            SELECT lock FROM procrastinate_jobs
            WHERE status = 'todo' AND queue_name = %(queue)s
                AND (scheduled_at IS NULL OR scheduled_at <= now())
        )
    ORDER BY due_at, key
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
), pushed AS (
    UPDATE document SET due_at = %(until)s FROM due WHERE document.key = due.key
)
SELECT split_part(key, '/', 1), split_part(key, '/', 3) FROM due ORDER BY due_at, key
"""
# Defers jobs inside the transaction of the given connection.
Defer = Callable[[list[Job], Connection], Awaitable[object]]


def migrations() -> Steps:
    """Return all that a database needs, in order: the store's own tables and the queue's.

    Those are procrastinate's, and ours in them. The names of its files begin with the version that
    needs them, so they sort by age:
    https://procrastinate.readthedocs.io/en/stable/howto/production/migrations.html
    """
    folder = Path(SchemaManager.get_migrations_path())
    files = sorted(folder.glob("*.sql"))
    theirs = {f"procrastinate/{path.stem}": path.read_text("utf-8") for path in files}
    return {**OURS, **theirs, "procrastinate/bot-01-fetching": FETCHING}


def add_deliver(app: App, run: Deliver) -> None:
    """Teach `app` to deliver; a job at which the store failed is tried again a few times.

    The jobs of one workspace run in turn.
    """

    async def deliver(context: JobContext, workspace: str, digests: list[str]) -> None:
        with structlog.contextvars.bound_contextvars(job=context.job.id, workspace=workspace):
            try:
                await run(WorkspaceId.parse(workspace), digests)
            except BotError as error:
                logger.warning("handed back", error=repr(error), attempts=context.job.attempts + 1)
                raise
            except Exception:
                logger.exception("unforeseen failure")

    # A cancelled job was cut off by a stop.
    again_after = RetryStrategy(max_attempts=MAX_ATTEMPTS, exponential_wait=2)
    app.task(name=DELIVER, queue=DELIVER, retry=again_after, pass_context=True)(deliver)


def described(error: Exception) -> str:
    """Return what the driver said of an error of procrastinate, or a time-out as it is."""
    cause = error.__cause__ if isinstance(error, ConnectorException) else None
    return repr(cause or error)


async def retry_stalled(manager: JobManager, *, dead_after_s: float) -> None:
    """Take the jobs of dead workers back; what another process takes at this moment is left to it.

    https://procrastinate.readthedocs.io/en/stable/howto/production/retry_stalled_jobs.html
    """
    try:
        for job in await manager.get_stalled_jobs(seconds_since_heartbeat=dead_after_s):
            logger.warning("a worker died or was silent", job=job.id, task=job.task_name)
            if job.queue == DELIVER and job.attempts < MAX_ATTEMPTS:
                await manager.retry_job(job)
            else:  # it has killed many workers, or is periodic work of 1.0
                await manager.finish_job(job, Status.FAILED, delete_job=True)
    except ConnectorException as error:
        logger.warning("stalled jobs stay", error=described(error))


def deliver_jobs(due: Sequence[tuple[Any, ...]]) -> list[Job]:
    """Return the jobs that deliver these (workspace, digest id), in the order of the first due."""
    digests: defaultdict[str, list[JSONValue]] = defaultdict(list)
    for workspace, digest_id in due:
        digests[workspace].append(digest_id)
    return [
        Job(
            queue=DELIVER,
            task_name=DELIVER,
            lock=workspace,
            queueing_lock=None,
            task_kwargs={"workspace": workspace, "digests": ids[first : first + DIGESTS_PER_JOB]},
        )
        for workspace, ids in digests.items()
        for first in range(0, len(ids), DIGESTS_PER_JOB)
    ]


async def claim_due(pool: Pool, defer: Defer, *, clock: Clock) -> int:
    """Make jobs of the digests that are due, in one transaction; return how many digests.

    A workspace whose jobs still wait is passed over: its other digests would wait behind them
    anyway, and a queue that falls behind must not fill up with the same digests again. After a
    StoreError nothing was changed; `defer` may raise more.
    """
    now = clock()
    wanted = {"now": now, "until": now + LEASE, "kind": KIND, "queue": DELIVER, "limit": AT_ONCE}
    async with db_errors(WITHIN_S), pool.connection() as connection, connection.transaction():
        due = await (await connection.execute(_CLAIM, wanted)).fetchall()
        if due:
            await defer(deliver_jobs(due), connection)
    return len(due)
