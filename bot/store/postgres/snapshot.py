"""Read a whole database, and fill an empty one in one transaction."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from time import perf_counter
from typing import LiteralString

import psycopg

from bot.store.documents import Document, OutdatedSchemaError, StoreError, encode_value
from bot.store.encryption import CHECK_KEY
from bot.store.postgres.address import Address
from bot.store.postgres.documents import COLUMNS, document_of
from bot.store.postgres.pool import (
    Connection,
    Pool,
    connected,
    reason,
    with_pooler_found,
)
from bot.store.snapshot import PAGE_ROWS, Page, Snapshot

READ = "SELECT rev FROM document WHERE key = 'meta/key-check'"
# Too much for a page that is half empty, and random, as text of one kind is compressed.
WRITE: LiteralString = """
    INSERT INTO document (key, value, rev)
    SELECT 'meta/doctor', to_json(string_agg(md5(random()::text), '')), 1
    FROM generate_series(1, 500)
"""
CLIENTS: LiteralString = """
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = current_setting('application_name')
        AND pid <> pg_backend_pid()
"""
# A closed connection is listed for some more milliseconds.
LOOKED_AGAIN_AFTER_S = 1.0
SELECT: LiteralString = f"SELECT {COLUMNS} FROM document "  # noqa: S608  # our own constant
# Any number, the same in every version: who restores holds the lock of that number.
RESTORE_LOCK = 7_203_311_928
# A writer of this moment has ended by then, or is stuck.
LOCKED_WITHIN = "10s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """`read_s`: how long a read took. `version` as in `16.2`."""

    version: str
    read_s: float
    documents: int


async def read_facts(pool: Pool) -> Facts:
    try:
        async with pool.connection() as connection:
            await connection.execute(READ)  # the first one takes longer
            began_at = perf_counter()
            await connection.execute(READ)
            read_s = perf_counter() - began_at
            counting = await connection.execute("SELECT count(*) FROM document")
            (count,) = await counting.fetchone() or (0,)
            return Facts(
                version=connection.info.parameter_status("server_version") or "?",
                read_s=read_s,
                documents=count,
            )
    except psycopg.Error as error:
        raise StoreError(f"the database cannot be examined: {error}") from error


async def refused_write(pool: Pool) -> str:
    """Return why the database takes no writes, "" when it does: one is rolled back."""
    try:
        async with pool.connection() as connection, connection.transaction(force_rollback=True):
            await connection.execute(WRITE)
    except psycopg.Error as error:
        return reason(error)
    return ""


@asynccontextmanager
async def _transaction(address: Address, verb: str) -> AsyncIterator[Connection]:
    """Yield a connection inside a transaction; `verb` is what is done to the database, for errors.

    Raises OutdatedSchemaError: it was never migrated. StoreError: it cannot be reached or used.
    """
    connection = await connected(address)
    try:
        async with connection.transaction():
            yield connection
    except psycopg.errors.UndefinedTable as error:
        raise OutdatedSchemaError("no tables yet: run `python -m bot migrate`") from error
    except psycopg.Error as error:
        raise StoreError(f"cannot {verb} {address.place}: {error}") from error
    finally:
        await connection.close()


@asynccontextmanager
async def database_snapshot(address: Address) -> AsyncIterator[Snapshot]:
    """Yield the whole store of one moment, in key order; raise as `_transaction` does."""
    async with _transaction(address, "read") as connection:
        await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        counting = await connection.execute("SELECT count(*) FROM document")
        (count,) = await counting.fetchone() or (0,)
        noting = await connection.execute(SELECT + "WHERE key = %s", (CHECK_KEY,))
        names = list[str]()
        if note := await noting.fetchone():
            with suppress(StoreError):  # its page names it as unreadable
                names = [*document_of(note).value]
        async with aclosing(_pages_of(connection)) as pages:
            yield Snapshot(count, names, pages)


async def has_clients(address: Address) -> bool:
    """Return whether processes of the bot are connected, as far as the database tells.

    Behind a pooler it does not: its connections outlive the processes.
    """
    connection = await connected(address)
    try:
        if found := await _clients(connection):
            await asyncio.sleep(LOOKED_AGAIN_AFTER_S)
            found &= await _clients(connection)
    except psycopg.Error as error:
        raise StoreError(f"cannot read {address.place}: {error}") from error
    finally:
        await connection.close()
    return bool(found) and not (await with_pooler_found(address)).is_pooled


async def _clients(connection: Connection) -> set[int]:
    cursor = await connection.execute(CLIENTS)
    return {pid for (pid,) in await cursor.fetchall()}


async def _pages_of(connection: Connection) -> AsyncGenerator[Page]:
    async with connection.cursor(name="documents") as cursor:
        await cursor.execute(SELECT + "ORDER BY key")
        while rows := await cursor.fetchmany(PAGE_ROWS):
            documents, unreadable = [], []
            for row in rows:
                try:
                    documents.append(document_of(row))
                except StoreError:
                    unreadable.append(row[0])
            yield Page(tuple(documents), tuple(unreadable), len(documents))


class DatabaseRestore:
    """Fills a database inside one transaction. Every method may raise psycopg.Error."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def is_used(self) -> bool:
        """Return whether it holds any document."""
        cursor = await self._connection.execute("SELECT 1 FROM document LIMIT 1")
        return await cursor.fetchone() is not None

    async def write(self, documents: Sequence[Document]) -> None:
        """Write new documents as they are, revisions and all."""
        into = "COPY document (key, value, rev, due_at) FROM STDIN"
        async with self._connection.cursor() as cursor, cursor.copy(into) as copy:
            for each in documents:
                await copy.write_row((each.key, encode_value(each.value), each.rev, each.due_at))


@asynccontextmanager
async def restoring_database(address: Address) -> AsyncIterator[DatabaseRestore]:
    """Fill a database that is empty but for its own notes in one transaction: all or none.

    Other clients read what was there before. Their writes wait, and fail when that takes too long.
    StoreError: the database failed, or another restore is under way.
    """
    async with _transaction(address, "write") as connection:
        await _lock_for_restore(connection)
        await connection.execute("DELETE FROM document WHERE starts_with(key, 'meta/')")
        await connection.execute("DELETE FROM forgotten")
        yield DatabaseRestore(connection)


async def _lock_for_restore(connection: Connection) -> None:
    cursor = await connection.execute("SELECT pg_try_advisory_xact_lock(%s)", (RESTORE_LOCK,))
    if await cursor.fetchone() != (True,):
        raise StoreError("another restore into that database is under way")
    # `true`: of this transaction only. A pooler gives the connection to somebody else then.
    await connection.execute("SELECT set_config('lock_timeout', %s, true)", (LOCKED_WITHIN,))
    await connection.execute("LOCK TABLE document, forgotten IN EXCLUSIVE MODE")
