"""The documents of one SQLite table, step by step, for the one thread that owns it."""

import secrets
from datetime import datetime
from typing import Protocol

from bot.store.base import Document
from bot.store.due import DueIndex
from bot.store.errors import StoreError
from bot.store.files import Watch
from bot.store.queries import (
    Connection,
    delete_prefix,
    read_keys,
    read_one,
    read_prefix,
    wipe_traces,
)
from bot.store.rows import Row, checked_rev, decode_json, encode_value, next_rev

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

    def wipe_traces(self) -> None:
        """See `Documents.wipe_traces`."""
        self._require_in_place()
        if not wipe_traces(self.rows.conn):
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
