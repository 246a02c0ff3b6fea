"""What a SQLite store holds at one moment, read beside the bot that uses it. Never writes."""

import asyncio
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bot.store.base import Document
from bot.store.errors import StoreError
from bot.store.rows import decode_row

BUSY_S = 5


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
    try:
        return await asyncio.to_thread(lambda: snapshot_of(_rows(path)))
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


def _rows(path: Path) -> list[tuple[bytes, bytes]]:
    # `mode=ro` neither makes the file nor writes to it: https://www.sqlite.org/uri.html
    address = f"{path.resolve().as_uri()}?mode=ro"
    with closing(
        sqlite3.connect(address, uri=True, isolation_level=None, timeout=BUSY_S)
    ) as connection:
        connection.execute("BEGIN")  # all that follows sees one moment
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise StoreError(f"{path} is damaged ({verdict}): put a backup in its place")
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'docs'").fetchone():
            return []
        rows = connection.execute("SELECT CAST(key AS BLOB), CAST(value AS BLOB) FROM docs")
        return [(key or b"", value or b"") for key, value in rows]
