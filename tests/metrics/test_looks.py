"""What is looked up when somebody asks: within a time limit, and never as a failure."""

import asyncio

from prometheus_client import CollectorRegistry

from bot.web.gauges import Gauge, LazyGauges
from tests.metrics.reading import a_bot, find_all, value

DEPTH: dict[str, tuple[Gauge, ...]] = {
    "depth": (Gauge("depth", "How deep.", lambda found: {(): found}),)
}


class FakeSource:
    """Counts how often it is asked; may fail, or hang."""

    def __init__(self) -> None:
        self.asked = 0
        self.error: Exception | None = None
        self.is_stuck = False

    async def __call__(self) -> float:
        self.asked += 1
        if self.is_stuck:
            await asyncio.Event().wait()
        if self.error:
            raise self.error
        return float(self.asked)


class Bot:
    """Looks with one gauge."""

    def __init__(self) -> None:
        self.registry, self.source = CollectorRegistry(), FakeSource()
        self.looks = LazyGauges(self.registry, DEPTH)
        self.looks.set_source("depth", self.source)

    async def depth(self) -> float | None:
        await self.looks.refresh()
        return self.registry.get_sample_value("depth")

    @property
    def failures(self) -> float | None:
        return self.registry.get_sample_value("bot_look_failures_total", {"look": "depth"})


async def test_a_look_that_fails_shows_nothing_instead_of_what_was_once() -> None:
    bot = Bot()
    first = await bot.depth()

    bot.source.error = OSError("the database is away")

    assert (first, await bot.depth(), bot.failures) == (1.0, None, 1.0)


async def test_a_look_that_hangs_is_given_up() -> None:
    bot = Bot()
    bot.source.is_stuck = True

    depth = await bot.depth()

    assert (depth, bot.failures) == (None, 1.0)


async def test_every_look_tells_its_gauges() -> None:
    metrics = a_bot()

    found = {
        "digests": (7, 12.5),
        "queue": {("deliver", "todo"): 40},
    }
    find_all(metrics, found)

    assert await value(metrics, "bot_digests_due") == 7
    assert await value(metrics, "bot_digests_overdue_seconds") == 12.5
    assert await value(metrics, "bot_queue_jobs", task="deliver", state="todo") == 40
    assert await value(metrics, "bot_queue_jobs", task="deliver", state="doing") == 0
