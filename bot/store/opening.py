"""A SQLite file looked over and opened, as `bot/store/sqlite.py` needs it."""

import logging
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

from sqlitedict import SqliteDict

from bot.store.base import Document
from bot.store.errors import StoreError
from bot.store.rows import decode_json, decode_row, encode_row

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
