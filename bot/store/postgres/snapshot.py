"""Read a whole database, and copy another store's documents into it in one transaction."""

import ipaddress
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, LiteralString

import psycopg

from bot.store.documents import Document, OutdatedSchemaError, StoreError, encode_value
from bot.store.postgres.address import Address
from bot.store.postgres.documents import COLUMNS, document_of
from bot.store.postgres.pool import Connection, Pool, connected, reason
from bot.store.snapshot import PAGE_ROWS, Snapshot

READ = "SELECT rev FROM document WHERE key = 'meta/key-check'"
# Too much for a page that is half empty, and random, as text of one kind is compressed.
WRITE: LiteralString = """
    INSERT INTO document (key, value, rev)
    SELECT 'meta/doctor', to_json(string_agg(md5(random()::text), '')), 1
    FROM generate_series(1, 500)
"""
# How many connections this user may open to this database, and how many there are. Everybody may
# read these tables, while most columns of pg_stat_activity are hidden from all but the owner:
# https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-DATABASE-VIEW
ROOM: LiteralString = """
    SELECT current_setting('max_connections')::int
            - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true)::int, 0),
        (SELECT coalesce(sum(numbackends), 0)::int FROM pg_stat_database),
        (SELECT datconnlimit FROM pg_database WHERE datname = current_database()),
        (SELECT numbackends FROM pg_stat_database WHERE datname = current_database()),
        (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user),
        (SELECT count(*)::int FROM pg_stat_activity WHERE usename = current_user)
"""
SELECT: LiteralString = f"SELECT {COLUMNS} FROM document "  # noqa: S608  # our own constant
WANTED: LiteralString = """
    WHERE (%(kinds)s::text[] IS NULL AND %(text)s::text IS NULL)
        OR split_part(key, '/', 2) = ANY(%(kinds)s)
        OR strpos(value::text, %(text)s) > 0
"""
# Any number, the same in every version: who moves in holds the lock of that number.
MOVE_LOCK = 7_203_311_928
# A writer of this moment has ended by then, or is stuck.
LOCKED_WITHIN = "10s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """`read_s`: how long a read took. `version` as in `16.2`.

    `allowed` connections, `used` of them by all clients: of the limit that is reached first.
    `is_near`: on this machine.
    """

    version: str
    is_near: bool
    is_encrypted: bool
    read_s: float
    documents: int
    allowed: int
    used: int


async def read_facts(pool: Pool) -> Facts:
    try:
        async with pool.connection() as connection:
            info = connection.info
            await connection.execute(READ)  # the first one takes longer
            began_at = perf_counter()
            await connection.execute(READ)
            read_s = perf_counter() - began_at
            counting = await connection.execute("SELECT count(*) FROM document")
            (count,) = await counting.fetchone() or (0,)
            asking = await connection.execute(ROOM)
            limits = await asking.fetchone() or ()
            allowed, used = tightest(*limits)
            return Facts(
                version=info.parameter_status("server_version") or "?",
                is_near=is_near(info.host, info.hostaddr),
                is_encrypted=connection.pgconn.ssl_in_use,
                read_s=read_s,
                documents=count,
                allowed=allowed,
                used=used,
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


def tightest(*limits: int) -> tuple[int, int]:
    """Return the limit that has the least left, and what is used of it; -1 is no limit."""
    pairs = [pair for pair in zip(limits[::2], limits[1::2], strict=True) if pair[0] >= 0]
    return min(pairs, key=lambda pair: pair[0] - pair[1])


def is_near(host: str, address: str) -> bool:
    """Return whether that is this machine: a socket in a folder, or a loopback address."""
    if not address:
        return not host or host.startswith("/")
    return ipaddress.ip_address(address).is_loopback


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


class PostgresImport:
    """What goes on inside one `import_transaction`. Every method may raise psycopg.Error."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def get(self, key: str) -> Document | None:
        cursor = await self._connection.execute(SELECT + "WHERE key = %s", (key,))
        row = await cursor.fetchone()
        return document_of(row) if row else None

    async def count_of_workspace_documents(self) -> int:
        """Return how many documents there are that are not the store's own."""
        cursor = await self._connection.execute(
            "SELECT count(*) FROM document WHERE NOT starts_with(key, 'meta/')"
        )
        (row,) = await cursor.fetchall()
        return int(row[0])

    async def delete_own(self) -> None:
        """Delete what the store has noted for itself, and whom it refuses to take in."""
        await self._connection.execute("DELETE FROM document WHERE starts_with(key, 'meta/')")
        await self._connection.execute("DELETE FROM forgotten")

    async def copy_in(self, documents: Sequence[Document]) -> None:
        """Write new documents as they are, revisions and all."""
        into = "COPY document (key, value, rev, due_at) FROM STDIN"
        async with self._connection.cursor() as cursor, cursor.copy(into) as copy:
            for each in documents:
                await copy.write_row((each.key, encode_value(each.value), each.rev, each.due_at))

    def pages(self) -> AsyncGenerator[Snapshot]:
        return pages_of(self._connection, SELECT, {})


@asynccontextmanager
async def import_transaction(address: Address) -> AsyncIterator[PostgresImport]:
    """Let documents arrive inside the block: at its end all are there; if it fails, none is.

    Other clients read what was there before. Their writes wait, and fail when that takes too long.
    StoreError: the database failed, or another move is under way.
    """
    connection = await connected(address)
    try:
        async with connection.transaction():
            await _keep_others_out(connection)
            yield PostgresImport(connection)
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
