"""Measure every call of a store."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, TypeVar

from bot.store.documents import ConflictError, Document, ForgottenError
from bot.store.fenced import ErasableDocuments

T = TypeVar("T")
# (operation, outcome, seconds): "get", "put" …; "ok", "conflict", "failed" or "cut_off".
Note = Callable[[str, str, float], object]


class TimedDocuments:
    """`ErasableDocuments` that tell how long each call took and how it ended, and nothing else.

    The note does not say what a call is about.
    """

    def __init__(self, wrapped: ErasableDocuments, note: Note) -> None:
        self._wrapped = wrapped
        self._note = note

    def forgetting(
        self, prefix: str, *, but: Iterable[str] = ()
    ) -> AbstractAsyncContextManager[None]:
        """See `ErasableDocuments.forgetting`."""
        return self._wrapped.forgetting(prefix, but=but)

    async def welcome(self, prefix: str) -> None:
        """See `ErasableDocuments.welcome`."""
        await self._wrapped.welcome(prefix)

    async def get(self, key: str) -> Document | None:
        """See `Documents.get`."""
        return await self._timed("get", self._wrapped.get(key))

    async def put(
        self,
        key: str,
        value: Mapping[str, Any],
        *,
        due_at: datetime | None = None,
        if_rev: int | None = None,
    ) -> Document:
        """See `Documents.put`."""
        return await self._timed(
            "put", self._wrapped.put(key, value, due_at=due_at, if_rev=if_rev)
        )

    async def delete(self, key: str, *, if_rev: int | None = None) -> bool:
        """See `Documents.delete`."""
        return await self._timed("delete", self._wrapped.delete(key, if_rev=if_rev))

    async def delete_prefix(self, prefix: str) -> int:
        """See `Documents.delete_prefix`."""
        return await self._timed("delete_prefix", self._wrapped.delete_prefix(prefix))

    async def vacuum(self) -> None:
        """See `Documents.vacuum`."""
        await self._timed("vacuum", self._wrapped.vacuum())

    async def list_prefix(self, prefix: str, *, limit: int | None = None) -> list[Document]:
        """See `Documents.list_prefix`."""
        return await self._timed("list_prefix", self._wrapped.list_prefix(prefix, limit=limit))

    async def list_keys(self, prefix: str) -> list[str]:
        """See `Documents.list_keys`."""
        return await self._timed("list_keys", self._wrapped.list_keys(prefix))

    async def due_before(
        self, moment: datetime, *, prefix: str = "", limit: int = 100
    ) -> list[Document]:
        """See `Documents.due_before`."""
        return await self._timed(
            "due_before", self._wrapped.due_before(moment, prefix=prefix, limit=limit)
        )

    async def due_keys(self, moment: datetime, *, limit: int = 1000) -> list[str]:
        """See `Documents.due_keys`."""
        return await self._timed("due_keys", self._wrapped.due_keys(moment, limit=limit))

    async def check(self) -> None:
        """See `Documents.check`."""
        await self._timed("check", self._wrapped.check())

    async def close(self) -> None:
        """See `Documents.close`."""
        await self._wrapped.close()

    async def _timed(self, operation: str, call: Awaitable[T]) -> T:
        began, outcome = time.perf_counter(), "failed"
        try:
            answer = await call
            outcome = "ok"
        except (ConflictError, ForgottenError):
            outcome = "conflict"  # what was asked: nothing is wrong with the store
            raise
        except asyncio.CancelledError:
            outcome = "cut_off"
            raise
        finally:
            self._note(operation, outcome, time.perf_counter() - began)
        return answer
