"""Periodic work inside one process. The only module that knows APScheduler."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler

logger = structlog.get_logger()


@asynccontextmanager
async def ticking(tick: Callable[[], Awaitable[object]], *, every_s: float) -> AsyncIterator[None]:
    """Call `tick` every `every_s` seconds inside the block; a failed one is logged, not the last.

    APScheduler 3.11 drops a run that is a second late unless it is told not to.
    """
    scheduler = AsyncIOScheduler(timezone=UTC)

    async def run() -> None:
        try:
            await tick()
        except Exception:
            logger.exception("a tick failed")

    scheduler.add_job(
        run,
        "interval",
        seconds=every_s,
        id="tick",
        misfire_grace_time=None,
        coalesce=True,
        max_instances=1,
    )
    scheduler.start()
    try:
        yield
    finally:
        scheduler.shutdown(wait=False)
