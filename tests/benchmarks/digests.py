"""What digests cost: many due in one minute, and a day of a thousand workspaces."""

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bot.digests.worker import WORKERS
from bot.tracker.slots import MAX_REQUESTS
from tests.benchmarks.figures import Row
from tests.benchmarks.measured import Measured, bot
from tests.benchmarks.population import Population, listing
from tests.benchmarks.quick_slack import LIST, QuickSlack, quick_slack
from tests.postgres import running_postgres

DIGESTS, PER_WORKSPACE = 2_000, 10
LIST_S, POST_S = 0.05, 0.1
ENDS_WITHIN_S = 600.0
WORKSPACES, HOURS = 1_000, 24
SOON = {"TICK_SECONDS": "0.5", "LOG_LEVEL": "INFO"}
POST = "chat.postMessage"
# The disk is waited for, as it must be; whatever else is not said is PostgreSQL's own default.
HONEST = "max_connections = 200\nlog_min_messages = fatal\n"


@dataclass(frozen=True)
class Posted:
    """How posting went: processor seconds of all processes; the longest callback of any."""

    took_s: float
    cpu_s: float
    longest_s: float
    least_s: float  # work ÷ concurrency


async def due_at_once() -> list[Row]:
    """Return how soon they are posted: on SQLite, and on PostgreSQL by one worker and by two."""
    crowd = Population(workspaces=DIGESTS // PER_WORKSPACE, digests=DIGESTS)
    alone, one, two = [await _posted(crowd, workers) for workers in range(3)]
    rows = []
    for where, found in (("SQLite", alone), ("PostgreSQL, one worker", one)):
        name = f"{DIGESTS:,} digests due at once, {where}: s (beside work ÷ concurrency)"
        callback = f"the longest callback of the loop meanwhile, {where}, ms"
        rate = f"digests a second and core, {where}"
        rows += [
            Row(name, found.took_s, found.least_s, 1.25),
            Row(callback, found.longest_s * 1e3, None, 50),
            Row(rate, DIGESTS / found.cpu_s, None, 250, more=True),
        ]
    name = "processor time of a digest with two workers, ms (beside one worker's)"
    each_ms = [found.cpu_s / DIGESTS * 1e3 for found in (two, one)]
    return [*rows, Row(name, each_ms[0], each_ms[1], 1.1)]


async def _posted(crowd: Population, workers: int) -> Posted:
    """Let everything come due; without `workers` one process does it all, on SQLite."""
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(quick_slack())
        slack.listing_s, slack.delay_s = LIST_S, POST_S
        url, roles = "", ["all"]
        if workers:
            server = stack.enter_context(running_postgres(HONEST))
            url, roles = stack.enter_context(server.database()), ["worker"] * workers
            slack.listing = await listing(crowd.domains)
            await crowd.settle(url)
        bots = [
            await stack.enter_async_context(bot(slack, crowd, database_url=url, role=role, **SOON))
            for role in roles
        ]
        before_s = sum(each.cpu_s() for each in bots)
        took_s = await _come_due(slack, crowd, bots)
        reports = [await each.report() for each in bots]
        calls = sum(slack.calls.values()) - slack.calls[LIST]
        return Posted(
            took_s=took_s,
            cpu_s=sum(each.cpu_s() for each in bots) - before_s,
            longest_s=max(report["callback_max_s"] for report in reports),
            least_s=(calls * POST_S / WORKERS + slack.calls[LIST] * LIST_S / MAX_REQUESTS)
            / len(bots),
        )


async def _come_due(slack: QuickSlack, crowd: Population, bots: list[Measured]) -> float:
    for each in bots:
        await each.report()  # of the start
    began = time.perf_counter()
    for each in bots:
        each.move_clock(crowd.due_at - datetime.now(UTC))
    async with asyncio.timeout(ENDS_WITHIN_S):
        await slack.until(POST, crowd.digests)
    return time.perf_counter() - began


async def a_day() -> list[Row]:
    """Return what a thousand workspaces, with a digest a day each, leave behind in a day."""
    crowd = Population(workspaces=WORKSPACES, digests=WORKSPACES, is_spread=True, domains=10)
    async with quick_slack() as slack, bot(slack, crowd, role="all", **SOON) as ours:
        start, found = datetime.now(UTC), []
        for hour in range(1, 2 * HOURS + 1):
            before = slack.calls[POST]
            ours.move_clock(start + timedelta(hours=hour) - datetime.now(UTC))
            of_hour = _due_in(crowd, start + timedelta(hours=hour))
            async with asyncio.timeout(ENDS_WITHIN_S):
                await slack.until(POST, before + of_hour)
            if hour % HOURS == 0:
                await asyncio.sleep(8)  # Home is drawn again for some seconds
                tasks = (await ours.report())["tasks"]
                found.append((tasks, ours.memory_mb(), ours.files()))
    names = ("tasks", "memory, MB", "open files and connections")
    after = f"after a second simulated day of {WORKSPACES:,} workspaces (beside the first)"
    return [
        Row(f"{name} {after}", second, first, 1.1)
        for name, first, second in zip(names, *found, strict=True)
    ]


def _due_in(crowd: Population, until: datetime) -> int:
    """Return how many come due in the hour before; each hour of the day has its share."""
    return sum(number % HOURS == until.hour for number in range(crowd.digests))
