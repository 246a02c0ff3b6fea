"""Read a whole store as pages of documents, and fill an empty one: here an SQLite file."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bot.store.documents import Document, StoreError, decode_row, encode_row, encode_value
from bot.store.encryption import CHECK_KEY
from bot.store.files import FileLock, lock_file_of, make_private_database

BUSY_S = 5.0
PAGE_ROWS = 100  # a document may be of a megabyte
# As bytes: text that is no UTF-8 would be an error before its key is known.
ALL_ROWS = "SELECT CAST(key AS BLOB), CAST(value AS BLOB) FROM docs"


@dataclass(frozen=True, slots=True)
class Page:
    """Documents of one moment, in key order, of `count` read; `unreadable`: keys of the others."""

    documents: tuple[Document, ...] = ()
    unreadable: tuple[str, ...] = ()
    count: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All documents of one moment: their number, the names of the keys at rest, the pages."""

    count: int
    key_names: list[str]
    pages: AsyncGenerator[Page]


def joined(pages: Sequence[Page]) -> Page:
    """Return all pages as one."""
    return Page(
        documents=tuple(each for page in pages for each in page.documents),
        unreadable=tuple(each for page in pages for each in page.unreadable),
        count=sum(page.count for page in pages),
    )


def _decoded(rows: Iterable[tuple[bytes | None, bytes | None]]) -> Page:
    documents, unreadable = [], []
    for key, value in rows:
        try:
            documents.append(decode_row((key or b"").decode(), value or b""))
        except ValueError:
            unreadable.append((key or b"").decode(errors="backslashreplace"))
    return Page(tuple(documents), tuple(unreadable), len(documents))


def _opened_to_read(path: Path) -> sqlite3.Connection:
    # `mode=ro` neither makes the file nor writes to it: https://www.sqlite.org/uri.html
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro",
        uri=True,
        isolation_level=None,
        timeout=BUSY_S,
        check_same_thread=False,  # used by one thread after the other, never by two at once
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


@asynccontextmanager
async def file_snapshot(path: Path) -> AsyncIterator[Snapshot]:
    """Yield the whole store at `path`, of one moment, in key order.

    While it is read, what others write waits in the log. It leaves the `-wal` and `-shm` files of
    any reader. StoreError: it is missing or damaged.
    """
    with _reading(path):
        connection = await asyncio.to_thread(_opened_to_read, path)
    with closing(connection):
        with _reading(path):
            query = f"{ALL_ROWS} ORDER BY key"
            cursor = await asyncio.to_thread(begin_reading, connection, path, query)
            count, names = await asyncio.to_thread(_counted, connection) if cursor else (0, [])
        async with aclosing(_pages_of(cursor, path)) as pages:
            yield Snapshot(count, names, pages)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError, RuntimeError) as error:  # the last: a loop of symbolic links
        raise StoreError(f"cannot read {path}: {type(error).__name__}: {error}") from error


def _counted(connection: sqlite3.Connection) -> tuple[int, list[str]]:
    (count,) = connection.execute("SELECT count(*) FROM docs").fetchone()
    note = connection.execute("SELECT value FROM docs WHERE key = ?", (CHECK_KEY,)).fetchone()
    with suppress(ValueError):  # its page names it as unreadable
        return count, [*decode_row(CHECK_KEY, note[0]).value] if note else []
    return count, []


async def _pages_of(cursor: sqlite3.Cursor | None, path: Path) -> AsyncGenerator[Page]:
    with _reading(path):
        while cursor and (page := await asyncio.to_thread(cursor.fetchmany, PAGE_ROWS)):
            yield _decoded(page)


class FileRestore:
    """Fills an SQLite file inside one transaction. See `restoring_file`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def is_used(self) -> bool:
        """Return whether it holds any document."""
        return self._connection.execute("SELECT 1 FROM docs LIMIT 1").fetchone() is not None

    async def write(self, documents: Sequence[Document]) -> None:
        rows = [
            (each.key, encode_row(each.rev, each.due_at, encode_value(each.value)))
            for each in documents
        ]
        statement = "INSERT INTO docs (key, value) VALUES (?, ?)"
        await asyncio.to_thread(self._connection.executemany, statement, rows)


@asynccontextmanager
async def restoring_file(path: Path) -> AsyncIterator[FileRestore]:
    """Fill a file that is empty but for its own notes in one transaction: all or none.

    Raises StoreLockedError: a process uses the file. StoreError: it cannot be written.
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
            yield FileRestore(connection)
            connection.execute("COMMIT")
    except BaseException as error:
        if is_new:
            real.unlink(missing_ok=True)
        if isinstance(error, sqlite3.Error | OSError):
            raise StoreError(f"cannot write {path}: {error}") from error
        raise
    finally:
        lock.release()


def _opened_to_write(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, isolation_level=None, timeout=BUSY_S, check_same_thread=False
    )
    connection.execute("PRAGMA synchronous=FULL")
    return connection
