"""Run periodic work inside one process."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import structlog

logger = structlog.get_logger()
# A tick only starts work; one that takes longer hangs, and is cancelled.
TICK_WITHIN_S = 60.0
END_WITHIN_S = 5.0
# So many ticks may fail or be late before somebody should look.
MISSED_TICKS = 3


class Ticks:
    """When the last tick ended well, by a clock that nobody sets."""

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self.last_at = time.monotonic()

    async def are_recent(self) -> bool:
        """Say whether ticks come as they should."""
        return time.monotonic() - self.last_at < MISSED_TICKS * self._every_s + 1


@asynccontextmanager
async def ticking(
    tick: Callable[[], Awaitable[object]], *, every_s: float, within_s: float = TICK_WITHIN_S
) -> AsyncIterator[Ticks]:
    """Call `tick` at once and then every `every_s` seconds inside the block.

    After `within_s` it is cancelled.

    A failed one is logged and not the last. One that runs when the block ends is waited for.
    """
    ticks, is_over = Ticks(every_s), asyncio.Event()

    async def run() -> None:
        next_at = time.monotonic()
        while not is_over.is_set():
            try:
                async with asyncio.timeout(within_s):
                    await tick()
                ticks.last_at = time.monotonic()
            except Exception:
                logger.exception("a tick failed")
            next_at = max(next_at + every_s, time.monotonic())
            with suppress(TimeoutError):
                async with asyncio.timeout(next_at - time.monotonic()):
                    await is_over.wait()

    running = asyncio.create_task(run())
    try:
        yield ticks
    finally:
        is_over.set()
        await asyncio.wait({running}, timeout=END_WITHIN_S)
        running.cancel()
