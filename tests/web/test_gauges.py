"""What is looked up when somebody asks: within a time limit, and never as a failure."""

import asyncio

from prometheus_client import CollectorRegistry

from bot.web.metrics import DIGESTS, LazyGauges
from tests.web.reading import a_bot, find_all, value


async def test_a_look_that_fails_or_hangs_shows_nothing_instead_of_what_was_once() -> None:
    registry = CollectorRegistry()
    gauges = LazyGauges(registry)

    async def find() -> tuple[int, float]:
        return 7, 0.0

    async def fail() -> None:
        raise OSError("the database is away")

    async def hang() -> None:
        await asyncio.Event().wait()

    for source, shown in ((find, 7.0), (fail, None), (find, 7.0), (hang, None)):
        gauges.set_source(DIGESTS, source)
        await gauges.refresh()
        assert registry.get_sample_value("bot_digests_due") == shown


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
