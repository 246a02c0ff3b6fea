"""Statements on the pool: each within a time limit, each failure a StoreError."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, LiteralString

import psycopg
from psycopg.errors import AdminShutdown, CannotConnectNow, CrashShutdown
from psycopg_pool import PoolClosed, PoolTimeout

from bot.store.errors import NoAnswerError, StoreError
from bot.store.postgres.errors import LostConnectionError
from bot.store.postgres.pool import Pool

SHUTDOWNS = (AdminShutdown, CannotConnectNow, CrashShutdown)
TIMEOUT_S = 10.0

Row = tuple[Any, ...]
Arguments = Sequence[object]


class Calls:
    """Runs statements, each of them a transaction of its own. Every method raises StoreError.

    NoAnswerError when the time is up.

    A caller that is cancelled, or whose time is up, lets the server cancel the statement; it may
    have happened all the same.
    """

    def __init__(self, pool: Pool, *, timeout_s: float = TIMEOUT_S) -> None:
        self.pool = pool
        self._timeout_s = timeout_s

    async def read(
        self,
        statement: LiteralString,
        arguments: Arguments = (),
        *,
        within_s: float | None = None,
    ) -> list[Row]:
        """Return the rows; asks once more when the connection breaks, as nothing is changed.

        `within_s`: in less time than other statements may take.
        """
        async with told(min(within_s or self._timeout_s, self._timeout_s)):
            try:
                return await self._run(statement, arguments)
            except LostConnectionError:
                return await self._run(statement, arguments)

    async def write(self, statement: LiteralString, arguments: Arguments = ()) -> list[Row]:
        """Return the rows.

        Raises:
            LostConnectionError: nobody knows whether it happened.
        """
        async with told(self._timeout_s):
            return await self._run(statement, arguments)

    async def write_long(self, statement: LiteralString, *, within_s: float) -> None:
        """Run a statement that takes its time."""
        async with told(within_s):
            await self._run(statement, ())

    async def _run(self, statement: LiteralString, arguments: Arguments) -> list[Row]:
        async with self.pool.connection() as connection:
            try:
                cursor = await connection.execute(statement, arguments)
                return await cursor.fetchall() if cursor.description else []
            except psycopg.Error as error:
                if connection.closed or isinstance(error, SHUTDOWNS):
                    raise LostConnectionError(f"the connection broke: {reason(error)}") from error
                raise


@asynccontextmanager
async def told(within_s: float) -> AsyncIterator[asyncio.Timeout]:
    """Turn what psycopg raises inside the block, or its lasting too long, into a StoreError.

    What it yields can be given another time limit.
    """
    try:
        async with asyncio.timeout(within_s) as limit:
            yield limit
    except PoolClosed as error:
        raise StoreError("the store is closed") from error
    except PoolTimeout as error:
        raise StoreError("no connection to the database became free in time") from error
    except TimeoutError as error:
        raise NoAnswerError(f"the database did not answer within {within_s:g} s") from error
    except psycopg.Error as error:
        raise StoreError(f"the database failed: {reason(error)}") from error


def reason(error: psycopg.Error) -> str:
    """Return the first line of what the server or the driver says: details may quote data."""
    lines = (error.diag.message_primary or str(error)).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"
