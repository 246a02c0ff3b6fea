"""Leases of due documents, and the list of deleted workspaces, in PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager
from datetime import datetime

from bot.store.postgres.pool import TIMEOUT_S, Calls, Connection, db_errors

# Keys are `{workspace}/{kind}/{name}`. The order of locking is that of the index on `due_at`.
_CLAIM = """
WITH due AS (
    SELECT key, due_at FROM document
    WHERE due_at <= %(now)s
        AND split_part(key, '/', 2) = %(kind)s
        AND split_part(key, '/', 1) NOT IN (SELECT unnest(%(but_not)s::text[]))
    ORDER BY due_at, key
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
), pushed AS (
    UPDATE document SET due_at = %(until)s FROM due WHERE document.key = due.key
)
SELECT split_part(key, '/', 1), split_part(key, '/', 3) FROM due ORDER BY due_at, key
"""
_DUE_AGAIN = """
UPDATE document SET due_at = %(at)s WHERE key = ANY(%(keys)s::text[]) AND due_at > %(at)s
"""


async def claimed_due(
    connection: Connection,
    kind: str,
    *,
    now: datetime,
    until: datetime,
    but_not: Collection[str] = (),
    limit: int,
) -> list[tuple[str, str]]:
    """Make documents of `kind` that are due at `now` due at `until`; return whose they are.

    Returns workspaces and names, the longest due first, at most `limit`. None of a workspace in
    `but_not`, and none that another transaction holds just now. Value and revision stay as they
    are. Nothing has happened until the transaction of `connection` is committed.
    """
    wanted = {"now": now, "until": until, "kind": kind, "limit": limit, "but_not": [*but_not]}
    claimed = await connection.execute(_CLAIM, wanted)
    return [(workspace, name) for workspace, name in await claimed.fetchall()]


async def due_again(
    connection: Connection, kind: str, workspace: str, names: Collection[str], *, at: datetime
) -> None:
    """Make those of these documents due at `at` that would be due later.

    None of them need be readable. Value and revision stay as they are.
    """
    keys = [f"{workspace}/{kind}/{name}" for name in names]
    await connection.execute(_DUE_AGAIN, {"at": at, "keys": keys})


class PostgresFences:
    """What `FencedDocuments` remembers, for an hour, and only as hashes.

    `put_document` asks for it in the transaction that writes (sql/0001-documents.sql).
    """

    def __init__(self, calls: Calls, *, timeout_s: float = TIMEOUT_S) -> None:
        self._calls = calls
        self._timeout_s = timeout_s
        # At most one connection of this process waits for a turn, or keeps one: the others are
        # for the deletion itself, and for everybody else.
        self.turn = asyncio.Lock()

    @asynccontextmanager
    async def forgetting(self, prefix: str, *, but: Iterable[str] = ()) -> AsyncIterator[None]:
        """See `ErasableDocuments.forgetting`.

        Raises:
            StoreError: it failed, or somebody else has the turn for too long.
        """
        async with (
            self.turn,
            db_errors(self._timeout_s) as limit,
            self._calls.pool.connection() as connection,
            connection.transaction(),
        ):
            await connection.execute("SELECT take_turn(%s)", (prefix,))
            await self._calls.write("SELECT forget_prefix(%s, %s)", (prefix, list(but)))
            limit.reschedule(None)  # what is done inside has limits of its own
            yield

    async def welcome(self, prefix: str) -> None:
        """See `ErasableDocuments.welcome`."""
        await self._calls.write("SELECT welcome_prefix(%s)", (prefix,))

    async def drop_old(self) -> None:
        """Remove what has ended by itself."""
        await self._calls.write("DELETE FROM forgotten WHERE until <= now()")
