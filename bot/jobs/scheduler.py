"""Run periodic work inside one process. The only module that knows APScheduler."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from bot.process.clock import seconds_now, utc_now
from bot.process.errors import log_and_suppress

# A tick only starts work; one that takes longer hangs, and is cancelled.
TICK_WITHIN_S = 60.0
# Periodic work asks Slack for each of many workspaces, or rewrites the file of the store.
ROUND_WITHIN_S = 900.0
END_WITHIN_S = 5.0
# So many ticks may fail or be late before somebody should look.
MISSED_TICKS = 3


@asynccontextmanager
async def ticking(
    tick: Callable[[], Awaitable[object]], *, every_s: float, within_s: float = TICK_WITHIN_S
) -> AsyncIterator[Callable[[], Awaitable[bool]]]:
    """Call `tick` at once and then every `every_s` seconds inside the block, each for `within_s`.

    Yield how to tell whether the last one that ended well did so recently.
    A failed one is logged and not the last. One that runs when the block ends is waited for.
    APScheduler 3.11 drops a run that is a second late unless `misfire_grace_time` says otherwise.
    """
    scheduler = AsyncIOScheduler(timezone=UTC)
    under_way, ended, last_at = asyncio.Lock(), asyncio.Event(), seconds_now()

    async def are_recent() -> bool:
        return seconds_now() - last_at < MISSED_TICKS * every_s + 1

    async def run() -> None:
        nonlocal last_at
        async with under_way:
            if ended.is_set():
                return
            with log_and_suppress("a tick failed", Exception):
                try:
                    async with asyncio.timeout(within_s):
                        await tick()
                except asyncio.CancelledError:
                    if not ended.is_set():
                        raise
                    return  # cut off by the stop: APScheduler would log an error
                last_at = seconds_now()

    scheduler.add_job(
        run,
        "interval",
        seconds=every_s,
        next_run_time=utc_now(),  # what fell due before the start does not wait
        misfire_grace_time=None,
        coalesce=True,
        max_instances=1,
    )
    scheduler.start()
    try:
        yield are_recent
    finally:
        scheduler.pause()
        ended.set()
        # APScheduler 3.11 cancels a tick that runs, or is about to.
        with suppress(TimeoutError):
            async with asyncio.timeout(END_WITHIN_S), under_way:
                pass
        await asyncio.sleep(0)
        scheduler.shutdown(wait=False)
