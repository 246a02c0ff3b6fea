"""How a document looks in storage, and the rules that every store keeps. No I/O."""

import json
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple, NoReturn

from bot.store.base import Document
from bot.store.errors import ConflictError, StoreError

FORMAT = 1
MAX_FIRST_REV = 2**31


class Row(NamedTuple):
    """A document ready to be written; its value is already JSON text."""

    rev: int
    due_at: datetime | None
    value_json: str


def encode_row(row: Row) -> str:
    """Return the row as JSON text."""
    due_at = json.dumps(row.due_at and row.due_at.isoformat())
    return f'{{"v":{FORMAT},"rev":{row.rev},"due_at":{due_at},"value":{row.value_json}}}'


def decode_row(key: str, text: str | bytes) -> Document:
    """Return the document that `encode_row` wrote.

    Raises:
        ValueError: something else wrote this.
    """
    match decode_json(text):
        case {"v": 1, "rev": int(rev), "due_at": str() | None as due, "value": dict(value)}:
            return Document(key, value, rev, None if due is None else _moment(due))
    raise ValueError("a row of an unknown format")


def encode_value(value: Mapping[str, Any]) -> str:
    """Return the value as JSON text, which later changes to `value` cannot reach.

    Raises:
        StoreError: it is no JSON.
    """
    try:
        return json.dumps(dict(value), allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        # Only the type: the message may quote what was to be kept private.
        raise StoreError(f"a value that is not JSON: {type(error).__name__}") from None


def decode_json(text: str | bytes) -> Any:
    """Return what the JSON text says, and refuse NaN, which is not JSON.

    Raises:
        ValueError: it is no JSON.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


def checked_key(key: str) -> str:
    """Return the key or prefix as it is.

    Raises:
        StoreError: not every store could keep it.
    """
    if not key or "\0" in key or any("\ud800" <= char <= "\udfff" for char in key):
        raise StoreError("a key is empty, or holds NUL or half a character")
    return key


def checked_moment(moment: datetime) -> datetime:
    """Return the moment in UTC.

    Raises:
        StoreError: it names no zone, or lies outside the calendar.
    """
    if moment.utcoffset() is None:
        raise StoreError(f"{moment} names no time zone")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise StoreError(f"{moment} cannot be told in UTC") from None


def checked_rev(key: str, rev: int | None, if_rev: int | None) -> None:
    """Compare a document's revision (`None`: there is none) with the condition.

    Raises:
        ConflictError: see `Documents.put`.
    """
    if if_rev is not None and if_rev != (rev or 0):
        raise ConflictError(f"{key} is at revision {rev or 0}, not {if_rev}")


def next_rev(rev: int | None) -> int:
    """Return the revision after `rev`.

    A new document begins at random: one that was deleted and made again must not look
    unchanged to somebody who read the first one.
    """
    return secrets.randbelow(MAX_FIRST_REV) + 1 if rev is None else rev + 1


def end_of_prefix(prefix: str) -> str | None:
    """Return the first string after all that begin with `prefix`; `None`: there is none.

    UTF-8 bytes and code points sort alike, so this holds in Python and in SQLite.
    """
    stem = prefix.rstrip("\U0010ffff")
    if not stem:
        return None
    after_last = ord(stem[-1]) + 1
    return stem[:-1] + chr(0xE000 if after_last == 0xD800 else after_last)  # no surrogates


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.utcoffset() is None:
        raise ValueError("a due moment without a zone")
    return moment.astimezone(UTC)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
