"""Read a whole store, document by document, and fill an empty one: here an SQLite file."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path

from bot.store.documents import Document, StoreError, decode_row, encode_row, encode_value
from bot.store.files import FileLock, lock_file_of, make_private_database

BUSY_S = 5.0
# As bytes: text that is no UTF-8 would be an error before its key is known.
ALL_ROWS = "SELECT CAST(key AS BLOB), CAST(value AS BLOB) FROM docs"
# Writes a new document as it is, revision and all.
Restore = Callable[[Document], Awaitable[object]]


def _opened_to_read(path: Path) -> sqlite3.Connection:
    # `mode=ro` neither makes the file nor writes to it: https://www.sqlite.org/uri.html
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro",
        uri=True,
        isolation_level=None,
        timeout=BUSY_S,
        check_same_thread=False,  # checked by another thread, which nothing else waits for
    )


def begin_reading(connection: sqlite3.Connection, path: Path, query: str) -> sqlite3.Cursor | None:
    """Check the whole file and begin to read it; `None` when it has no table yet."""
    connection.execute("BEGIN")  # all that follows sees one moment
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise StoreError(f"{path} is damaged ({verdict}): put a backup in its place")
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'docs'").fetchone():
        return None
    return connection.execute(query)


def document_of(key: str, value: bytes) -> Document:
    """Return the document in a row, or raise ValueError with its key."""
    try:
        return decode_row(key, value)
    except ValueError as error:
        raise ValueError(f"{key!r} cannot be read: {error}") from error


async def file_documents(path: Path) -> AsyncGenerator[Document]:
    """Yield all documents of the file, of one moment, in key order.

    While it is read, what others write waits in the log. It leaves the `-wal` and `-shm` files of
    any reader. StoreError: it is missing or damaged.
    """
    try:
        connection = _opened_to_read(path)
        with closing(connection):
            query = f"{ALL_ROWS} ORDER BY key"
            rows = await asyncio.to_thread(begin_reading, connection, path, query)
            for key, value in rows or ():
                yield document_of(key.decode(), value or b"")
    except (sqlite3.Error, OSError, RuntimeError, ValueError) as error:
        # RuntimeError: a loop of symbolic links
        raise StoreError(f"cannot read {path}: {type(error).__name__}: {error}") from error


@asynccontextmanager
async def restoring_file(path: Path) -> AsyncIterator[Restore]:
    """Fill a file that is empty but for its own notes in one transaction: all or none.

    Raises StoreLockedError: a process uses the file. StoreError: it holds data, or cannot be
    written.
    """
    real = await asyncio.to_thread(path.resolve)
    lock = FileLock(lock_file_of(real))
    is_new = not real.exists()  # under the lock: another restore may have made it until then
    try:
        make_private_database(real)
        with closing(_opened_to_write(real)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            # As sqlitedict makes it (2.1).
            connection.execute(
                "CREATE TABLE IF NOT EXISTS docs (key TEXT PRIMARY KEY, value BLOB)"
            )
            connection.execute("DELETE FROM docs WHERE key LIKE 'meta/%'")
            _require_empty(connection, path)

            async def write(each: Document) -> None:
                row = encode_row(each.rev, each.due_at, encode_value(each.value))
                connection.execute("INSERT INTO docs (key, value) VALUES (?, ?)", (each.key, row))

            yield write
            connection.execute("COMMIT")
    except BaseException as error:
        if is_new:
            real.unlink(missing_ok=True)
        if isinstance(error, sqlite3.Error | OSError):
            raise StoreError(f"cannot write {path}: {error}") from error
        raise
    finally:
        lock.release()


def _require_empty(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("SELECT 1 FROM docs LIMIT 1").fetchone():
        raise StoreError(f"{path} holds data already: nothing was written")


def _opened_to_write(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_S)
    connection.execute("PRAGMA synchronous=FULL")
    return connection
