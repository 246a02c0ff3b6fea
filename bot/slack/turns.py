"""Taking turns: who asks for the same thing goes one after another, some time apart."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from cachetools import TTLCache

K = TypeVar("K", bound=Hashable)

# Beyond that many at once, those longest ago may be asked for again a little too soon.
MAX_REMEMBERED = 10_000


@dataclass(slots=True)
class _Line:
    """Those who wait for one key, whoever is about to go included."""

    waiting: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # which wakes them in their order


class Turns(Generic[K]):
    """Gives a turn per key every `between_s` seconds, first come first served.

    Only this process knows of them. `clock` and `sleep` count seconds.
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
        self._lines: dict[K, _Line] = {}  # a key is in it only while somebody waits
        self._next_at: TTLCache[K, float] = TTLCache(MAX_REMEMBERED, between_s, timer=clock)

    def wait_s(self, key: K) -> float:
        """Return how long whoever comes now would wait for their turn."""
        line = self._lines.get(key)
        ahead = line.waiting if line else 0
        return self._free_in_s(key) + ahead * self._between_s

    async def take(self, key: K) -> None:
        """Wait for a turn and use it. Whoever is cancelled leaves the line and uses none."""
        line = self._lines.setdefault(key, _Line())
        line.waiting += 1
        try:
            async with line.lock:
                while (free_in_s := self._free_in_s(key)) > 0:  # longer, if it was used meanwhile
                    await self._sleep(free_in_s)
                self.use(key)
        finally:
            line.waiting -= 1
            if not line.waiting:
                del self._lines[key]

    def use(self, key: K) -> None:
        """Note that what a turn is for happens now: the next one counts from here."""
        self._next_at[key] = self._clock() + self._between_s

    def _free_in_s(self, key: K) -> float:
        now = self._clock()
        return max(0.0, self._next_at.get(key, now) - now)
