"""A store in PostgreSQL, as the operator's commands use it."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import LiteralString

import psycopg

from bot.store.documents import Document, Documents, StoreError, StoreLockedError, encode_value
from bot.store.encryption import KeyRing, RingSource
from bot.store.postgres.address import Address
from bot.store.postgres.documents import COLUMNS, document_of, open_postgres
from bot.store.postgres.migrations import Steps
from bot.store.postgres.pool import Connection, connected
from bot.store.snapshot import Restore

CLIENTS: LiteralString = """
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = current_setting('application_name')
        AND pid <> pg_backend_pid()
"""
# The server lists a connection for a moment after its process has closed it.
ASKED_AFTER_S = (0.0, 0.1, 0.3, 1.0)
SELECT: LiteralString = f"SELECT {COLUMNS} FROM document "  # noqa: S608  # our own constant


@asynccontextmanager
async def _transaction(address: Address, verb: str) -> AsyncIterator[Connection]:
    """Yield a connection inside a transaction; `verb` is what is done to the database, for errors.

    StoreError: it was never migrated, or cannot be reached or used.
    """
    connection = await connected(address)
    try:
        async with connection.transaction():
            yield connection
    except psycopg.errors.UndefinedTable as error:
        raise StoreError("no tables yet: run `python -m bot migrate`") from error
    except psycopg.Error as error:
        raise StoreError(f"cannot {verb} {address.location}: {error}") from error
    finally:
        await connection.close()


class DatabaseStore:
    """See `FileStore`. `steps` are the migrations that writing needs."""

    def __init__(self, address: Address, steps: Steps) -> None:
        self.address = address
        self.steps = steps

    def require_there(self) -> None:
        """Do nothing: the first read fails when it is not there."""

    async def require_stopped(self) -> None:
        """Raise StoreLockedError while processes of the bot are connected.

        The connections of a pooler in between count too, and outlive the processes.
        """
        for wait_s in ASKED_AFTER_S:
            await asyncio.sleep(wait_s)
            async with _transaction(self.address, "read") as connection:
                if not await (await connection.execute(CLIENTS)).fetchone():
                    return
        raise StoreLockedError(f"it is connected to {self.address.location}. Stop it first.")

    async def documents(self) -> AsyncGenerator[Document]:
        """Yield all documents of one moment, in key order; raise as `_transaction` does."""
        async with _transaction(self.address, "read") as connection:
            await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            async with connection.cursor(name="documents") as cursor:
                await cursor.execute(SELECT + "ORDER BY key")
                async for row in cursor:
                    yield document_of(row)

    @asynccontextmanager
    async def restoring(self) -> AsyncIterator[Restore]:
        """Fill a database that is empty but for its own notes in one transaction: all or none.

        Other clients read what was there before. Their writes wait, and fail when that takes too
        long. StoreError: it holds data, or it failed.
        """
        async with _transaction(self.address, "write") as connection:
            # A writer of this moment has ended by then, or is stuck.
            await connection.execute("SET LOCAL lock_timeout = '10s'")
            await connection.execute("LOCK TABLE document, forgotten IN EXCLUSIVE MODE")
            await connection.execute("DELETE FROM document WHERE starts_with(key, 'meta/')")
            await connection.execute("DELETE FROM forgotten")
            if await (await connection.execute("SELECT 1 FROM document LIMIT 1")).fetchone():
                where = self.address.location
                raise StoreError(f"{where} holds data already: nothing was written")
            into = "COPY document (key, value, rev, due_at) FROM STDIN"
            async with connection.cursor() as cursor, cursor.copy(into) as copy:

                async def write(each: Document) -> None:
                    await copy.write_row(
                        (each.key, encode_value(each.value), each.rev, each.due_at)
                    )

                yield write

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Documents]:
        documents = await open_postgres(self.address, steps=self.steps)
        try:
            yield documents
        finally:
            await documents.close()

    def ring_source(self, setting: str | None) -> RingSource:
        return RingSource(KeyRing.parse(setting) if setting else None)
