"""Read a whole database, and fill an empty one in one transaction."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from time import perf_counter
from typing import Any, LiteralString

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
from bot.store.snapshot import PAGE_ROWS, Snapshot, WholeStore

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
WANTED: LiteralString = """
    WHERE (%(kinds)s::text[] IS NULL AND %(text)s::text IS NULL)
        OR split_part(key, '/', 2) = ANY(%(kinds)s)
        OR strpos(value::text, %(text)s) > 0
"""
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


async def database_pages(
    address: Address, *, kinds: Collection[str] | None = None, text: str | None = None
) -> AsyncGenerator[Snapshot]:
    """Yield the documents of these kinds, and those in whose JSON `text` occurs; by default all.

    In key order, page by page, all of one moment. The kind of `T1/digest/d1` is `digest`.

    Raises:
        OutdatedSchemaError: the database was never migrated.
        StoreError: it cannot be reached or read.
    """
    wanted = {"kinds": None if kinds is None else [*kinds], "text": text}
    connection = await connected(address)
    try:
        async with (
            connection.transaction(),
            aclosing(pages_of(connection, SELECT + WANTED, wanted)) as pages,
        ):
            async for page in pages:
                yield page
    except psycopg.errors.UndefinedTable as error:
        raise OutdatedSchemaError("no tables yet: run `python -m bot migrate`") from error
    except psycopg.Error as error:
        raise StoreError(f"cannot read {address.place}: {error}") from error
    finally:
        await connection.close()


@asynccontextmanager
async def whole_database(address: Address) -> AsyncIterator[WholeStore]:
    """Yield the whole store of one moment; raise as `database_pages` does."""
    connection = await connected(address)
    try:
        await connection.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
        async with connection.transaction():
            counting = await connection.execute("SELECT count(*) FROM document")
            (count,) = await counting.fetchone() or (0,)
            noting = await connection.execute(SELECT + "WHERE key = %s", (CHECK_KEY,))
            names = list[str]()
            if note := await noting.fetchone():
                with suppress(StoreError):  # its page names it as unreadable
                    names = [*document_of(note).value]
            async with aclosing(pages_of(connection, SELECT, {})) as pages:
                yield WholeStore(count, names, pages)
    except psycopg.errors.UndefinedTable as error:
        raise OutdatedSchemaError("no tables yet: run `python -m bot migrate`") from error
    except psycopg.Error as error:
        raise StoreError(f"cannot read {address.place}: {error}") from error
    finally:
        await connection.close()


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


async def pages_of(
    connection: Connection, query: LiteralString, parameters: dict[str, Any]
) -> AsyncGenerator[Snapshot]:
    """Yield the documents of a query for four columns like SELECT, in key order, page by page.

    Inside a transaction, from a cursor of the server's: all pages are of one moment.
    """
    async with connection.cursor(name="documents") as cursor:
        await cursor.execute(query + " ORDER BY key", parameters)
        while rows := await cursor.fetchmany(PAGE_ROWS):
            documents, unreadable = [], []
            for row in rows:
                try:
                    documents.append(document_of(row))
                except StoreError:
                    unreadable.append(row[0])
            yield Snapshot(tuple(documents), tuple(unreadable), len(documents))


class DatabaseRestore:
    """What goes on inside one `restoring_database`. Every method may raise psycopg.Error."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def is_used(self) -> bool:
        """Return whether it holds anything but the store's own notes, which are deleted."""
        cursor = await self._connection.execute(
            "SELECT 1 FROM document WHERE NOT starts_with(key, 'meta/') LIMIT 1"
        )
        if await cursor.fetchone():
            return True
        await self._connection.execute("DELETE FROM document")
        await self._connection.execute("DELETE FROM forgotten")
        return False

    async def write(self, documents: Sequence[Document]) -> None:
        """Write new documents as they are, revisions and all."""
        into = "COPY document (key, value, rev, due_at) FROM STDIN"
        async with self._connection.cursor() as cursor, cursor.copy(into) as copy:
            for each in documents:
                await copy.write_row((each.key, encode_value(each.value), each.rev, each.due_at))


@asynccontextmanager
async def restoring_database(address: Address) -> AsyncIterator[DatabaseRestore]:
    """Let documents arrive inside the block: at its end all are there; if it fails, none is.

    Other clients read what was there before. Their writes wait, and fail when that takes too long.
    StoreError: the database failed, or another restore is under way.
    """
    connection = await connected(address)
    try:
        async with connection.transaction():
            await _keep_others_out(connection)
            yield DatabaseRestore(connection)
    except psycopg.errors.UndefinedTable as error:
        raise OutdatedSchemaError("no tables yet: run `python -m bot migrate`") from error
    except psycopg.Error as error:
        raise StoreError(f"cannot write {address.place}: {error}") from error
    finally:
        await connection.close()


async def _keep_others_out(connection: Connection) -> None:
    cursor = await connection.execute("SELECT pg_try_advisory_xact_lock(%s)", (RESTORE_LOCK,))
    if await cursor.fetchone() != (True,):
        raise StoreError("another restore into that database is under way")
    # `true`: of this transaction only. A pooler gives the connection to somebody else then.
    await connection.execute("SELECT set_config('lock_timeout', %s, true)", (LOCKED_WITHIN,))
    await connection.execute("LOCK TABLE document, forgotten IN EXCLUSIVE MODE")
