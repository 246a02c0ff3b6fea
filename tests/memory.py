"""A document store in memory."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any

from bot.store.documents import (
    Document,
    StoreError,
    checked_key,
    checked_moment,
    checked_rev,
    decode_row,
    encode_row,
    encode_value,
    new_rev,
)
from bot.store.sqlite import first_due


class MemoryDocuments:
    """`Documents` in a dict. They are kept as text, so that no caller shares a value with it."""

    def __init__(self) -> None:
        self._rows: dict[str, str] = {}
        self._is_closed = False

    async def get(self, key: str) -> Document | None:
        """See `Documents.get`."""
        self._require_open()
        return self._read(checked_key(key))

    async def put(
        self,
        key: str,
        value: Mapping[str, Any],
        *,
        due_at: datetime | None = None,
        if_rev: int | None = None,
    ) -> Document:
        """See `Documents.put`."""
        self._require_open()
        old = self._read(checked_key(key))
        checked_rev(key, old.rev if old else None, if_rev)
        due_utc = checked_moment(due_at) if due_at else None
        self._rows[key] = encode_row(new_rev(), due_utc, encode_value(value))
        return decode_row(key, self._rows[key])

    async def delete(self, key: str, *, if_rev: int | None = None) -> bool:
        """See `Documents.delete`."""
        self._require_open()
        old = self._read(checked_key(key))
        checked_rev(key, old.rev if old else None, if_rev)
        return self._rows.pop(key, None) is not None

    async def delete_prefix(self, prefix: str) -> int:
        """See `Documents.delete_prefix`."""
        self._require_open()
        doomed = self._keys(checked_key(prefix))
        for key in doomed:
            del self._rows[key]
        return len(doomed)

    async def list_prefix(self, prefix: str) -> list[Document]:
        """See `Documents.list_prefix`."""
        self._require_open()
        keys = self._keys(prefix and checked_key(prefix))
        return [decode_row(key, self._rows[key]) for key in keys]

    async def list_keys(self, prefix: str) -> list[str]:
        """See `Documents.list_keys`."""
        self._require_open()
        return self._keys(prefix and checked_key(prefix))

    async def due_keys(self, moment: datetime, *kinds: str, limit: int = 1000) -> list[str]:
        """See `Documents.due_keys`."""
        self._require_open()
        stored = (decode_row(key, row) for key, row in self._rows.items())
        heads = {each.key: (each.rev, each.due_at) for each in stored}
        return first_due(heads, checked_moment(moment), kinds, limit)

    async def check(self) -> None:
        """See `Documents.check`."""
        self._require_open()

    async def close(self) -> None:
        """See `Documents.close`."""
        self._is_closed = True

    def _read(self, key: str) -> Document | None:
        return decode_row(key, self._rows[key]) if key in self._rows else None

    def _keys(self, prefix: str) -> list[str]:
        return sorted(key for key in self._rows if key.startswith(prefix))

    def _require_open(self) -> None:
        if self._is_closed:
            raise StoreError("the store is closed")


class FailingDocuments(MemoryDocuments):
    """Documents that take `writes_left` writes more, as of a process that dies; `None`: any."""

    writes = 0
    writes_left: int | None = None

    async def put(self, key: str, value: Mapping[str, Any], **more: Any) -> Document:
        if self.writes_left == 0:
            raise StoreError("killed")
        if self.writes_left:
            self.writes_left -= 1
        self.writes += 1
        await asyncio.sleep(0)
        return await super().put(key, value, **more)


class EventfulDocuments(MemoryDocuments):
    """Documents that let others go first; `before[name]` happens before the next such call.

    The next `failures` deletions fail. `read` and `deleted` are the keys and prefixes so far.
    """

    def __init__(self) -> None:
        super().__init__()
        self.before: dict[str, Callable[[], Awaitable[object]]] = {}
        self.failures = 0
        self.read: list[str] = []
        self.deleted: list[str] = []

    async def get(self, key: str) -> Document | None:
        self.read.append(key)
        await self._happen("get")
        return await super().get(key)

    async def put(self, key: str, value: Mapping[str, Any], **how: Any) -> Document:
        await self._happen("put")
        return await super().put(key, value, **how)

    async def delete(self, key: str, *, if_rev: int | None = None) -> bool:
        await self._happen("delete")
        return await super().delete(key, if_rev=if_rev)

    async def delete_prefix(self, prefix: str) -> int:
        await self._happen("delete_prefix")
        if self.failures:
            self.failures -= 1
            raise StoreError("the disk is gone")
        self.deleted.append(prefix)
        return await super().delete_prefix(prefix)

    async def check(self) -> None:
        await self._happen("check")
        await super().check()

    async def _happen(self, name: str) -> None:
        await asyncio.sleep(0)
        if event := self.before.pop(name, None):
            await event()
