"""Waiting no longer than people can wait, for work that is better not broken off."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Patience:
    """Waits `within_s` seconds for a piece of work; what takes longer goes on, unwaited for.

    Breaking off a question to a database that hangs may take seconds itself: psycopg asks the
    server to cancel it, and waits up to ten seconds for that (3.3, `AsyncConnection.wait`). What
    is begun ends by the store's own time limits.
    """

    def __init__(self, within_s: float) -> None:
        self._within_s = within_s
        self._begun: set[asyncio.Task[Any]] = set()

    async def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Return or raise as `work` does; raise TimeoutError when that takes longer."""
        task = asyncio.create_task(work)
        self._begun.add(task)
        task.add_done_callback(self._let_go)
        done, _ = await asyncio.wait({task}, timeout=self._within_s)
        if not done:
            raise TimeoutError(f"no answer within {self._within_s} s")
        return task.result()

    def _let_go(self, task: asyncio.Task[Any]) -> None:
        self._begun.discard(task)
        if not task.cancelled():
            task.exception()  # asyncio would complain of one that nobody has waited for
