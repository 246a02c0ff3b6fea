"""The document store in one SQLite file, driven by one thread."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from sqlitedict import SqliteDict

from bot.store.documents import (
    Document,
    StoreError,
    checked_key,
    checked_moment,
    decode_json,
    decode_row,
    encode_row,
    encode_value,
)
from bot.store.files import FileLock, Watch, lock_file_of, make_private_database
from bot.store.sqlite_table import DueIndex, Table

BUSY_S = 5
# A document may be of a megabyte.
PAGE_ROWS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The documents of one moment, in key order; `unreadable`: the keys of what is none."""

    documents: tuple[Document, ...] = ()
    unreadable: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all of them."""
        return tuple(sorted([*(each.key for each in self.documents), *self.unreadable]))


async def read_snapshot(path: Path) -> Snapshot:
    """Return what the store at `path` holds now, also while another process writes to it.

    It leaves the `-wal` and `-shm` files beside the database that any reader of SQLite makes.

    Raises:
        StoreError: there is no such file, or it is damaged, or it is no database.
    """
    return await whole(read_pages(path))


async def whole(pages: AsyncGenerator[Snapshot]) -> Snapshot:
    """Return all pages as one; raise as they do."""
    async with aclosing(pages):
        read = [page async for page in pages]
    return Snapshot(
        documents=tuple(each for page in read for each in page.documents),
        unreadable=tuple(each for page in read for each in page.unreadable),
    )


async def read_pages(path: Path, *, rows: int = PAGE_ROWS) -> AsyncGenerator[Snapshot]:
    """Yield the same in key order, at most so many rows at a time; raise as above.

    All pages are of one moment: while they are read, what others write waits in the log.
    """
    try:
        connection = await asyncio.to_thread(_opened, path)
        with closing(connection):
            cursor = await asyncio.to_thread(_begun, connection, path)
            while cursor and (page := await asyncio.to_thread(cursor.fetchmany, rows)):
                yield snapshot_of((key or b"", value or b"") for key, value in page)
    except (sqlite3.Error, OSError, RuntimeError) as error:  # the last: a loop of symbolic links
        raise StoreError(f"cannot read {path}: {type(error).__name__}: {error}") from error


def snapshot_of(rows: Iterable[tuple[bytes, bytes]]) -> Snapshot:
    """Return the snapshot of rows as `encode_row` writes them, in any order."""
    documents, unreadable = [], []
    for key, value in sorted(rows):
        try:
            documents.append(decode_row(key.decode(), value))
        except ValueError:
            unreadable.append(key.decode(errors="backslashreplace"))
    return Snapshot(documents=tuple(documents), unreadable=tuple(unreadable))


def _opened(path: Path) -> sqlite3.Connection:
    # `mode=ro` neither makes the file nor writes to it: https://www.sqlite.org/uri.html
    address = f"{path.resolve().as_uri()}?mode=ro"
    return sqlite3.connect(
        address,
        uri=True,
        isolation_level=None,
        timeout=BUSY_S,
        check_same_thread=False,  # used by one thread after the other, never by two at once
    )


def _begun(connection: sqlite3.Connection, path: Path) -> sqlite3.Cursor | None:
    """Look the file over and begin to read it; `None` when it has no table yet."""
    connection.execute("BEGIN")  # all that follows sees one moment
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise StoreError(f"{path} is damaged ({verdict}): put a backup in its place")
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'docs'").fetchone():
        return None
    return connection.execute(
        "SELECT CAST(key AS BLOB), CAST(value AS BLOB) FROM docs ORDER BY CAST(key AS BLOB)"
    )


logger = logging.getLogger(__name__)


def due_in(path: Path) -> list[tuple[str, datetime]]:
    """Return what comes due when, after a look at the whole file.

    Done with plain sqlite3, because sqlitedict hangs when it meets damage between two rows.

    Raises:
        sqlite3.Error: it cannot be read.
        StoreError: it is damaged.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise StoreError(f"{path} is damaged ({verdict}): put a backup in its place")
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'docs'").fetchone():
            return []
        rows = connection.execute("SELECT CAST(key AS BLOB), CAST(value AS BLOB) FROM docs")
        documents = (_readable(key, value) for key, value in rows)
        return [(found.key, found.due_at) for found in documents if found and found.due_at]


def _readable(key: bytes, value: bytes) -> Document | None:
    try:
        return decode_row(key.decode(), value or b"")
    except ValueError:
        # It stays where it is, and who asks for it gets a StoreError; the others can be used.
        logger.warning("a stored document cannot be read: %r", key)
        return None


def open_rows(path: Path) -> SqliteDict:
    """Open the file as a dict of rows that are on the disk once they are written.

    Raises:
        sqlite3.Error, OSError, RuntimeError: it is none of ours, or cannot be used.
        StoreError: SQLite does not flush its writes.
    """
    # JSON, because pickle runs code from the file when it is read (CVE-2024-35515); autocommit,
    # because a failed commit of sqlitedict's hangs every later call (piskvorky/sqlitedict#108).
    rows = SqliteDict(
        str(path),
        tablename="docs",
        autocommit=True,
        journal_mode="WAL",
        outer_stack=False,  # True triples the cost of a read
        encode=encode_row,
        decode=decode_json,
    )
    for pragma in ("synchronous=FULL", "busy_timeout=5000", "secure_delete=ON"):
        rows.conn.execute(f"PRAGMA {pragma}")
    if rows.conn.select_one("PRAGMA synchronous") != (2,):
        raise StoreError("could not set synchronous=FULL")
    return rows


T = TypeVar("T")
# It rewrites the whole file.
WIPED_WITHIN_S = 600.0


class SqliteDocuments:
    """`Documents` in one file, one table, driven by one thread. Made by `open_sqlite`.

    When the thread is stuck or sqlitedict's own thread has died, every call is a StoreError:
    leave the process with `os._exit` (a stuck thread blocks the normal way out).
    """

    def __init__(self, path: Path, thread: ThreadPoolExecutor, timeout_s: float) -> None:
        """Open the file. Blocks, so `open_sqlite` calls it on `thread`."""
        self._thread = thread
        self._timeout_s = timeout_s
        self._is_closed = False
        self._wipe: asyncio.Future[None] | None = None
        real = path.resolve()
        self._lock = FileLock(lock_file_of(real))
        try:
            make_private_database(real)
            watched = (Watch(path.absolute()), self._lock.watch)
            due = DueIndex(due_in(real))
            rows = open_rows(real)
        except BaseException:
            self._lock.release()
            raise
        self._writer = rows.conn
        self._table = Table(rows, due, watched)

    async def run(self, action: Callable[[Table], T]) -> T:
        """Run `action` alone on the store's thread; a read-modify-write inside it is atomic.

        Raises:
            StoreError: it failed or took longer than the time limit (it may still finish).
        """
        self._require_open()
        job = self._begun(action)
        if self._wipe and not self._wipe.done():  # it comes first, and takes a time of its own
            await asyncio.wait({self._wipe}, timeout=WIPED_WITHIN_S)
        return await self._outcome(job, self._timeout_s)

    async def get(self, key: str) -> Document | None:
        """See `Documents.get`."""
        checked_key(key)
        return await self.run(lambda table: table.get(key))

    async def put(
        self,
        key: str,
        value: Mapping[str, Any],
        *,
        due_at: datetime | None = None,
        if_rev: int | None = None,
    ) -> Document:
        """See `Documents.put`."""
        checked_key(key)
        due_utc = checked_moment(due_at) if due_at else None
        value_json = encode_value(value)  # now: the caller may change it while we wait
        return await self.run(lambda table: table.put(key, value_json, due_utc, if_rev))

    async def delete(self, key: str, *, if_rev: int | None = None) -> bool:
        """See `Documents.delete`."""
        checked_key(key)
        return await self.run(lambda table: table.delete(key, if_rev))

    async def delete_prefix(self, prefix: str) -> int:
        """See `Documents.delete_prefix`."""
        checked_key(prefix)
        return await self.run(lambda table: table.delete_prefix(prefix))

    async def vacuum(self) -> None:
        """See `Documents.vacuum`."""
        self._wipe = self._begun(lambda table: table.vacuum())
        await self._outcome(self._wipe, WIPED_WITHIN_S)

    async def list_prefix(self, prefix: str, *, limit: int | None = None) -> list[Document]:
        """See `Documents.list_prefix`."""
        if prefix:
            checked_key(prefix)
        return await self.run(lambda table: table.list_prefix(prefix, limit))

    async def list_keys(self, prefix: str) -> list[str]:
        """See `Documents.list_keys`."""
        if prefix:
            checked_key(prefix)
        return await self.run(lambda table: table.list_keys(prefix))

    async def due_before(
        self, moment: datetime, *, prefix: str = "", limit: int = 100
    ) -> list[Document]:
        """See `Documents.due_before`."""
        utc = checked_moment(moment)
        return await self.run(lambda table: table.due_before(utc, prefix, limit))

    async def due_keys(self, moment: datetime, *, limit: int = 1000) -> list[str]:
        """See `Documents.due_keys`."""
        utc = checked_moment(moment)
        return await self.run(lambda table: table.due_keys(utc, limit))

    async def check(self) -> None:
        """See `Documents.check`."""
        await self.run(lambda table: table.check())

    async def close(self) -> None:
        """See `Documents.close`.

        Raises:
            StoreError: the file could not be closed; only `os._exit` surely ends the process.
        """
        if self._is_closed:
            return
        self._is_closed = True
        try:
            await self._outcome(self._begun(lambda table: table.close()), self._timeout_s)
        finally:
            self._thread.shutdown(wait=False)
            if not self._writer.is_alive():  # else it may still be writing: keep others out
                self._lock.release()

    def _require_open(self) -> None:
        if self._is_closed:
            raise StoreError("the store is closed")

    def _begun(self, action: Callable[[Table], T]) -> "asyncio.Future[T]":
        """Return what becomes of `action`, which is in the thread's line from now on."""
        if not self._writer.is_alive():
            raise StoreError("the writer thread has died")
        return asyncio.get_running_loop().run_in_executor(self._thread, action, self._table)

    async def _outcome(self, job: "asyncio.Future[T]", within_s: float) -> T:
        try:
            # wait_for may lose a cancellation: https://github.com/python/cpython/issues/86296
            async with asyncio.timeout(within_s):
                return await asyncio.shield(job)
        except (sqlite3.Error, TimeoutError, ValueError) as error:
            raise StoreError(f"the store failed: {_told(error)}") from error


async def open_sqlite(path: Path, *, timeout_s: float = 10) -> SqliteDocuments:
    """Open the file, or make it and its folder. No later call waits longer than `timeout_s`.

    Raises:
        StoreLockedError: another process uses the file.
        StoreError: the file is damaged, is not one of ours, or cannot be used.
    """
    logging.getLogger("sqlitedict").setLevel(logging.CRITICAL)  # 20 lines for each error of ours
    thread = ThreadPoolExecutor(1, "store")
    loop = asyncio.get_running_loop()
    opening = loop.run_in_executor(thread, SqliteDocuments, path, thread, timeout_s)
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        await _close_again(opening)
        thread.shutdown(wait=False)
        raise
    except (sqlite3.Error, OSError, RuntimeError) as error:  # the last: a loop of symbolic links
        thread.shutdown(wait=False)
        raise StoreError(f"cannot open {path}: {_told(error)}") from error
    except BaseException:
        thread.shutdown(wait=False)
        raise


async def _close_again(opening: "asyncio.Future[SqliteDocuments]") -> None:
    """Leave nothing open, or at work in the folder, of an opening whose caller has gone."""
    await asyncio.wait({opening})
    if opening.exception() is None:
        await opening.result().close()


def _told(error: Exception) -> str:
    # Not its repr: that of a UnicodeError quotes the whole text.
    return f"{type(error).__name__}: {error}"
