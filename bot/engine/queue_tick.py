"""The tick of the queue: digests that are due become jobs, each of them in one job only."""

from collections.abc import Awaitable, Callable, Collection
from datetime import datetime, timedelta

from procrastinate.jobs import Job

from bot.engine.queue_jobs import DELIVER, deliver_jobs
from bot.store.postgres.calls import told
from bot.store.postgres.claiming import claimed_due, due_again
from bot.store.postgres.pool import Connection, Pool

TICK = "tick"
# The kind of the documents that are delivered; see `bot/digests/shelf.py`.
KIND = "digest"
# So long a digest that is in a job is not looked for again.
LEASE = timedelta(minutes=10)
AT_ONCE = 20_000
WITHIN_S = 30.0
# What failed is due again after so long, although its lease is not over.
AGAIN_AFTER = timedelta(seconds=10)
# Not what waits for its next try: it may be about digests that nobody can read.
_WAITING = """
SELECT DISTINCT lock FROM procrastinate_jobs
WHERE status = 'todo' AND queue_name = %s AND (scheduled_at IS NULL OR scheduled_at <= now())
"""

# Defers jobs inside the transaction of the given connection.
Defer = Callable[[list[Job], Connection], Awaitable[object]]


async def tick(pool: Pool, defer: Defer, *, clock: Callable[[], datetime]) -> int:
    """Make jobs of the digests that are due, in one transaction; return how many digests.

    A workspace whose jobs still wait is passed over: its other digests would wait behind them
    anyway, and a queue that falls behind must not fill up with the same digests again.

    Raises:
        StoreError: the database failed, and nothing was changed. `defer` may raise more.
    """
    now = clock()
    async with told(WITHIN_S), pool.connection() as connection, connection.transaction():
        waiting = await (await connection.execute(_WAITING, (DELIVER,))).fetchall()
        due = await claimed_due(
            connection,
            KIND,
            now=now,
            until=now + LEASE,
            but_not=[lock for (lock,) in waiting],
            limit=AT_ONCE,
        )
        if due:
            await defer(deliver_jobs(due), connection)
    return len(due)


async def soon_again(
    pool: Pool, workspace: str, digest_ids: Collection[str], *, clock: Callable[[], datetime]
) -> None:
    """Let a tick find these digests of `workspace` again before their lease is over.

    Raises:
        StoreError: the database failed.
    """
    async with told(WITHIN_S), pool.connection() as connection:
        await due_again(connection, KIND, workspace, digest_ids, at=clock() + AGAIN_AFTER)
