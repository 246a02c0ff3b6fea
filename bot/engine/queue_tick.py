"""The tick of the queue: digests that are due become jobs, each of them in one job only."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from procrastinate.jobs import Job

from bot.engine.queue_jobs import DELIVER, deliver_jobs
from bot.store.postgres.calls import told
from bot.store.postgres.claiming import claimed_due
from bot.store.postgres.pool import Connection, Pool

# The kind of the documents that are delivered; see `bot/digests/shelf.py`.
KIND = "digest"
# So long a digest that is in a job is not looked for again.
LEASE = timedelta(minutes=10)
AT_ONCE = 20_000
WITHIN_S = 30.0
_WAITING = "SELECT DISTINCT lock FROM procrastinate_jobs WHERE status = 'todo' AND queue_name = %s"

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
