"""The connections of one process to PostgreSQL."""

import logging
from select import POLLIN, poll
from typing import Any, TypeAlias

import psycopg
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import TupleRow
from psycopg_pool import AsyncConnectionPool

from bot.store.errors import StoreError
from bot.store.postgres.address import Address

Connection: TypeAlias = AsyncConnection[TupleRow]
Pool: TypeAlias = AsyncConnectionPool[Connection]

# So long a caller waits for a connection when all are in use.
WAIT_S = 10.0
# psycopg_pool 3.3 doubles its pause with each failure; after so long it begins anew when somebody
# asks for a connection, so that a database that was away for an hour is found within seconds.
RECONNECT_WITHIN_S = 5.0


class FreshPool(AsyncConnectionPool[Connection]):
    """A pool that gives out no connection which the server has closed while nobody used it.

    After a restart of the server that is so with all of them. To look costs a system call; the
    pool's own `check` costs a round trip, and waits a second after each that fails (3.3).
    """

    async def getconn(self, timeout: float | None = None) -> Connection:  # noqa: ASYNC109 - theirs
        """Return an open connection; see psycopg_pool."""
        while _has_ended(connection := await super().getconn(timeout)):
            await connection.close()
            await self.putconn(connection)
        return connection


async def open_pool(address: Address) -> Pool:
    """Return connections, each a transaction of its own by each statement (autocommit).

    Raises:
        StoreError: the database cannot be reached. The message tells where, and no password.
    """
    # Two lines for each call of ours, and while the database is away dozens a second: whoever asks
    # it then says so.
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
    pool = FreshPool(
        address.conninfo,
        kwargs=connecting(address),
        min_size=1,
        max_size=address.pool_size,
        timeout=WAIT_S,
        reconnect_timeout=RECONNECT_WITHIN_S,
        open=False,
        name="store",
    )
    await (await connected(address)).close()  # the pool itself does not tell why it cannot connect
    try:
        await pool.open(wait=True, timeout=WAIT_S)
    except BaseException as error:
        await pool.close()
        if isinstance(error, psycopg.Error):
            raise StoreError(f"cannot connect to {address.place}: {error}") from error
        raise
    return pool


async def connected(address: Address) -> Connection:
    """Return one connection of its own, in autocommit; see `open_pool` for errors."""
    try:
        return await AsyncConnection.connect(address.conninfo, **connecting(address))
    except (psycopg.Error, OSError, UnicodeError) as error:
        reason = _without_password(str(error), address)
        raise StoreError(f"cannot connect to {address.place}: {reason}") from None


def connecting(address: Address) -> dict[str, Any]:
    """Return how psycopg has to connect there, beside `conninfo`.

    A pooler may give each transaction to another server, which does not know what was prepared:
    https://www.psycopg.org/psycopg3/docs/advanced/prepare.html#using-prepared-statements-with-pgbouncer
    """
    return {"autocommit": True, **({"prepare_threshold": None} if address.is_pooled else {})}


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


def _without_password(text: str, address: Address) -> str:
    password = conninfo_to_dict(address.conninfo).get("password")
    told = " ".join(text.split())
    return told.replace(str(password), "…") if password else told
