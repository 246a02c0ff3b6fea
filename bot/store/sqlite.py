"""The document store in one SQLite file, driven by one thread."""

import asyncio
import logging
import secrets
import sqlite3
from bisect import bisect_left, bisect_right, insort
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from bot.store.documents import (
    Document,
    StoreError,
    checked_key,
    checked_moment,
    checked_rev,
    decode_row,
    encode_row,
    encode_value,
    end_of_prefix,
    next_rev,
)
from bot.store.files import FileLock, Watch, lock_file_of, make_private_database

logger = logging.getLogger(__name__)
T = TypeVar("T")
BUSY_S = 5.0
# A document may be of a megabyte.
PAGE_ROWS = 100
# A vacuum rewrites the whole file.
WIPED_WITHIN_S = 600.0
AFTER_ALL_TEXT = b""  # SQLite sorts every BLOB after every TEXT
CHECK_KEY = "meta/check"
# As bytes: text that is no UTF-8 would be an error before its key is known.
ALL_ROWS = "SELECT CAST(key AS BLOB), CAST(value AS BLOB) FROM docs"
GET = "SELECT key, CAST(value AS BLOB) FROM docs WHERE key = ?"
DOCUMENTS_UNDER = (
    "SELECT key, CAST(value AS BLOB) FROM docs WHERE key >= ? AND key < ? ORDER BY key LIMIT ?"
)
KEYS_UNDER = "SELECT key FROM docs WHERE key >= ? AND key < ? ORDER BY key"
DELETE_UNDER = "DELETE FROM docs WHERE key >= ? AND key < ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The documents of one moment, in key order; `unreadable`: the keys of what is none."""

    documents: tuple[Document, ...] = ()
    unreadable: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all of them."""
        return tuple(sorted([*(each.key for each in self.documents), *self.unreadable]))


async def whole(pages: AsyncGenerator[Snapshot]) -> Snapshot:
    """Return all pages as one; raise as they do."""
    async with aclosing(pages):
        read = [page async for page in pages]
    return Snapshot(
        documents=tuple(each for page in read for each in page.documents),
        unreadable=tuple(each for page in read for each in page.unreadable),
    )


async def read_pages(path: Path, *, rows: int = PAGE_ROWS) -> AsyncGenerator[Snapshot]:
    """Yield the store at `path` in key order, at most so many rows at a time.

    All pages are of one moment: while they are read, what others write waits in the log.
    It leaves the `-wal` and `-shm` files beside the database that any reader of SQLite makes.

    Raises:
        StoreError: there is no such file, or it is damaged, or it is no database.
    """
    try:
        connection = await asyncio.to_thread(_opened_to_read, path)
        with closing(connection):
            query = f"{ALL_ROWS} ORDER BY key"
            cursor = await asyncio.to_thread(_begun, connection, path, query)
            while cursor and (page := await asyncio.to_thread(cursor.fetchmany, rows)):
                yield snapshot_of(page)
    except (sqlite3.Error, OSError, RuntimeError) as error:  # the last: a loop of symbolic links
        raise StoreError(f"cannot read {path}: {type(error).__name__}: {error}") from error


def snapshot_of(rows: Iterable[tuple[bytes | None, bytes | None]]) -> Snapshot:
    """Return the snapshot of rows as `encode_row` writes them."""
    documents, unreadable = [], []
    for key, value in rows:
        try:
            documents.append(decode_row((key or b"").decode(), value or b""))
        except ValueError:
            unreadable.append((key or b"").decode(errors="backslashreplace"))
    return Snapshot(documents=tuple(documents), unreadable=tuple(unreadable))


def _opened_to_read(path: Path) -> sqlite3.Connection:
    # `mode=ro` neither makes the file nor writes to it: https://www.sqlite.org/uri.html
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro",
        uri=True,
        isolation_level=None,
        timeout=BUSY_S,
        check_same_thread=False,  # used by one thread after the other, never by two at once
    )


def _begun(connection: sqlite3.Connection, path: Path, query: str) -> sqlite3.Cursor | None:
    """Look the whole file over and begin to read it; `None` when it has no table yet."""
    connection.execute("BEGIN")  # all that follows sees one moment
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise StoreError(f"{path} is damaged ({verdict}): put a backup in its place")
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'docs'").fetchone():
        return None
    return connection.execute(query)


class DueIndex:
    """Keeps `(due_at, key)` in order.

    Moving one of 50,000 entries costs about as much as copying a few hundred kilobytes.
    """

    def __init__(self) -> None:
        self._due_of: dict[str, datetime] = {}
        self._order: list[tuple[datetime, str]] = []

    def set(self, key: str, due_at: datetime | None) -> None:
        """Note when `key` comes due; `None`: never."""
        old = self._due_of.pop(key, None)
        if old is not None:
            del self._order[bisect_left(self._order, (old, key))]
        if due_at is not None:
            self._due_of[key] = due_at
            insort(self._order, (due_at, key))

    def forget_prefix(self, prefix: str) -> None:
        """Note that every key that begins with `prefix` never comes due."""
        self._due_of = {k: due for k, due in self._due_of.items() if not k.startswith(prefix)}
        self._order = [entry for entry in self._order if entry[1] in self._due_of]

    def keys_due(self, moment: datetime, limit: int) -> list[str]:
        """Return at most `limit` keys due at or before `moment`, the longest due first."""
        end = bisect_right(self._order, moment, key=lambda entry: entry[0])
        return [key for _, key in self._order[: min(end, limit)]]


class SqliteDocuments:
    """`Documents` in one file, one table, driven by one thread. Made by `open_sqlite`.

    While the thread is stuck, every call is a StoreError: leave the process with `os._exit` (a
    stuck thread blocks the normal way out).
    """

    def __init__(self, path: Path, thread: ThreadPoolExecutor, timeout_s: float) -> None:
        """Open the file. Blocks, so `open_sqlite` calls it on `thread`."""
        self._thread = thread
        self._timeout_s = timeout_s
        self._is_closed = False
        self._wipe: asyncio.Future[None] | None = None
        self._due = DueIndex()
        real = path.resolve()
        self._lock = FileLock(lock_file_of(real))
        try:
            make_private_database(real)
            self._watched = (Watch(path.absolute()), self._lock.watch)
            self._connection = self._opened(real)
        except BaseException:
            self._lock.release()
            raise

    def _opened(self, path: Path) -> sqlite3.Connection:
        connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_S)
        try:
            for key, value in _begun(connection, path, ALL_ROWS) or ():
                self._read_due(key, value)
            connection.execute("COMMIT")
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
                connection.execute(f"PRAGMA {pragma}")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS docs (key TEXT PRIMARY KEY, value BLOB)"
            )
        except BaseException:
            connection.close()
            raise
        return connection

    def _read_due(self, key: bytes, value: bytes | None) -> None:
        try:
            self._due.set(key.decode(), decode_row("", value or b"").due_at)
        except ValueError:
            # It stays where it is, and who asks for it gets a StoreError; the others can be used.
            logger.warning("a stored document cannot be read: %r", key)

    async def run(self, action: Callable[[sqlite3.Connection], T]) -> T:
        """Run `action` alone on the store's thread; a read-modify-write inside it is atomic.

        Raises:
            StoreError: it failed or took longer than the time limit (it may still finish).
        """
        job = self._begun(action)
        if self._wipe and not self._wipe.done():  # it comes first, and takes a time of its own
            await asyncio.wait({self._wipe}, timeout=WIPED_WITHIN_S)
        return await _outcome(job, self._timeout_s)

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

        def put(connection: sqlite3.Connection) -> Document:
            self._require_in_place()
            old = self._get(key)
            rev = old.rev if old else None
            checked_rev(key, rev, if_rev)
            row = encode_row(next_rev(rev), due_utc, value_json)
            connection.execute("REPLACE INTO docs (key, value) VALUES (?, ?)", (key, row))
            self._due.set(key, due_utc)
            return decode_row(key, row)

        return await self.run(put)

    async def delete(self, key: str, *, if_rev: int | None = None) -> bool:
        checked_key(key)

        def delete(connection: sqlite3.Connection) -> bool:
            self._require_in_place()
            if if_rev is not None:
                old = self._get(key)
                checked_rev(key, old.rev if old else None, if_rev)
            gone = connection.execute("DELETE FROM docs WHERE key = ?", (key,)).rowcount
            self._due.set(key, None)
            return gone > 0

        return await self.run(delete)

    async def delete_prefix(self, prefix: str) -> int:
        checked_key(prefix)

        def delete(connection: sqlite3.Connection) -> int:
            self._require_in_place()
            gone = connection.execute(DELETE_UNDER, _range(prefix)).rowcount
            self._due.forget_prefix(prefix)
            return gone

        return await self.run(delete)

    async def vacuum(self) -> None:
        self._wipe = self._begun(self._vacuum)
        await _outcome(self._wipe, WIPED_WITHIN_S)

    def _vacuum(self, connection: sqlite3.Connection) -> None:
        """Rewrite the file, so that it and its log hold nothing that was deleted.

        `secure_delete` is not enough: after 1,500 writes SQLite 3.40 still had deleted keys in
        the gaps of pages that it had rearranged. While another program reads the file, the log
        keeps its traces until a later checkpoint, at the latest until the store is closed
        (https://www.sqlite.org/pragma.html#pragma_wal_checkpoint).
        """
        self._require_in_place()
        connection.execute("VACUUM")
        (is_busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if is_busy:
            raise StoreError("another program reads the file, so traces are left in its log")

    async def list_prefix(self, prefix: str, *, limit: int | None = None) -> list[Document]:
        wanted = (*_range(prefix), -1 if limit is None else limit)
        return await self.run(
            lambda connection: [
                _document(*row) for row in connection.execute(DOCUMENTS_UNDER, wanted)
            ]
        )

    async def list_keys(self, prefix: str) -> list[str]:
        return await self.run(
            lambda connection: [key for (key,) in connection.execute(KEYS_UNDER, _range(prefix))]
        )

    async def due_keys(self, moment: datetime, *, limit: int = 1000) -> list[str]:
        utc = checked_moment(moment)
        return await self.run(lambda _: self._due.keys_due(utc, limit))

    async def check(self) -> None:
        await self.put(CHECK_KEY, {"token": secrets.token_hex(8)})
        await self.get(CHECK_KEY)

    async def close(self) -> None:
        """See `Documents.close`.

        Raises:
            StoreError: the file could not be closed; only `os._exit` surely ends the process.
        """
        if self._is_closed:
            return
        closing = self._begun(self._close)
        self._is_closed = True
        try:
            await _outcome(closing, self._timeout_s)
        finally:
            self._thread.shutdown(wait=False)

    def _close(self, connection: sqlite3.Connection) -> None:
        connection.close()
        self._lock.release()  # not before: others are kept out while this may be writing

    def _get(self, key: str) -> Document | None:
        row = self._connection.execute(GET, (key,)).fetchone()
        return _document(*row) if row else None

    def _begun(self, action: Callable[[sqlite3.Connection], T]) -> "asyncio.Future[T]":
        """Return what becomes of `action`, which is in the thread's line from now on."""
        if self._is_closed:
            raise StoreError("the store is closed")
        loop = asyncio.get_running_loop()
        return loop.run_in_executor(self._thread, action, self._connection)

    def _require_in_place(self) -> None:
        for watch in self._watched:
            watch.require_unmoved()


async def open_sqlite(path: Path, *, timeout_s: float = 10) -> SqliteDocuments:
    """Open the file, or make it and its folder. No later call waits longer than `timeout_s`.

    Raises:
        StoreLockedError: another process uses the file.
        StoreError: the file is damaged, is not one of ours, or cannot be used.
    """
    thread = ThreadPoolExecutor(1, "store")
    loop = asyncio.get_running_loop()
    try:
        return await loop.run_in_executor(thread, SqliteDocuments, path, thread, timeout_s)
    except (sqlite3.Error, OSError, RuntimeError) as error:  # the last: a loop of symbolic links
        thread.shutdown(wait=False)
        raise StoreError(f"cannot open {path}: {_told(error)}") from error
    except BaseException:
        thread.shutdown(wait=False)
        raise


async def _outcome(job: "asyncio.Future[T]", within_s: float) -> T:
    try:
        # wait_for may lose a cancellation: https://github.com/python/cpython/issues/86296
        async with asyncio.timeout(within_s):
            return await asyncio.shield(job)
    except (sqlite3.Error, TimeoutError, ValueError) as error:
        raise StoreError(f"the store failed: {_told(error)}") from error


def _range(prefix: str) -> tuple[str, str | bytes]:
    """Return the first key with that prefix, and what comes after all of them."""
    end = end_of_prefix(checked_key(prefix)) if prefix else None
    return prefix, AFTER_ALL_TEXT if end is None else end


def _document(key: str, value: bytes | None) -> Document:
    try:
        return decode_row(key, value or b"")
    except ValueError as error:
        raise ValueError(f"{key!r} cannot be read: {error}") from error


def _told(error: Exception) -> str:
    # Not its repr: that of a UnicodeError quotes the whole text.
    return f"{type(error).__name__}: {error}"
