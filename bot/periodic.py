"""What comes again and again, joined to what makes it come: a part of the composition root."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from bot.engine.local import ticking
from bot.engine.queue import INTERVALS, working
from bot.engine.queue_jobs import Work
from bot.features import Running
from bot.lifecycle import Lifecycle
from bot.parts import Parts, Role
from bot.storage import Stored
from bot.web.health import Check

# Of the time for finishing; the rest is for what the jobs leave behind.
JOBS_END_WITHIN = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Periodic:
    """What comes again."""

    running: Running
    lifecycle: Lifecycle

    async def tick_own(self) -> None:
        """Do what every process does for itself."""
        self.lifecycle.look()
        await _all_of(*(each() for each in self.running.own))

    async def tick_alone(self) -> None:
        """Do everything, in the only process there is."""
        for begin in self.lifecycle.looks:
            begin()
        rounds = [self.running.digests.go_round, *self.running.periodic.values()]
        await _all_of(self.tick_own(), *(each() for each in rounds))


@asynccontextmanager
async def going_on(
    stored: Stored, parts: Parts, role: Role, periodic: Periodic, *, finish_within_s: float
) -> AsyncIterator[Mapping[str, Check]]:
    """Let it come inside the block; yield how to tell whether it does.

    At the end nothing is begun any more that is due, and what the queue has begun is waited for.
    """
    every_s, timed = parts.settings.tick_seconds, parts.metrics.periodic.timed
    if stored.shared is None:
        async with ticking(timed("tick", periodic.tick_alone), every_s=every_s) as ticks:
            yield {"tick": ticks.are_recent}
        return
    async with ticking(timed("tick", periodic.tick_own), every_s=every_s) as ticks:
        if not role.delivers:
            yield {"tick": ticks.are_recent}
            return
        running = periodic.running
        shared = {**running.periodic, **periodic.lifecycle.periodic}
        work = Work(
            periodic={name: timed(name, each) for name, each in shared.items()},
            deliver=running.digests.deliver,
            clock=parts.clock,
        )
        async with working(
            stored.shared.address,
            stored.shared.pool,
            work,
            every_s=every_s,
            finish_within_s=finish_within_s * JOBS_END_WITHIN,
            # Whoever wants quick ticks is not kept waiting by slow looks.
            intervals=replace(INTERVALS, look_s=min(INTERVALS.look_s, every_s / 4)),
        ) as queue:
            try:
                yield {"tick": ticks.are_recent, "queue": queue.are_recent}
            finally:
                running.stop()


async def _all_of(*work: Awaitable[object]) -> None:
    """Do all of it, also when a part of it fails; then raise the first failure."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
