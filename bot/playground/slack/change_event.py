"""Waiting for something to change, without polling and without sleeping."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")

# Longer than the busiest machine takes to answer somebody.
PATIENCE_S = 60.0


class ChangeEvent:
    """Notified after every change, so that those who wait look again."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Event] = set()
        self._listeners: list[Callable[[], None]] = []

    def notify(self) -> None:
        for event in self._waiting:
            event.set()
        for heard in list(self._listeners):
            heard()

    def subscribe(self, heard: Callable[[], None]) -> Callable[[], None]:
        """Call `heard` in the middle of every change; return a function that ends this."""
        self._listeners.append(heard)

        def end() -> None:
            if heard in self._listeners:
                self._listeners.remove(heard)

        return end

    async def until(self, look: Callable[[], T | None], timeout_s: float) -> T:
        """Return what `look` finds, now or after a change. Raises: TimeoutError."""
        event = asyncio.Event()
        self._waiting.add(event)
        try:
            async with asyncio.timeout(timeout_s):
                while (found := look()) is None:
                    await event.wait()
                    event.clear()
                return found
        finally:
            self._waiting.discard(event)

    async def until_time(self, clock: Callable[[], float], due: float) -> None:
        """Wait until a clock shows a time; where it is moved, until the next change."""
        while (wait_s := due - clock()) > 0:
            with suppress(TimeoutError):
                await self.until(lambda: due <= clock() or None, wait_s)


MAX_KEPT = 20_000


def note(log: list[T], entry: T, most: int = MAX_KEPT) -> None:
    """Add an entry; of more than `most` the oldest go."""
    log.append(entry)
    del log[:-most]
