"""Refuse writes for workspaces that have been deleted, and measure every call of a store."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from typing import Any, Protocol, cast

from cachetools import TTLCache

from bot.store.documents import ConflictError, Document, Documents, ForgottenError

# More than are forgotten in the minutes until work that was under way has ended.
MAX_REMEMBERED = 10_000
# As in PostgreSQL: work that was under way has ended by then.
REFUSED_FOR_S = 3600


class ErasableDocuments(Documents, Protocol):
    """`Documents` that refuse to write what lies under a prefix that was forgotten.

    A scan or a post may end after its workspace was deleted, and would leave its ids behind.
    Prefixes are `E1.T1/` for one workspace and `E1.` for all of an organisation; the longer one
    counts. A prefix is welcome again when a document is put that begins it, as an installation
    does, and may be so by itself an hour later.
    """

    def forgetting(
        self, prefix: str, *, but: Iterable[str] = ()
    ) -> AbstractAsyncContextManager[None]:
        """Refuse, from now on, to write under `prefix`, but not under the longer ones in `but`.

        What was written before can be deleted inside the block, while every document that begins
        something waits: a new installation is not deleted together with the one before. No other
        call forgets the same workspace or organisation at that time. StoreError: it failed.
        """
        ...

    async def welcome(self, prefix: str) -> None:
        """Take in again what lies under `prefix`; raise StoreError."""
        ...


class FencedDocuments:
    """`ErasableDocuments` for a store that only one process uses, one call after the other.

    `beginning_of` names the prefix that is welcome again when a document is put, `None` for all
    documents but those. What is forgotten is known until the process ends.
    """

    def __init__(
        self,
        documents: Documents,
        *,
        beginning_of: Callable[[str], str | None] = lambda _key: None,
        for_s: float = REFUSED_FOR_S,
    ) -> None:
        self._put = documents.put
        self._beginning_of = beginning_of
        self._forgotten: TTLCache[str, bool] = TTLCache(MAX_REMEMBERED, for_s)
        self._turn = asyncio.Lock()
        # All but `put` is passed on.
        self.get = documents.get
        self.delete, self.delete_prefix = documents.delete, documents.delete_prefix
        self.list_prefix, self.list_keys = documents.list_prefix, documents.list_keys
        self.due_keys, self.vacuum = documents.due_keys, documents.vacuum
        self.check, self.close = documents.check, documents.close

    @asynccontextmanager
    async def forgetting(self, prefix: str, *, but: Iterable[str] = ()) -> AsyncIterator[None]:
        async with self._turn:
            self._welcome(prefix)  # with the longer prefixes under it
            self._forgotten[prefix] = True
            for each in but:
                self._welcome(each)
            yield

    async def welcome(self, prefix: str) -> None:
        self._welcome(prefix)

    def _welcome(self, prefix: str) -> None:
        for known in [each for each in self._forgotten if each.startswith(prefix)]:
            self._forgotten.pop(known, None)  # its hour may end just now
        if self._is_forgotten(prefix):  # as a part of an organisation
            self._forgotten[prefix] = False

    async def put(
        self,
        key: str,
        value: Mapping[str, Any],
        *,
        due_at: datetime | None = None,
        if_rev: int | None = None,
    ) -> Document:
        """See `Documents.put`; raise ForgottenError under a prefix that was forgotten."""
        if (begins := self._beginning_of(key)) is None:
            if self._is_forgotten(key):
                raise ForgottenError("the app was removed from this workspace")
            return await self._put(key, value, due_at=due_at, if_rev=if_rev)
        async with self._turn:
            document = await self._put(key, value, due_at=due_at, if_rev=if_rev)
            self._welcome(begins)
            return document

    def _is_forgotten(self, key: str) -> bool:
        home, _, _ = key.partition("/")
        organisation, _, _ = home.partition(".")
        return self._forgotten.get(f"{home}/", self._forgotten.get(f"{organisation}.", False))


# (operation, outcome, seconds): "get", "put" …; "ok", "conflict", "failed" or "cut_off".
Note = Callable[[str, str, float], object]
# These wait for other calls, or close the store: their times say nothing about its speed.
UNTIMED = ("forgetting", "welcome", "close")


def timed_documents(documents: ErasableDocuments, note: Note) -> ErasableDocuments:
    """Return the same documents, whose calls are noted: how long each took and how it ended.

    The note does not say what a call is about.
    """
    return cast(ErasableDocuments, _Timed(documents, note))


class _Timed:
    def __init__(self, wrapped: ErasableDocuments, note: Note) -> None:
        self._wrapped = wrapped
        self._note = note

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._wrapped, name)
        if name in UNTIMED:
            return method
        return lambda *args, **kwargs: self._timed(name, method(*args, **kwargs))

    async def _timed(self, operation: str, call: Awaitable[Any]) -> Any:
        began, outcome = time.perf_counter(), "failed"
        try:
            answer = await call
            outcome = "ok"
        except (ConflictError, ForgottenError):
            outcome = "conflict"  # the store works: its caller asked for this
            raise
        except asyncio.CancelledError:
            outcome = "cut_off"
            raise
        finally:
            self._note(operation, outcome, time.perf_counter() - began)
        return answer
