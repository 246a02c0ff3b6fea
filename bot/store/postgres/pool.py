"""Connect to PostgreSQL: address, pool, time limits, errors."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from select import POLLIN, poll
from typing import Any, LiteralString, TypeAlias

import psycopg
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import TupleRow
from psycopg_pool import AsyncConnectionPool

from bot.store.documents import StoreError
from bot.store.postgres.address import Address

Connection: TypeAlias = AsyncConnection[TupleRow]
Pool: TypeAlias = AsyncConnectionPool[Connection]
WAIT_S = 10.0  # for a connection when all are in use
# psycopg_pool 3.3 doubles its pause with each failure; after so long it starts again when somebody
# asks for a connection, so that a database that was away for an hour is found within seconds.
RECONNECT_WITHIN_S = 5.0
# A pooler may give each transaction to another server, which does not know what was prepared:
# https://www.psycopg.org/psycopg3/docs/advanced/prepare.html#using-prepared-statements-with-pgbouncer
CONNECTING: dict[str, Any] = {"autocommit": True, "prepare_threshold": None}
TIMEOUT_S = 10.0
Row = tuple[Any, ...]
Arguments = Sequence[object]


class FreshPool(AsyncConnectionPool[Connection]):
    """A pool that gives out no connection that the server closed while it was idle.

    After a restart of the server that is so with all of them. To look costs a system call; the
    pool's own `check` costs a round trip, and waits a second after each that fails (3.3).
    """

    async def getconn(self, timeout: float | None = None) -> Connection:  # noqa: ASYNC109 - theirs
        while _has_ended(connection := await super().getconn(timeout)):
            await connection.close()
            await self.putconn(connection)
        return connection


async def open_pool(address: Address) -> Pool:
    """Return connections in autocommit; StoreError: the database cannot be reached.

    The message names the place, and no password.
    """
    await (await connected(address)).close()  # the pool does not say why it cannot connect
    # While the database is away the pool logs dozens of lines a second; each call logs its own.
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
    pool = FreshPool(
        address.conninfo,
        kwargs=CONNECTING,
        min_size=1,
        max_size=address.pool_size,
        timeout=WAIT_S,
        reconnect_timeout=RECONNECT_WITHIN_S,
        open=False,
        name="store",
    )
    try:
        # A pool that is closed while it connects leaves connections for a moment.
        await pool.open(wait=True, timeout=WAIT_S)
    except BaseException as error:
        await pool.close()
        if isinstance(error, psycopg.Error):
            raise StoreError(f"cannot connect to {address.location}: {error}") from error
        raise
    return pool


async def connected(address: Address) -> Connection:
    """Return one connection of its own, in autocommit; see `open_pool` for errors."""
    try:
        return await AsyncConnection.connect(address.conninfo, **CONNECTING)
    except (psycopg.Error, OSError, UnicodeError) as error:
        password = conninfo_to_dict(address.conninfo).get("password")
        reason = " ".join(str(error).split())
        reason = reason.replace(str(password), "…") if password else reason
        raise StoreError(f"cannot connect to {address.location}: {reason}") from None


def _has_ended(connection: Connection) -> bool:
    """Whether the server has ended it, as far as this machine has heard. No round trip."""
    looking = poll()
    try:
        looking.register(connection.fileno(), POLLIN)
        if not looking.poll(0):
            return False
        connection.pgconn.consume_input()  # a notice, or a changed setting, is no end
    except psycopg.Error:
        return True
    return bool(looking.poll(0))


async def run(
    pool: Pool, statement: LiteralString, arguments: Arguments = (), *, within_s: float = TIMEOUT_S
) -> list[Row]:
    """Run a statement as a transaction of its own; return its rows. Raise StoreError.

    When the time is up, the connection breaks, or the caller is cancelled, it may have happened
    all the same.
    """
    async with db_errors(within_s), pool.connection() as connection:
        cursor = await connection.execute(statement, arguments)
        return await cursor.fetchall() if cursor.description else []


@asynccontextmanager
async def db_errors(within_s: float) -> AsyncIterator[None]:
    """Turn what psycopg raises inside the block, or its lasting too long, into a StoreError."""
    try:
        async with asyncio.timeout(within_s):
            yield
    except TimeoutError as error:
        raise StoreError(f"the database did not answer within {within_s:g} s") from error
    except psycopg.Error as error:
        # The first line of what the server or the driver says: details may quote data.
        line = (error.diag.message_primary or str(error)).strip().partition("\n")[0]
        raise StoreError(f"the database failed: {type(error).__name__}: {line}") from error
