"""Read a whole store as pages of documents: here from its SQLite file."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing, closing
from dataclasses import dataclass
from pathlib import Path

from bot.store.documents import Document, StoreError, decode_row

BUSY_S = 5.0
PAGE_ROWS = 100  # a document may be of a megabyte
# As bytes: text that is no UTF-8 would be an error before its key is known.
ALL_ROWS = "SELECT CAST(key AS BLOB), CAST(value AS BLOB) FROM docs"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Documents of one moment, in key order, of `count` read; `unreadable`: keys of the others."""

    documents: tuple[Document, ...] = ()
    unreadable: tuple[str, ...] = ()
    count: int = 0


async def whole(pages: AsyncGenerator[Snapshot]) -> Snapshot:
    """Return all pages as one; raise as they do."""
    async with aclosing(pages):
        read = [page async for page in pages]
    return Snapshot(
        documents=tuple(each for page in read for each in page.documents),
        unreadable=tuple(each for page in read for each in page.unreadable),
        count=sum(page.count for page in read),
    )


async def read_pages(path: Path) -> AsyncGenerator[Snapshot]:
    """Yield the store at `path` in key order, page by page.

    All pages are of one moment: while they are read, what others write waits in the log. It leaves
    the `-wal` and `-shm` files of any reader. StoreError: it is missing or damaged.
    """
    try:
        connection = await asyncio.to_thread(_opened_to_read, path)
        with closing(connection):
            query = f"{ALL_ROWS} ORDER BY key"
            cursor = await asyncio.to_thread(begin_reading, connection, path, query)
            while cursor and (page := await asyncio.to_thread(cursor.fetchmany, PAGE_ROWS)):
                yield _decoded(page)
    except (sqlite3.Error, OSError, RuntimeError) as error:  # the last: a loop of symbolic links
        raise StoreError(f"cannot read {path}: {type(error).__name__}: {error}") from error


def _decoded(rows: Iterable[tuple[bytes | None, bytes | None]]) -> Snapshot:
    documents, unreadable = [], []
    for key, value in rows:
        try:
            documents.append(decode_row((key or b"").decode(), value or b""))
        except ValueError:
            unreadable.append((key or b"").decode(errors="backslashreplace"))
    return Snapshot(tuple(documents), tuple(unreadable), len(documents))


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
