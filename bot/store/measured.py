"""Measure every call of a store."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, cast

from bot.store.documents import ConflictError, ForgottenError
from bot.store.fenced import ErasableDocuments

# (operation, outcome, seconds): "get", "put" …; "ok", "conflict", "failed" or "cut_off".
Note = Callable[[str, str, float], object]
# They wait for others, or end the store: their times say nothing about it.
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
            outcome = "conflict"  # what was asked: nothing is wrong with the store
            raise
        except asyncio.CancelledError:
            outcome = "cut_off"
            raise
        finally:
            self._note(operation, outcome, time.perf_counter() - began)
        return answer
