"""The table of the SQLite store: how rows are read, and which document is due when."""

import logging
import sqlite3
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable
from contextlib import closing
from datetime import datetime
from pathlib import Path

from sqlitedict import SqliteDict

from bot.store.documents import Document, StoreError, checked_key, decode_row, end_of_prefix

logger = logging.getLogger(__name__)
BUSY_S = 5.0
# A document may be of a megabyte.
PAGE_ROWS = 100
AFTER_ALL_TEXT = b""  # SQLite sorts every BLOB after every TEXT
# As bytes: text that is no UTF-8 would be an error before its key is known.
ALL_ROWS = "SELECT CAST(key AS BLOB), CAST(value AS BLOB) FROM docs"
# A page in one row of hex: text that is no UTF-8, or damage, is an error then before sqlitedict
# fetches rows, where it would end sqlitedict's thread without an answer.
PAGE = """
    SELECT group_concat(hex(key) || ' ' || value)
    FROM (SELECT key, {value} AS value FROM docs WHERE key >= ? AND key < ? ORDER BY key LIMIT ?)
"""
DOCUMENTS, KEYS = PAGE.format(value="hex(value)"), PAGE.format(value="''")
DELETE_UNDER = "DELETE FROM docs WHERE key >= ? AND key < ?"


class DueIndex:
    """Keeps `(due_at, key)` in order.

    Moving one of 50,000 entries costs about as much as copying a few hundred kilobytes.
    """

    def __init__(self, due: Iterable[tuple[str, datetime]] = ()) -> None:
        self._due_of = dict(due)
        self._order = sorted((due_at, key) for key, due_at in self._due_of.items())

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


def begin_reading(connection: sqlite3.Connection, path: Path, query: str) -> sqlite3.Cursor | None:
    """Look the whole file over and begin to read it; `None` when it has no table yet."""
    connection.execute("BEGIN")  # all that follows sees one moment
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise StoreError(f"{path} is damaged ({verdict}): put a backup in its place")
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'docs'").fetchone():
        return None
    return connection.execute(query)


def due_in(path: Path) -> DueIndex:
    """Return what comes due when, after a look at the whole file; StoreError: it is damaged.

    Done with plain sqlite3, because sqlitedict hangs when it meets damage between two rows.
    """
    due: list[tuple[str, datetime]] = []
    with closing(sqlite3.connect(path, isolation_level=None, timeout=BUSY_S)) as connection:
        for key, value in begin_reading(connection, path, ALL_ROWS) or ():
            try:
                document = decode_row(key.decode(), value or b"")
            except ValueError:
                # It stays there. Reading it is a StoreError; the others can be used.
                logger.warning("a stored document cannot be read: %r", key)
                continue
            if document.due_at:
                due.append((document.key, document.due_at))
    return DueIndex(due)


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
    if rows.conn.select_one("PRAGMA synchronous") != (2,):
        raise StoreError("could not set synchronous=FULL")
    return rows


def range_of(prefix: str) -> tuple[str, str | bytes]:
    """Return the first key with that prefix, and what comes after all of them."""
    end = end_of_prefix(checked_key(prefix)) if prefix else None
    return prefix, AFTER_ALL_TEXT if end is None else end


def read_rows(
    rows: SqliteDict, query: str, start: str, end: str | bytes, limit: int | None = None
) -> list[tuple[str, bytes]]:
    """Return the first `limit` rows (`None`: all) from `start` to before `end`, in key order."""
    found: list[tuple[str, bytes]] = []
    while (wanted := PAGE_ROWS if limit is None else min(PAGE_ROWS, limit - len(found))) > 0:
        (text,) = rows.conn.select_one(query, (start, end, wanted))
        pairs = (pair.split(" ") for pair in (text or "").split(",") if pair)
        # Sorted again: SQLite does not promise in which order group_concat meets the rows.
        page = sorted((bytes.fromhex(key).decode(), bytes.fromhex(value)) for key, value in pairs)
        found += page
        if len(page) < wanted:
            break
        start = f"{page[-1][0]}\0"  # the very next key that could be
    return found


def document_of(key: str, value: bytes) -> Document:
    """Return the document in a row, or raise ValueError with its key."""
    try:
        return decode_row(key, value)
    except ValueError as error:
        raise ValueError(f"{key!r} cannot be read: {error}") from error
