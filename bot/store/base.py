"""The storage that the bot needs: JSON documents under keys, some of them due at a moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Document:
    """One document as it was when it was read; changing `value` changes nothing in the store.

    `rev` is positive and changes with every write. `due_at` is in UTC, or `None` when the
    document never comes due.
    """

    key: str
    value: dict[str, Any]
    rev: int
    due_at: datetime | None


class Documents(Protocol):
    """Keeps JSON documents across restarts.

    A method that returned has finished: a crash does not lose it. Each call happens alone and
    wholly or not at all; two calls are two steps, so what must change together belongs in one
    document. A call that was cancelled may still have happened.

    Keys are not empty and compare exactly, character by character: case counts, `%`, `_` and
    `/` mean nothing special, and order is by code point. NUL and lone surrogates are refused.
    A key begins with `str(WorkspaceId)` and `/`, so that `delete_prefix` forgets a workspace;
    `meta/` is the store's own.

    Values are JSON objects: strings may hold any character; NaN and infinity are refused.

    Every method raises StoreError when the storage fails, when a key, value or moment is
    refused, when a document in its way cannot be read (`delete` and `delete_prefix` still
    remove it), and after `close`.
    """

    async def get(self, key: str) -> Document | None:
        """Return the document, or `None` when there is none."""
        ...

    async def put(
        self,
        key: str,
        value: Mapping[str, Any],
        *,
        due_at: datetime | None = None,
        if_rev: int | None = None,
    ) -> Document:
        """Save a document whole, replacing value and `due_at`; return it as `get` would.

        `if_rev` is the condition: `None` for none, 0 for "only if there is no such document",
        otherwise "only if it is still at this revision". A key that was deleted and made again
        has another revision, so it does not look unchanged. `due_at` is any aware moment.

        Raises:
            ConflictError: the condition does not hold; nothing was changed.
        """
        ...

    async def delete(self, key: str, *, if_rev: int | None = None) -> bool:
        """Forget a document; return whether there was one.

        Raises:
            ConflictError: as for `put`; nothing was changed.
        """
        ...

    async def delete_prefix(self, prefix: str) -> int:
        """Forget, in one step, every document whose key begins with `prefix`; return how many.

        The empty prefix is refused: it would mean everything. See `wipe_traces`.
        """
        ...

    async def wipe_traces(self) -> None:
        """Leave in the storage no trace of what was deleted or replaced before.

        That may write everything else anew and take minutes, while everybody else waits.
        """
        ...

    async def list_prefix(self, prefix: str, *, limit: int | None = None) -> list[Document]:
        """Return the documents whose key begins with `prefix`, in key order.

        At most `limit` of them, the first ones; `None` for all. The empty prefix means all.
        """
        ...

    async def list_keys(self, prefix: str) -> list[str]:
        """Return the keys of what `list_prefix` would return, without reading any of it."""
        ...

    async def due_before(
        self, moment: datetime, *, prefix: str = "", limit: int = 100
    ) -> list[Document]:
        """Return what is due at or before `moment`, the longest due first, then by key.

        At most `limit` of them. Nothing is changed: a document stays due until it is put with
        another `due_at` or deleted.
        """
        ...

    async def due_keys(self, moment: datetime, *, limit: int = 1000) -> list[str]:
        """Return the keys of what `due_before` would return, without reading any of it."""
        ...

    async def check(self) -> None:
        """Write and read.

        Raises:
            StoreError: it did not work, or the data is no longer where the settings say.
        """
        ...

    async def close(self) -> None:
        """Finish and let go of the storage. Closing twice does no harm."""
        ...
