"""The SQL of the table `document`, and its rows. No I/O."""
# ruff: noqa: S608 - all of it is made of literals; what anybody gives comes as an argument

from datetime import UTC, datetime
from typing import Any, LiteralString

from bot.store.base import Document
from bot.store.errors import StoreError
from bot.store.rows import checked_key, checked_moment, decode_json, end_of_prefix

# As text, because nobody else's way to read JSON is asked for, and without a zone, because that
# of the session means nothing.
COLUMNS: LiteralString = "key, value::text, rev, due_at AT TIME ZONE 'UTC'"
GET: LiteralString = f"SELECT {COLUMNS} FROM document WHERE key = %s"
GET_REV: LiteralString = "SELECT rev FROM document WHERE key = %s"
PUT: LiteralString = "SELECT put_document(%s, %s, %s, %s, %s, %s)"
DELETE: LiteralString = "DELETE FROM document WHERE key = %s RETURNING rev"
DELETE_IF: LiteralString = "DELETE FROM document WHERE key = %s AND rev = %s RETURNING rev"

Query = tuple[LiteralString, tuple[object, ...]]


def deletion(prefix: str) -> Query:
    """Return what deletes all that begins with `prefix`, and gives how much that was."""
    under, arguments = _under(checked_key(prefix))
    gone = f"DELETE FROM document WHERE {under} RETURNING key"
    return f"WITH gone AS ({gone}) SELECT count(*) FROM gone", arguments


def documents_under(prefix: str, limit: int | None) -> Query:
    """Return what finds the first `limit` (`None`: all) rows of `COLUMNS`, in key order."""
    under, arguments = _under(prefix)
    found = f"SELECT {COLUMNS} FROM document WHERE {under} ORDER BY key LIMIT %s"
    return found, (*arguments, _limit(limit))


def keys_under(prefix: str) -> Query:
    """Return what finds the keys, in order."""
    under, arguments = _under(prefix)
    return f"SELECT key FROM document WHERE {under} ORDER BY key", arguments


def documents_due(moment: datetime, prefix: str, limit: int) -> Query:
    """Return what finds rows of `COLUMNS` that are due, the longest due first."""
    under, arguments = _under(prefix)
    due = f"WHERE due_at <= %s AND {under} ORDER BY due_at, key LIMIT %s"
    return f"SELECT {COLUMNS} FROM document {due}", (
        checked_moment(moment),
        *arguments,
        _limit(limit),
    )


def keys_due(moment: datetime, limit: int) -> Query:
    """Return what finds their keys."""
    due: LiteralString = "WHERE due_at <= %s ORDER BY due_at, key LIMIT %s"
    return f"SELECT key FROM document {due}", (checked_moment(moment), _limit(limit))


def document_of(row: tuple[Any, ...]) -> Document:
    """Return what stands in a row of `COLUMNS`.

    Raises:
        StoreError: its value is none of ours.
    """
    key, text, rev, due_at = row
    try:
        value = decode_json(text)
    except ValueError as error:
        raise StoreError(f"a stored document cannot be read: {type(error).__name__}") from None
    if not isinstance(value, dict):
        raise StoreError("a stored document cannot be read: it is no object")
    return Document(key, value, rev, due_at and due_at.replace(tzinfo=UTC))


def _under(prefix: str) -> Query:
    """Return the condition on `key` for all that begin with `prefix`."""
    end = end_of_prefix(checked_key(prefix)) if prefix else None
    if end is None:
        return "key >= %s", (prefix,)
    return "key >= %s AND key < %s", (prefix, end)


def _limit(limit: int | None) -> int | None:
    return None if limit is None else max(limit, 0)
