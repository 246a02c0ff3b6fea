"""What is looked up for the metrics is really there, on a real PostgreSQL too."""

from datetime import timedelta

from bot.digests.repository import overdue
from bot.jobs.queue import depth
from bot.store.fenced import timed_documents
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import PostgresDocuments, open_postgres
from bot.web.metrics import DIGESTS, QUEUE, Metrics
from tests.digests.builders import NINE, Bot
from tests.web.reading import a_bot, samples, value


async def opened_in(database: str, metrics: Metrics) -> PostgresDocuments:
    opened = await open_postgres(parse_address(database))
    metrics.gauges.sources[QUEUE] = lambda: depth(opened.pool)
    return opened


async def test_what_is_due_is_on_the_page() -> None:
    metrics, bot = a_bot(), Bot()
    metrics.gauges.sources[DIGESTS] = lambda: overdue(bot.repository, bot.clock())
    await bot.make()
    bot.clock.now = NINE + timedelta(seconds=30)

    assert await value(metrics, "bot_digests_due") == 1
    assert await value(metrics, "bot_digests_overdue_seconds") == 30


async def test_queue_and_pool_are_on_the_page(database: str) -> None:
    metrics = a_bot()
    opened = await opened_in(database, metrics)
    await timed_documents(opened, metrics.store.note_call).put("-.T1/digest/d1", {})

    found = {name: each for name, each in (await samples(metrics)).items() if each}
    await opened.close()

    put = frozenset({("operation", "put"), ("outcome", "ok")})
    assert found[("bot_store_calls_total", put)] == 1
    # The database is away, and the rest of the page is there.
    assert await value(metrics, "bot_log_lines_total", level="critical") == 0
