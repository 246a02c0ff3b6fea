"""The document store's interface, its rules and its errors. No I/O."""

import json
import re
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from bot.process.errors import BotError

# The document that `check` writes.
CHECK_KEY = "meta/check"
# The largest whole number that every reader of JSON keeps exact.
MAX_REV = 2**53 - 1
NOT_IN_KEYS = re.compile("[\0\ud800-\udfff]")


class StoreError(BotError):
    """The store failed or refused. After a write that timed out, read the document."""


class ConflictError(StoreError):
    """The document is no longer at the revision that the caller named."""


class ForgottenError(StoreError):
    """The workspace was forgotten, and nothing is written of it. The store is well."""


class StoreLockedError(StoreError):
    """Another process uses this file. One file serves one process."""


class WrongKeyRingError(StoreError):
    """The key ring is not the one that sealed what is stored, or its file is garbled."""


class UnreadableSecretError(StoreError):
    """A sealed text was altered, belongs elsewhere, or its key is not in the ring."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document as it was read; changing `value` changes nothing in the store.

    `rev` is positive and changes with every write. `due_at` is in UTC; `None`: never due.
    """

    key: str
    value: dict[str, Any]
    rev: int
    due_at: datetime | None


class Documents(Protocol):
    """Keeps JSON documents across restarts.

    A method that returned has finished: a crash does not lose it. Each call happens alone and
    wholly or not at all, so what must change together belongs in one document. A call that was
    cancelled may still have happened.

    Keys compare exactly, in the order of code points. NUL and lone surrogates are refused. A key
    begins with `str(WorkspaceId)` and `/`, so that `delete_prefix` forgets a workspace; `meta/` is
    the store's own. Values are JSON objects without NaN and infinity.

    Every method raises StoreError when the storage fails, when a key, value or moment is refused,
    when a document in its way cannot be read (deleting works), and after `close`.
    """

    async def get(self, key: str) -> Document | None:
        """Return the document, or `None` when there is none."""

    async def put(
        self,
        key: str,
        value: Mapping[str, Any],
        *,
        due_at: datetime | None = None,
        if_rev: int | None = None,
    ) -> Document:
        """Save a document whole, value and `due_at`; return it as `get` would.

        `if_rev` is the condition: `None` for none, 0 for "only if there is no such document",
        otherwise "only if it is still at this revision". A key that was deleted and made again has
        another revision. If the condition does not hold, it raises ConflictError.
        """

    async def delete(self, key: str, *, if_rev: int | None = None) -> bool:
        """Forget a document; return whether there was one. For `if_rev` see `put`."""

    async def delete_prefix(self, prefix: str) -> int:
        """Forget, in one step, all whose key begins with `prefix`; return how many.

        Nothing of it is left in a file either. The empty prefix is refused.
        """

    async def list_prefix(self, prefix: str) -> list[Document]:
        """Return the documents under `prefix`, in key order; the empty prefix means all."""

    async def list_keys(self, prefix: str) -> list[str]:
        """Return the keys of what `list_prefix` would return, without reading any of it."""

    async def due_keys(self, moment: datetime, *kinds: str, limit: int = 1000) -> list[str]:
        """Return at most `limit` keys of what is due at `moment`, the longest due first.

        `kinds` are the wanted second parts of keys, none for all. A document stays due until it
        is put with another `due_at` or deleted.
        """

    async def check(self) -> None:
        """Write and read; raise StoreError also when the data is no longer in its place."""

    async def close(self) -> None:
        """Finish and let go of the storage. Closing twice does no harm."""


@dataclass(frozen=True, slots=True)
class Write:
    """A new value of a document, and when it comes due."""

    value: Mapping[str, Any]
    due_at: datetime | None = None


class Delete:
    """The end of a document."""


DELETE = Delete()
Change = Callable[[Document | None], Write | Delete | None]


async def update(documents: Documents, key: str, change: Change) -> Document | None:
    """Read a document, change it, and write it unless another writer was faster; else try again.

    `change` gets the document or `None`. It returns what to write, `DELETE`, or `None` to leave it
    as it is; what it raises is passed on. The result is the document as it is afterwards.
    """
    while True:
        before = await documents.get(key)
        wanted, rev = change(before), before.rev if before else 0
        try:
            match wanted:
                case Write(value, due_at):
                    return await documents.put(key, value, due_at=due_at, if_rev=rev)
                case Delete() if before:
                    await documents.delete(key, if_rev=rev)
                    return None
                case _:
                    return before
        except ConflictError:
            continue


def encode_row(rev: int, due_at: datetime | None, value_json: str) -> str:
    """Return a document as JSON text; its value is JSON already."""
    due = json.dumps(due_at and due_at.isoformat())
    return f'{{"v":1,"rev":{rev},"due_at":{due},"value":{value_json}}}'


def decode_row(key: str, text: str | bytes) -> Document:
    """Return the document that `encode_row` wrote; ValueError: something else did."""
    with suppress(ValueError, StoreError):
        match decode_json(text):
            case {"v": 1, "rev": int(rev), "due_at": str() | None as due, "value": dict(value)}:
                due_at = checked_moment(datetime.fromisoformat(due)) if due is not None else None
                return Document(key, value, rev, due_at)
    raise ValueError(f"{key!r} cannot be read")


def encode_value(value: Mapping[str, Any]) -> str:
    """Return the value as JSON text; StoreError: it is no JSON."""
    try:
        return json.dumps(dict(value), allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        # Only the type: the message may quote what was to be kept private.
        raise StoreError(f"a value that is not JSON: {type(error).__name__}") from None


def decode_json(text: str | bytes) -> Any:
    """Return what the JSON text says; ValueError: it is none."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


def checked_key(key: str) -> str:
    """Return the key or prefix; StoreError: not every store could keep it."""
    if not key or NOT_IN_KEYS.search(key):
        raise StoreError("a key is empty, or holds NUL or half a character")
    return key


def checked_moment(moment: datetime) -> datetime:
    """Return the moment in UTC; StoreError: it names no zone, or is outside the calendar."""
    if moment.utcoffset() is None:
        raise StoreError(f"{moment} names no time zone")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise StoreError(f"{moment} cannot be expressed in UTC") from None


def checked_rev(key: str, rev: int | None, if_rev: int | None) -> None:
    """Raise ConflictError unless a revision (`None`: no document) meets the condition of `put`."""
    if if_rev is not None and if_rev != (rev or 0):
        raise ConflictError(f"{key} is at revision {rev or 0}, not {if_rev}")


def new_rev() -> int:
    """Return a revision, at random: none looks like an earlier one of its key."""
    return secrets.randbelow(MAX_REV) + 1


def kind_of(key: str) -> str:
    """Return the second part of a key, which says what its document is."""
    return key.split("/", 2)[1] if "/" in key else ""


def end_of_prefix(prefix: str) -> str | None:
    """Return the first string after all that begin with `prefix`; `None`: there is none.

    UTF-8 bytes and code points sort alike, so this holds in Python and in SQLite.
    """
    stem = prefix.rstrip("\U0010ffff")
    if not stem:
        return None
    after_last = ord(stem[-1]) + 1
    return stem[:-1] + chr(0xE000 if after_last == 0xD800 else after_last)  # no surrogates
