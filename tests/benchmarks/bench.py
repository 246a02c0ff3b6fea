"""Measure the bot beside its references, in one run: `make bench`.

Processor time and ratios are what counts; milliseconds belong to this machine and this minute.
The results go to docs/performance.md.
"""

import asyncio
import compileall
import gc
import sys
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import msgspec

from bot.digests.worker import WORKERS
from bot.domains.query import parse_query, select
from bot.domains.service import Snapshot
from bot.domains.views import domains_message
from bot.tracker.decoding import decode_listing
from bot.tracker.slots import MAX_REQUESTS
from tests.benchmarks.crowd import Crowd
from tests.benchmarks.measured import AT_ONCE, ROOT, Measured, bare, bot
from tests.benchmarks.population import Population, listing
from tests.benchmarks.quick_slack import LIST, quick_slack
from tests.postgres import running_postgres

PAGE, BEGIN, END = ROOT / "docs/performance.md", "<!-- figures -->", "<!-- end of figures -->"
LARGE, ONE_BY_ONE, TURNS = 10_000, 200, range(5)
DIGESTS, PER_WORKSPACE, LIST_S, POST_S = 2_000, 10, 0.05, 0.1
SECTION_S = 600.0  # no section may keep the others from being written
# The disk is waited for, as it must be; whatever else is not said is PostgreSQL's own default.
HONEST = "max_connections = 200\nlog_min_messages = fatal\n"


@dataclass(frozen=True)
class Row:
    """A figure; `target` is of its ratio to `reference`."""

    name: str
    bot: float
    reference: float
    target: float
    more: bool = False

    @property
    def cells(self) -> list[str]:
        """The row of a table, with a mark where the target is missed."""
        ratio = self.bot / self.reference
        is_met = ratio >= self.target if self.more else ratio <= self.target
        goal = f"{'≥' if self.more else '≤'} {self.target:g}{'' if is_met else ' (missed)'}"
        return [self.name, *map(number, (self.bot, self.reference, ratio)), goal]


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2f}"


def write_between(page: Path, lines: Iterable[str]) -> None:
    """Replace what stands between the two marks on a page."""
    before, _, rest = page.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text("\n".join([f"{before}{BEGIN}", *lines, f"{END}{after}"]))


async def beside_bare_bolt() -> list[Row]:
    """Return what both do, the bot with a list of 50 domains that is cached."""
    async with quick_slack() as slack, bare(slack) as theirs, bot(slack) as ours:
        started = ours.started_s, theirs.started_s
        memory = ours.memory_mb(), theirs.memory_mb()
        (bare_ack_s, _), (_, bare_cpu_s), (ack_s, cpu_s), (_, help_cpu_s) = await _in_turns(
            (theirs, "/acked"), (theirs, "/domains"), (ours, "/domains"), (ours, "/domains help")
        )
        bare_rate = await theirs.per_second("/domains")
        rates = await ours.per_second("/domains"), bare_rate
    cpu = "processor time of one `/domains{}`, ms"
    return [
        Row("ack of one `/domains`, median, ms", ack_s * 1e3, bare_ack_s * 1e3, 0.12),
        Row(cpu.format(""), cpu_s * 1e3, bare_cpu_s * 1e3, 1.5),
        Row(cpu.format(" help"), help_cpu_s * 1e3, bare_cpu_s * 1e3, 0.9),
        Row("`/domains` answered per second, 64 connections", *rates, 0.7, more=True),
        Row("memory when idle, MB", *memory, 1.6),
        Row("start until ready, s", *started, 2.0),
    ]


async def _in_turns(*asked: tuple[Measured, str]) -> list[list[float]]:
    """Return for each line its median seconds until the ack, and the processor seconds of one.

    All take turns: the speed of a machine that is shared changes within seconds.
    """
    found = [[await each.one_by_one(line, ONE_BY_ONE) for each, line in asked] for _ in TURNS]
    return [
        [median(turns) for turns in zip(*of_line, strict=True)]
        for of_line in zip(*found, strict=True)
    ]


async def beside_msgspec() -> list[Row]:
    """Return what a cold list of 10,000 domains costs, from bytes to message."""
    body = await listing(LARGE)

    def drawn() -> None:
        domains = decode_listing(200, body).domains
        query = parse_query("")
        found = select(domains, query, None)
        domains_message(Snapshot(tuple(domains), datetime.now(UTC)), found, query, None)

    name = "`/domains` of 10,000, bytes to message, ms (beside msgspec's decode)"
    decoded_s = _cpu_of(lambda: msgspec.json.decode(body))
    return [Row(name, _cpu_of(drawn) * 1e3, decoded_s * 1e3, 4.0)]


def _cpu_of(work: Callable[[], object]) -> float:
    """Return the median processor time of `work` in seconds."""
    gc.collect()
    gc.freeze()  # as the bot does
    taken = []
    for _ in TURNS:
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return median(taken)


async def due_at_once() -> list[Row]:
    """Return how soon 2,000 digests are posted that come due in one minute."""
    crowd = Population(workspaces=DIGESTS // PER_WORKSPACE, digests=DIGESTS)
    name = f"{DIGESTS:,} digests due at once, {{}}: s (beside work ÷ concurrency)"
    return [
        Row(name.format("SQLite"), *await _posted(crowd, "all"), 1.25),
        Row(name.format("PostgreSQL, one worker"), *await _posted(crowd, "worker"), 1.25),
    ]


async def _posted(crowd: Population, role: str) -> tuple[float, float]:
    """Let everything come due; return the seconds that it took, and work ÷ concurrency."""
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(quick_slack())
        slack.listing_s, slack.delay_s = LIST_S, POST_S
        url = ""
        if role == "worker":
            server = stack.enter_context(running_postgres(HONEST))
            url = stack.enter_context(server.database())
        ours = await stack.enter_async_context(
            bot(slack, crowd, database_url=url, role=role, TICK_SECONDS="0.5")
        )
        began = time.perf_counter()
        ours.move_clock(crowd.due_at - datetime.now(UTC))
        await slack.until("chat.postMessage", crowd.digests)
        took_s = time.perf_counter() - began
        lists = slack.calls[LIST]
        calls = sum(slack.calls.values()) - lists
        return took_s, calls * POST_S / WORKERS + lists * LIST_S / MAX_REQUESTS


async def acks_of_a_crowd() -> list[Row]:
    """Return the slowest ack while 5 and 20 times as many people ask as saturate the bot."""
    rows = []
    async with quick_slack() as slack, bot(slack) as ours:
        await ours.one_by_one("/domains", ONE_BY_ONE)
        for times in (5, 20):
            crowd = Crowd(ours, "")
            await crowd.together(times * AT_ONCE)
            name = f"slowest ack while {times * AT_ONCE:,} people ask at once, s (beside 1 s)"
            rows.append(Row(name, max(crowd.acks), 1.0, 1.0))
    return rows


SECTIONS: tuple[Callable[[], Awaitable[list[Row]]], ...] = (
    beside_bare_bolt,
    acks_of_a_crowd,
    beside_msgspec,
    due_at_once,
)


async def measured() -> tuple[list[Row], list[str]]:
    """Return all figures, and what could not be measured."""
    rows, failures = list[Row](), []
    for section in SECTIONS:
        try:
            async with asyncio.timeout(SECTION_S):
                found = await section()
        except Exception as error:  # noqa: BLE001  # one section must not lose the others
            failures.append(f"Could not be measured in this run: `{section.__name__}`: {error!r}")
            continue
        rows += found
        _say(*(f"{row.cells}" for row in found))
    return rows, failures


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join([*lines, ""]))
    sys.stdout.flush()


def main() -> None:
    # As the bot is installed: no start compiles anything.
    compileall.compile_dir(ROOT / "bot", quiet=1)
    rows, failures = asyncio.run(measured())
    head = ["figure", "bot", "reference", "ratio", "target"]
    table = [f"| {' | '.join(each)} |" for each in (head, ["---"] * 5, *(r.cells for r in rows))]
    _say(*failures)
    write_between(PAGE, [*table, "", *failures])


if __name__ == "__main__":
    main()
