"""What is looked up when somebody asks: within a time limit, and never as a failure."""

import asyncio

from prometheus_client import CollectorRegistry

from bot.web.metrics import DIGESTS, LazyGauges
from tests.web.reading import a_bot, find_all, value


class FakeSource:
    """Counts how often it is asked; may fail, or hang."""

    def __init__(self) -> None:
        self.asked = 0
        self.error: Exception | None = None
        self.is_stuck = False

    async def __call__(self) -> tuple[int, float]:
        self.asked += 1
        if self.is_stuck:
            await asyncio.Event().wait()
        if self.error:
            raise self.error
        return self.asked, 0.0


class Bot:
    """Looks with one source."""

    def __init__(self) -> None:
        self.registry, self.source = CollectorRegistry(), FakeSource()
        self.gauges = LazyGauges(self.registry)
        self.gauges.set_source(DIGESTS, self.source)

    async def due(self) -> float | None:
        await self.gauges.refresh()
        return self.registry.get_sample_value("bot_digests_due")


async def test_a_look_that_fails_shows_nothing_instead_of_what_was_once() -> None:
    bot = Bot()
    first = await bot.due()

    bot.source.error = OSError("the database is away")

    assert (first, await bot.due()) == (1.0, None)


async def test_a_look_that_hangs_is_given_up() -> None:
    bot = Bot()
    bot.source.is_stuck = True

    assert await bot.due() is None


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
