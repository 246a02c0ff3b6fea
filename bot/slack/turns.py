"""Taking turns: who asks for the same thing goes one after another, some time apart."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from cachetools import TTLCache

K = TypeVar("K", bound=Hashable)

# Beyond that many at once, those longest ago may be asked for again a little too soon.
MAX_REMEMBERED = 10_000


@dataclass(slots=True, weakref_slot=True)
class _Line:
    """Those who want one key: `waiting` for their turn, whoever is about to go included."""

    waiting: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # which wakes them in their order
    in_use: asyncio.Lock = field(default_factory=asyncio.Lock)


class Turns(Generic[K]):
    """Gives a turn per key every `between_s` seconds, first come first served.

    A turn is taken first and used later. Between the two a while may pass, and then others have
    taken theirs: `used` keeps the uses themselves apart. Only this process knows of them. `clock`
    and `sleep` count seconds.
    """

    def __init__(
        self,
        between_s: float,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[object]],
    ) -> None:
        self._between_s = between_s
        self._clock = clock
        self._sleep = sleep
        # A line is in it only while somebody stands in it.
        self._lines: WeakValueDictionary[K, _Line] = WeakValueDictionary()
        self._next_at: TTLCache[K, float] = TTLCache(MAX_REMEMBERED, between_s, timer=clock)
        self._free_at: TTLCache[K, float] = TTLCache(MAX_REMEMBERED, between_s, timer=clock)

    def wait_s(self, key: K) -> float:
        """Return how long whoever comes now would wait for their turn, if each use is quick."""
        line = self._lines.get(key)
        ahead = line.waiting if line else 0
        return self._left_s(self._next_at, key) + ahead * self._between_s

    async def take(self, key: K) -> None:
        """Wait for a turn and take it. Whoever is cancelled leaves the line and takes none."""
        line = self._lines.setdefault(key, _Line())
        line.waiting += 1
        try:
            async with line.lock:
                await self._until_next(key, line)
                self._next_at[key] = self._clock() + self._between_s
        finally:
            line.waiting -= 1

    @asynccontextmanager
    async def used(self, key: K) -> AsyncIterator[None]:
        """Do inside the block what a turn is for: alone, and not too soon after the one before.

        The next use counts from the end of this one: when what is done had its effect elsewhere,
        only its end can tell.
        """
        line = self._lines.setdefault(key, _Line())
        async with line.in_use:
            await self._rest(self._free_at, key)
            try:
                yield
            finally:
                self._free_at[key] = self._next_at[key] = self._clock() + self._between_s

    async def _until_next(self, key: K, line: _Line) -> None:
        await self._rest(self._next_at, key)
        while line.in_use.locked():
            async with line.in_use:
                pass
            await self._rest(self._next_at, key)

    async def _rest(self, moments: "TTLCache[K, float]", key: K) -> None:
        while (left_s := self._left_s(moments, key)) > 0:  # longer, if it was used meanwhile
            await self._sleep(left_s)

    def _left_s(self, moments: "TTLCache[K, float]", key: K) -> float:
        now = self._clock()
        return max(0.0, moments.get(key, now) - now)
