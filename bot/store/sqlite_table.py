"""The table of the SQLite store: queries, and which document is due when."""

import secrets
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from typing import Any, Protocol

from bot.store.documents import (
    Document,
    Row,
    StoreError,
    checked_rev,
    decode_json,
    decode_row,
    encode_value,
    end_of_prefix,
    next_rev,
)
from bot.store.files import Watch

PAGE_ROWS = 100
PAGE_KEYS = 1_000
READ_ONE = "SELECT hex(value) FROM docs WHERE key = ?"
READ_PAGE = """
    SELECT group_concat(hex(key) || ' ' || hex(value))
    FROM (SELECT key, value FROM docs WHERE key >= ? AND key < ? ORDER BY key LIMIT ?)
"""
READ_KEYS = """
    SELECT group_concat(hex(key))
    FROM (SELECT key FROM docs WHERE key >= ? AND key < ? ORDER BY key LIMIT ?)
"""
DELETE_RANGE = "DELETE FROM docs WHERE key >= ? AND key < ?"
AFTER_ALL_TEXT = b""  # SQLite sorts every BLOB after every TEXT


class Connection(Protocol):
    """What we use of sqlitedict's connection. An error of `execute` comes with the next call."""

    def execute(self, req: str, arg: tuple[object, ...] = ()) -> None:
        """Queue a statement."""
        ...

    def select_one(self, req: str, arg: tuple[object, ...] = ()) -> tuple[Any, ...] | None:
        """Run a statement and return its first row, `None` when it gives none."""
        ...


def read_one(connection: Connection, key: str) -> Document | None:
    """Return the document, `None` when there is none.

    Raises:
        ValueError: it is unreadable.
    """
    row = connection.select_one(READ_ONE, (key,))
    return None if row is None else _document(key, row[0])


def read_prefix(connection: Connection, prefix: str, limit: int | None) -> list[Document]:
    """Return the first `limit` documents (`None`: all) whose key begins with `prefix`, in order.

    Raises:
        ValueError: one of them is unreadable.
    """
    found: list[Document] = []
    start, end = prefix, _end(prefix)
    while (wanted := PAGE_ROWS if limit is None else min(PAGE_ROWS, limit - len(found))) > 0:
        row = connection.select_one(READ_PAGE, (start, end, wanted))
        page = _page(row[0] if row else None)
        found += page
        if len(page) < wanted:
            break
        start = page[-1].key + "\0"  # the very next key that could be
    return found


def read_keys(connection: Connection, prefix: str) -> list[str]:
    """Return the keys that begin with `prefix`, in order."""
    found: list[str] = []
    start, end = prefix, _end(prefix)
    while True:
        row = connection.select_one(READ_KEYS, (start, end, PAGE_KEYS))
        listed = ((row and row[0]) or "").split(",")
        page = sorted(bytes.fromhex(key).decode() for key in listed if key)
        found += page
        if len(page) < PAGE_KEYS:
            return found
        start = page[-1] + "\0"  # the very next key that could be


def delete_prefix(connection: Connection, prefix: str) -> int:
    """Delete what begins with `prefix`; return how many there were."""
    connection.execute(DELETE_RANGE, (prefix, _end(prefix)))
    row = connection.select_one("SELECT changes()")
    return int(row[0]) if row else 0


def vacuum(connection: Connection) -> bool:
    """Rewrite the file, so that it and its log hold nothing that was deleted.

    `secure_delete` is not enough: after 1,500 writes SQLite 3.40 still had deleted keys in the
    gaps of pages that it had rearranged. While another program reads the file, the log keeps
    its traces until a later checkpoint, at the latest until the store is closed: then this
    returns `False` (https://www.sqlite.org/pragma.html#pragma_wal_checkpoint).
    """
    connection.select_one("VACUUM")
    row = connection.select_one("PRAGMA wal_checkpoint(TRUNCATE)")
    return row is not None and row[0] == 0


def _end(prefix: str) -> str | bytes:
    end = end_of_prefix(prefix)
    return AFTER_ALL_TEXT if end is None else end


def _page(concatenated: str | None) -> list[Document]:
    pairs = (pair.split(" ") for pair in (concatenated or "").split(",") if pair)
    # Sorted again: SQLite does not promise in which order group_concat meets the rows.
    rows = sorted((bytes.fromhex(key).decode(), value) for key, value in pairs)
    return [_document(key, value) for key, value in rows]


def _document(key: str, hex_of_value: str) -> Document:
    try:
        return decode_row(key, bytes.fromhex(hex_of_value))
    except ValueError as error:
        raise ValueError(f"{key!r} cannot be read: {error}") from error


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

    def keys_due(self, moment: datetime, prefix: str, limit: int) -> list[str]:
        """Return at most `limit` keys due at or before `moment`, the longest due first."""
        end = bisect_right(self._order, moment, key=lambda entry: entry[0])
        found: list[str] = []
        for _, key in islice(self._order, end):
            if len(found) >= limit:
                break
            if key.startswith(prefix):
                found.append(key)
        return found


CHECK_KEY = "meta/check"


class Rows(Protocol):
    """What we use of a `SqliteDict`, which has no types. A write that returned is on the disk."""

    conn: Connection

    def __setitem__(self, key: str, row: Row) -> None:
        """Write a row, replacing an earlier one."""
        ...

    def __delitem__(self, key: str) -> None:
        """Remove a row, or raise KeyError."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


class Table:
    """What `Documents` promises, without its async: each method runs to its end, alone.

    Every method raises sqlite3.Error when the file fails and ValueError when a row in its way
    cannot be read; those that write raise StoreError when a watched file has moved.
    """

    def __init__(self, rows: Rows, due: DueIndex, watched: tuple[Watch, ...]) -> None:
        self.rows = rows
        self._due = due
        self._watched = watched

    def get(self, key: str) -> Document | None:
        """See `Documents.get`."""
        return read_one(self.rows.conn, key)

    def put(
        self, key: str, value_json: str, due_at: datetime | None, if_rev: int | None
    ) -> Document:
        """See `Documents.put`. The value is JSON text, the moment in UTC."""
        self._require_in_place()
        old = self.get(key)
        rev = old.rev if old else None
        checked_rev(key, rev, if_rev)
        row = Row(next_rev(rev), due_at, value_json)
        self.rows[key] = row
        self._due.set(key, due_at)
        return Document(key, decode_json(value_json), row.rev, due_at)

    def delete(self, key: str, if_rev: int | None) -> bool:
        """See `Documents.delete`."""
        self._require_in_place()
        if if_rev is not None:
            old = self.get(key)
            checked_rev(key, old.rev if old else None, if_rev)
        try:
            del self.rows[key]
        except KeyError:
            return False
        self._due.set(key, None)
        return True

    def delete_prefix(self, prefix: str) -> int:
        """See `Documents.delete_prefix`."""
        self._require_in_place()
        count = delete_prefix(self.rows.conn, prefix)
        self._due.forget_prefix(prefix)
        return count

    def vacuum(self) -> None:
        """See `Documents.vacuum`."""
        self._require_in_place()
        if not vacuum(self.rows.conn):
            raise StoreError("another program reads the file, so traces are left in its log")

    def list_prefix(self, prefix: str, limit: int | None) -> list[Document]:
        """See `Documents.list_prefix`."""
        return read_prefix(self.rows.conn, prefix, limit)

    def list_keys(self, prefix: str) -> list[str]:
        """See `Documents.list_keys`."""
        return read_keys(self.rows.conn, prefix)

    def due_before(self, moment: datetime, prefix: str, limit: int) -> list[Document]:
        """See `Documents.due_before`. The moment is in UTC."""
        found = (self.get(key) for key in self._due.keys_due(moment, prefix, limit))
        return [document for document in found if document]

    def due_keys(self, moment: datetime, limit: int) -> list[str]:
        """See `Documents.due_keys`. The moment is in UTC."""
        return self._due.keys_due(moment, "", limit)

    def check(self) -> None:
        """See `Documents.check`."""
        token = encode_value({"token": secrets.token_hex(8)})
        written = self.put(CHECK_KEY, token, due_at=None, if_rev=None)
        if self.get(CHECK_KEY) != written:
            raise StoreError("what was written did not come back")

    def close(self) -> None:
        """Close the file."""
        self.rows.close()

    def _require_in_place(self) -> None:
        for watch in self._watched:
            watch.require_unmoved()
