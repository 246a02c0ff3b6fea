"""Refuse writes for workspaces that have been deleted, and measure every call of a store."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any, Protocol, cast

from cachetools import TTLCache

from bot.process.clock import seconds_now
from bot.store.documents import ConflictError, Document, Documents, ForgottenError

# More than are forgotten in the minutes until work that was under way has ended.
MAX_REMEMBERED = 10_000
# As in PostgreSQL: work that was under way has ended by then.
REFUSED_FOR_S = 3600


class ErasableDocuments(Documents, Protocol):
    """`Documents` that refuse to write what lies under a prefix that was deleted.

    A scan or a post may end after its workspace was deleted, and would leave its ids behind. So
    after `delete_prefix("E1.T1/")` a `put` of that workspace raises ForgottenError for an hour,
    or until it is welcome: a document is put that begins something, as an installation does.
    """

    async def welcome(self, prefix: str) -> None:
        """Take in again what lies under `E1.T1/`, or `E1.` for all of an organisation."""


class FencedDocuments:
    """`ErasableDocuments` for a store that only one process uses, one call after the other.

    `beginning_of` names the prefix that is welcome again when a document is put, `None` for all
    documents but those. What is refused is known until the process ends.
    """

    def __init__(self, documents: Documents, *, beginning_of: Callable[[str], str | None]) -> None:
        self._put, self._delete_prefix = documents.put, documents.delete_prefix
        self._beginning_of = beginning_of
        self._refused: TTLCache[str, bool] = TTLCache(MAX_REMEMBERED, REFUSED_FOR_S)
        # All others are passed on.
        self.get, self.delete = documents.get, documents.delete
        self.list_prefix, self.list_keys = documents.list_prefix, documents.list_keys
        self.due_keys = documents.due_keys
        self.check, self.close = documents.check, documents.close

    async def delete_prefix(self, prefix: str) -> int:
        self._refused[prefix] = True
        return await self._delete_prefix(prefix)

    async def welcome(self, prefix: str) -> None:
        for refused in [each for each in self._refused if each.startswith(prefix)]:
            self._refused.pop(refused, None)  # its hour may end just now

    async def put(
        self,
        key: str,
        value: Mapping[str, Any],
        *,
        due_at: datetime | None = None,
        if_rev: int | None = None,
    ) -> Document:
        """See `Documents.put`; raise ForgottenError under a prefix that was deleted."""
        begins = self._beginning_of(key)
        if begins is None and f"{key.partition('/')[0]}/" in self._refused:
            raise ForgottenError("the app was removed from this workspace")
        document = await self._put(key, value, due_at=due_at, if_rev=if_rev)
        if begins is not None:
            await self.welcome(begins)
        return document


# (operation, outcome, seconds): "get", "put" …; "ok", "conflict", "failed" or "cut_off".
OnCall = Callable[[str, str, float], object]


def timed_documents(documents: ErasableDocuments, on_call: OnCall) -> ErasableDocuments:
    """Return the same documents, whose calls are reported: how long each took and how it ended.

    `on_call` does not learn what a call is about.
    """
    return cast(ErasableDocuments, _Timed(documents, on_call))


class _Timed:
    def __init__(self, wrapped: ErasableDocuments, on_call: OnCall) -> None:
        self._wrapped = wrapped
        self._on_call = on_call

    def __getattr__(self, name: str) -> Any:
        return partial(self._timed, name, getattr(self._wrapped, name))

    async def _timed(
        self, operation: str, method: Callable[..., Awaitable[Any]], *args: Any, **kwargs: Any
    ) -> Any:
        began, outcome = seconds_now(), "failed"
        try:
            answer = await method(*args, **kwargs)
            outcome = "ok"
        except (ConflictError, ForgottenError):
            outcome = "conflict"  # the store works: its caller asked for this
            raise
        except asyncio.CancelledError:
            outcome = "cut_off"
            raise
        finally:
            self._on_call(operation, outcome, seconds_now() - began)
        return answer
