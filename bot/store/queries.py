"""The SQL beyond what sqlitedict's own methods do. The table is `docs(key TEXT, value BLOB)`.

Each statement gives exactly one row, of plain ASCII. sqlitedict 2.1's thread survives an error
while a statement starts, but dies of one between two rows (a damaged page) or while a row is
fetched (text that is no UTF-8), and then every call hangs.
"""

from typing import Any, Protocol

from bot.store.base import Document
from bot.store.rows import decode_row, end_of_prefix

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
        ValueError: nobody can read it.
    """
    row = connection.select_one(READ_ONE, (key,))
    return None if row is None else _document(key, row[0])


def read_prefix(connection: Connection, prefix: str, limit: int | None) -> list[Document]:
    """Return the first `limit` documents (`None`: all) whose key begins with `prefix`, in order.

    Raises:
        ValueError: nobody can read one of them.
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


def wipe_traces(connection: Connection) -> bool:
    """Write the file anew, so that it and its log hold nothing that was deleted.

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
