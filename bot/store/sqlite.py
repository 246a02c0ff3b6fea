"""The document store in one SQLite file, driven by one thread."""

import asyncio
import logging
import secrets
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from sqlitedict import SqliteDict

from bot.process.concurrency import outcome
from bot.store.documents import (
    CHECK_KEY,
    Document,
    StoreError,
    checked_key,
    checked_moment,
    checked_rev,
    decode_json,
    decode_row,
    encode_row,
    encode_value,
    end_of_prefix,
    kind_of,
    new_rev,
)
from bot.store.files import FileLock, Watch, lock_file_of, make_private_database

logger = logging.getLogger(__name__)
T = TypeVar("T")
BUSY_S = 5.0
# Each document's revision, and when it is due.
Heads = dict[str, tuple[int, datetime | None]]
# As bytes: text that is no UTF-8 would be an error before its key is known.
ROWS = "SELECT CAST(key AS BLOB), CAST(value AS BLOB) FROM docs"
AFTER_ALL_TEXT = b""  # SQLite sorts every BLOB after every TEXT
RANGE = f"{ROWS} WHERE key >= ? AND key < ? ORDER BY key"
KEYS = "SELECT CAST(key AS BLOB) FROM docs WHERE key >= ? AND key < ? ORDER BY key"
DELETE_UNDER = "DELETE FROM docs WHERE key >= ? AND key < ?"


def first_due(heads: Heads, moment: datetime, kinds: Collection[str], limit: int) -> list[str]:
    """Return what `Documents.due_keys` does, of all documents."""
    found = sorted(
        (due_at, key)
        for key, (_, due_at) in heads.items()
        if due_at and due_at <= moment and (not kinds or kind_of(key) in kinds)
    )
    return [key for _, key in found[:limit]]


def connected(path: Path, mode: str) -> sqlite3.Connection:
    """Open a file for use by any thread, one at a time.

    The mode `ro` neither makes the file nor writes to it: https://www.sqlite.org/uri.html
    """
    uri = f"{path.resolve().as_uri()}?mode={mode}"
    return sqlite3.connect(
        uri, uri=True, isolation_level=None, timeout=BUSY_S, check_same_thread=False
    )


def begin_reading(
    connection: sqlite3.Connection, path: Path
) -> Iterable[tuple[bytes, bytes | None]]:
    """Check the whole file and begin to read it, in the order of keys."""
    connection.execute("BEGIN")  # all that follows sees one moment
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise StoreError(f"{path} is damaged ({verdict}): put a backup in its place")
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'docs'").fetchone():
        return ()
    return connection.execute(f"{ROWS} ORDER BY key")


def heads_in(connection: sqlite3.Connection, path: Path) -> Heads:
    """Check the whole file and return the heads of its documents; StoreError: it is damaged."""
    heads: Heads = {}
    for key, value in begin_reading(connection, path):
        try:
            document = decode_row(key.decode(), value or b"")
        except ValueError:
            # It stays in the file. Reading it is a StoreError; the others can be used.
            logger.warning("a stored document cannot be read: %r", key)
        else:
            heads[document.key] = document.rev, document.due_at
    connection.execute("COMMIT")
    return heads


def open_rows(path: Path) -> SqliteDict:
    """Open the file as a dict of rows that are on the disk once they are written."""
    # Text, because pickle runs code from the file when it is read (CVE-2024-35515); autocommit,
    # because a failed commit of sqlitedict's hangs every later call (piskvorky/sqlitedict#108).
    rows = SqliteDict(
        str(path),
        tablename="docs",
        autocommit=True,
        journal_mode="WAL",
        outer_stack=False,  # True triples the cost of a read
        encode=str,
        decode=str,
    )
    for pragma in ("synchronous=FULL", "secure_delete=ON"):
        rows.conn.execute(f"PRAGMA {pragma}")
    return rows


def range_of(prefix: str) -> tuple[str, str | bytes]:
    """Return the first key with that prefix, and what comes after all of them."""
    end = end_of_prefix(checked_key(prefix)) if prefix else None
    return prefix, AFTER_ALL_TEXT if end is None else end


def read_rows(connection: sqlite3.Connection, start: str, end: str | bytes) -> list[Document]:
    """Return the documents from `start` to before `end`, in key order."""
    # All at once: a statement under way would keep a VACUUM out.
    rows = connection.execute(RANGE, (start, end)).fetchall()
    return [decode_row(key.decode(), value or b"") for key, value in rows]


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
        real = path.resolve()
        with ExitStack() as undo:
            self._lock = FileLock(lock_file_of(real))
            undo.callback(self._lock.close)
            make_private_database(real)
            self._watched = (Watch(path.absolute()), self._lock.watch)
            # Reads need no way to sqlitedict's thread, which damage or text that is no UTF-8 ends
            # without an answer.
            self._reader = connected(real, "rw")
            undo.callback(self._reader.close)
            self._heads = heads_in(self._reader, real)  # no other process writes
            self._rows = open_rows(real)
            undo.pop_all()
        self._writer = self._rows.conn

    async def run(self, action: Callable[[SqliteDict], T]) -> T:
        """Run `action` alone on the store's thread; a read-modify-write inside it is atomic.

        StoreError: it failed or took longer than the time limit (it may still finish).
        """
        if self._is_closed:
            raise StoreError("the store is closed")
        return await self._run(action)

    async def get(self, key: str) -> Document | None:
        checked_key(key)
        return await self.run(lambda _: self._get(key))

    async def put(
        self,
        key: str,
        value: Mapping[str, Any],
        *,
        due_at: datetime | None = None,
        if_rev: int | None = None,
    ) -> Document:
        checked_key(key)
        due_utc = checked_moment(due_at) if due_at else None
        value_json = encode_value(value)  # now: the caller may change it while we wait

        def put(rows: SqliteDict) -> Document:
            self._require_in_place()
            checked_rev(key, self._rev(key), if_rev)
            document = Document(key, decode_json(value_json), new_rev(), due_utc)
            rows[key] = encode_row(document.rev, due_utc, value_json)
            self._heads[key] = document.rev, due_utc
            return document

        return await self.run(put)

    async def delete(self, key: str, *, if_rev: int | None = None) -> bool:
        checked_key(key)

        def delete(rows: SqliteDict) -> bool:
            self._require_in_place()
            if if_rev is not None:
                checked_rev(key, self._rev(key), if_rev)
            try:
                del rows[key]
            except KeyError:
                return False
            self._heads.pop(key, None)
            return True

        return await self.run(delete)

    async def delete_prefix(self, prefix: str) -> int:
        checked_key(prefix)

        def delete(rows: SqliteDict) -> int:
            self._require_in_place()
            rows.conn.execute(DELETE_UNDER, range_of(prefix))
            (gone,) = rows.conn.select_one("SELECT changes()")
            for key in [each for each in self._heads if each.startswith(prefix)]:
                del self._heads[key]
            self._vacuum(rows)
            return int(gone)

        return await self.run(delete)

    async def vacuum(self) -> None:
        """Leave no trace of what was deleted or replaced. It may take minutes."""
        await self.run(self._vacuum)

    def _vacuum(self, rows: SqliteDict) -> None:
        """Rewrite the file, so that it and its log hold nothing that was deleted.

        `secure_delete` is not enough: SQLite 3.40 leaves deleted keys in the gaps of rearranged
        pages. While another program reads the file, the log keeps its traces until a later
        checkpoint (https://www.sqlite.org/pragma.html#pragma_wal_checkpoint).
        """
        self._require_in_place()
        rows.conn.select_one("VACUUM")
        (is_busy, _, _) = rows.conn.select_one("PRAGMA wal_checkpoint(TRUNCATE)")
        if is_busy:
            raise StoreError("another program reads the file, so traces are left in its log")

    async def list_prefix(self, prefix: str) -> list[Document]:
        wanted = range_of(prefix)
        return await self.run(lambda _: read_rows(self._reader, *wanted))

    async def list_keys(self, prefix: str) -> list[str]:
        wanted = range_of(prefix)
        return await self.run(
            lambda _: [key.decode() for (key,) in self._reader.execute(KEYS, wanted).fetchall()]
        )

    async def due_keys(self, moment: datetime, *kinds: str, limit: int = 1000) -> list[str]:
        utc = checked_moment(moment)
        return await self.run(lambda _: first_due(self._heads, utc, kinds, limit))

    async def check(self) -> None:
        await self.put(CHECK_KEY, {"token": secrets.token_hex(8)})
        await self.get(CHECK_KEY)

    async def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        try:
            await self._run(self._close)
        finally:
            self._thread.shutdown(wait=False)
            if not self._writer.is_alive():  # else it may still be writing: keep others out
                self._reader.close()
                self._lock.close()

    def _close(self, rows: SqliteDict) -> None:
        self._reader.close()  # first: the other one may hang
        rows.close()

    def _rev(self, key: str) -> int | None:
        """Return a document's revision; ValueError: it cannot be read."""
        if key in self._heads:
            return self._heads[key][0]
        document = self._get(key)
        return document.rev if document else None

    def _get(self, key: str) -> Document | None:
        found = read_rows(self._reader, key, f"{key}\0")
        return found[0] if found else None

    async def _run(self, action: Callable[[SqliteDict], T]) -> T:
        if not self._writer.is_alive():
            raise StoreError("the writer thread has died")
        loop = asyncio.get_running_loop()
        job = loop.run_in_executor(self._thread, action, self._rows)
        # A caller that is cancelled leaves its error behind, which asyncio would log.
        job.add_done_callback(lambda job: job.cancelled() or job.exception())
        try:
            # wait_for may lose a cancellation: https://github.com/python/cpython/issues/86296
            async with asyncio.timeout(self._timeout_s):
                return await outcome(job)
        except (sqlite3.Error, TimeoutError, ValueError) as error:
            raise StoreError(f"the store failed: {described(error)}") from error

    def _require_in_place(self) -> None:
        for watch in self._watched:
            watch.require_unmoved()


async def open_sqlite(path: Path, *, timeout_s: float = 10) -> SqliteDocuments:
    """Open the file, or make it and its folder. No later call waits longer than `timeout_s`.

    StoreLockedError: another process uses the file. StoreError: it is damaged or cannot be used.
    """
    logging.getLogger("sqlitedict").setLevel(logging.CRITICAL)  # 20 lines for each error of ours
    thread = ThreadPoolExecutor(1, "store")
    loop = asyncio.get_running_loop()
    try:
        return await loop.run_in_executor(thread, SqliteDocuments, path, thread, timeout_s)
    except (sqlite3.Error, OSError, RuntimeError) as error:  # the last: a loop of symbolic links
        thread.shutdown(wait=False)
        raise StoreError(f"cannot open {path}: {described(error)}") from error


def described(error: Exception) -> str:
    # Not its repr: that of a UnicodeError quotes the whole text.
    return f"{type(error).__name__}: {error}"
