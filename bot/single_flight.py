"""Many askers, one piece of work."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class SingleFlight(Generic[K, T]):
    """Share one run among everybody who asks for the same thing while it is under way.

    async-lru would do this too, but it keeps results for a time of its own, and what a
    portfolio may keep depends on what happened to it meanwhile.
    """

    def __init__(self) -> None:
        self._flights: dict[K, asyncio.Task[T]] = {}

    async def run(self, key: K, work: Callable[[], Awaitable[T]]) -> T:
        """Return the result of `work`, or raise its error, to everybody alike.

        An asker who is cancelled leaves; the work goes on for the others.
        """
        if key not in self._flights:
            task = asyncio.ensure_future(_as_coroutine(work))
            self._flights[key] = task
            task.add_done_callback(lambda done: self._land(key, done))
        return await asyncio.shield(self._flights[key])

    def is_under_way(self, key: K) -> bool:
        """Return whether the next asker would share a run that has begun already."""
        return key in self._flights

    def forget(self, key: K) -> None:
        """Let the next asker start anew, although a run may be under way."""
        self._flights.pop(key, None)

    def _land(self, key: K, task: asyncio.Task[T]) -> None:
        if self._flights.get(key) is task:
            del self._flights[key]
        if not task.cancelled():
            # Every asker may have left: asyncio would complain of an error that nobody saw.
            task.exception()


async def _as_coroutine(work: Callable[[], Awaitable[T]]) -> T:
    return await work()
