"""What a SQLite store holds at one moment, read beside the bot that uses it. Never writes."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bot.store.base import Document
from bot.store.errors import StoreError
from bot.store.rows import decode_row

BUSY_S = 5
PAGE_ROWS = 1_000


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
    pages = [page async for page in read_pages(path)]
    return Snapshot(
        documents=tuple(each for page in pages for each in page.documents),
        unreadable=tuple(sorted(each for page in pages for each in page.unreadable)),
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
