"""A database that takes in the documents of another store, all of them or none."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager

import psycopg

from bot.store.base import Document
from bot.store.errors import StoreError
from bot.store.postgres.address import Address
from bot.store.postgres.pool import Connection, connected
from bot.store.postgres.snapshots import SELECT, pages_of
from bot.store.rows import encode_value

# Any number, the same in every version: who moves in holds the lock of that number.
MOVE_LOCK = 7_203_311_928
# Whoever writes at this moment has ended by then, or is stuck.
LOCKED_WITHIN = "10s"


class PostgresArrival:
    """What goes on inside one `arriving`. Every method may raise psycopg.Error."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def get(self, key: str) -> Document | None:
        """Return the document, or `None` when there is none."""
        query = SELECT + "WHERE key = %(key)s"
        async with aclosing(pages_of(self._connection, query, {"key": key})) as pages:
            found = [each async for page in pages for each in page.documents]
        return found[0] if found else None

    async def count_of_workspaces(self) -> int:
        """Return how many documents there are that are not the store's own."""
        cursor = await self._connection.execute(
            "SELECT count(*) FROM document WHERE NOT starts_with(key, 'meta/')"
        )
        (row,) = await cursor.fetchall()
        return int(row[0])

    async def make_room(self) -> None:
        """Delete what the store has noted for itself, and whom it refuses to take in."""
        await self._connection.execute("DELETE FROM document WHERE starts_with(key, 'meta/')")
        await self._connection.execute("DELETE FROM forgotten")

    async def take_in(self, documents: Sequence[Document]) -> None:
        """Write new documents as they are, revisions and all."""
        into = "COPY document (key, value, rev, due_at) FROM STDIN"
        async with self._connection.cursor() as cursor, cursor.copy(into) as copy:
            for each in documents:
                await copy.write_row((each.key, encode_value(each.value), each.rev, each.due_at))

    async def pages(self) -> AsyncGenerator[Sequence[Document]]:
        """Yield every document, in key order; what is none of ours is left out."""
        async with aclosing(pages_of(self._connection, SELECT, {})) as pages:
            async for page in pages:
                yield page.documents


@asynccontextmanager
async def arriving(address: Address) -> AsyncIterator[PostgresArrival]:
    """Let documents arrive inside the block: at its end all are there; if it fails, none is.

    Meanwhile others read what was there before. Their writes wait, and fail when that takes
    too long.

    Raises:
        StoreError: the database failed or cannot be reached, or another move is under way.
    """
    connection = await connected(address)
    try:
        async with connection.transaction():
            await _keep_others_out(connection)
            yield PostgresArrival(connection)
    except psycopg.Error as error:
        raise StoreError(f"the move into {address.place} failed: {error}") from error
    finally:
        await connection.close()


async def _keep_others_out(connection: Connection) -> None:
    cursor = await connection.execute("SELECT pg_try_advisory_xact_lock(%s)", (MOVE_LOCK,))
    if await cursor.fetchone() != (True,):
        raise StoreError("another move into that database is under way")
    # `true`: of this transaction only. A pooler gives the connection to somebody else then.
    await connection.execute("SELECT set_config('lock_timeout', %s, true)", (LOCKED_WITHIN,))
    await connection.execute("LOCK TABLE document, forgotten IN EXCLUSIVE MODE")
