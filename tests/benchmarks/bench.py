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

from bot.blocks.message import Message
from bot.digests.worker import WORKERS
from bot.domains.query import parse_query, select
from bot.domains.service import Snapshot
from bot.domains.views import domains_message
from bot.tracker.decoding import decode_listing
from bot.tracker.slots import MAX_REQUESTS
from tests.benchmarks.crowd import Crowd
from tests.benchmarks.measured import AT_ONCE, IN_A_ROW, ROOT, Measured, bare, bot
from tests.benchmarks.population import Population, listing
from tests.benchmarks.quick_slack import LIST, quick_slack
from tests.postgres import running_postgres

PAGE, BEGIN, END = ROOT / "docs/performance.md", "<!-- figures -->", "<!-- end of figures -->"
LARGE, ONE_BY_ONE, TURNS = 10_000, 200, range(5)
DIGESTS, PER_WORKSPACE, LIST_S, POST_S = 2_000, 10, 0.05, 0.1
COMMANDS_PER_S = 20
SECTION_S = 600.0  # no section may keep the others from being written
# The disk is waited for, as it must be; whatever else is not said is PostgreSQL's own default.
HONEST = "max_connections = 200\nlog_min_messages = fatal\n"


@dataclass(frozen=True)
class Row:
    """A figure beside its `reference`; `target` is of their ratio, without one it only informs.

    `more`: a higher figure is better.
    """

    name: str
    bot: float
    reference: float
    target: float | None = None
    more: bool = False

    @property
    def cells(self) -> list[str]:
        """The row of a table, with a mark where the target is missed."""
        ratio = self.bot / self.reference
        return [self.name, *map(number, (self.bot, self.reference, ratio)), self._goal(ratio)]

    def _goal(self, ratio: float) -> str:
        if self.target is None:
            return ""
        is_met = ratio >= self.target if self.more else ratio <= self.target
        return f"{'≥' if self.more else '≤'} {self.target:g}{'' if is_met else ' (missed)'}"


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2f}"


def write_between(page: Path, lines: Iterable[str]) -> None:
    """Replace what stands between the two marks on a page."""
    before, _, rest = page.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text("\n".join([f"{before}{BEGIN}", *lines, f"{END}{after}"]))


async def beside_bare_bolt() -> list[Row]:
    """Return what both do, the bot with a list of 50 domains that is cached.

    The bare app answers `/table` with the very message that the bot draws.
    """
    table = _drawn(await listing(Population().domains)).as_args()
    async with quick_slack() as slack, bare(slack, table) as theirs, bot(slack) as ours:
        started = ours.started_s, theirs.started_s
        memory = ours.memory_mb(), theirs.memory_mb()
        one = await _in_turns(
            *((theirs, line) for line in ("/acked", "/line", "/table")),
            *((ours, line) for line in ("/domains", "/domains help")),
        )
        (bare_ack_s, _), (_, line_s), (_, table_s), (ack_s, domains_s), (_, help_s) = one
        began_s = time.process_time()
        all_ = [
            await theirs.at_once("/line"),
            await theirs.at_once("/table"),
            await ours.at_once("/domains"),
            await ours.at_once("/domains help"),
        ]
        slack_s = (time.process_time() - began_s) / (len(all_) * AT_ONCE * IN_A_ROW)
    (line_rate, line_64_s), (table_rate, table_64_s), (rate, domains_64_s), (_, help_64_s) = all_
    return [
        Row("ack of one `/domains`, median, ms", ack_s * 1e3, bare_ack_s * 1e3, 0.12),
        *(
            Row(f"processor time of {what}, ms", mine * 1e3, reference * 1e3, target)
            for what, mine, reference, target in (
                ("one `/domains` beside the same message", domains_s, table_s, 1.1),
                ("one `/domains` beside one line", domains_s, line_s, None),
                ("one `/domains help` beside one line", help_s, line_s, None),
                ("64 at once beside the same message", domains_64_s, table_64_s, 1.5),
                ("64 at once beside one line", domains_64_s, line_64_s, None),
                ("64 `/domains help` at once beside one line", help_64_s, line_64_s, 1.2),
                ("the benchmark's Slack and people, beside one line", slack_s, line_64_s, None),
            )
        ),
        Row("64 at once, per second, beside the same message", rate, table_rate, 0.7, more=True),
        Row("64 at once, per second, beside one line", rate, line_rate, more=True),
        Row("memory when idle, MB", *memory, 2.0),
        Row("start until ready, s", *started, 3.5),
    ]


def _drawn(body: bytes) -> Message:
    """Return the bot's answer to `/domains`, from the service's bytes."""
    domains = decode_listing(200, body).domains
    query = parse_query("")
    found = select(domains, query, None)
    return domains_message(Snapshot(tuple(domains), datetime.now(UTC)), found, query, None)


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

    name = "`/domains` of 10,000, bytes to message, ms (beside msgspec's decode)"
    decoded_s = _cpu_of(lambda: msgspec.json.decode(body))
    return [Row(name, _cpu_of(lambda: _drawn(body)) * 1e3, decoded_s * 1e3, 4.0)]


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
    """Return how soon digests are posted that come due in one minute, and what one costs."""
    crowd = Population(workspaces=DIGESTS // PER_WORKSPACE, digests=DIGESTS)
    large = Population(workspaces=5 * DIGESTS // PER_WORKSPACE, digests=5 * DIGESTS)
    sqlite, one = await _posted(crowd, "all"), await _posted(crowd, "worker")
    two = await _posted(large, "worker", processes=2)
    name = "{:,} digests due at once, {}: s (beside work ÷ concurrency)"
    cost = "digests per second and core, {} (beside 250)"
    return [
        Row(name.format(DIGESTS, "SQLite"), sqlite.took_s, sqlite.ideal_s, 1.5),
        Row(name.format(DIGESTS, "PostgreSQL, one worker"), one.took_s, one.ideal_s, 1.5),
        Row(name.format(5 * DIGESTS, "PostgreSQL, two workers"), two.took_s, two.ideal_s, 1.5),
        Row(cost.format("SQLite"), DIGESTS / sqlite.cpu_s, 250, 1, more=True),
        Row(cost.format("PostgreSQL"), DIGESTS / one.cpu_s, 250, 1, more=True),
        Row(
            "processor time of a digest with two workers, ms (beside one worker)",
            two.cpu_s / (5 * DIGESTS) * 1e3,
            one.cpu_s / DIGESTS * 1e3,
            1.1,
        ),
    ]


@dataclass(frozen=True)
class Delivered:
    """How long the posts of all digests took, and the processor time of the workers.

    `ideal_s`: the waits for Slack and the service, divided by how many may wait at once.
    """

    took_s: float
    cpu_s: float
    ideal_s: float


async def _posted(crowd: Population, role: str, processes: int = 1) -> Delivered:
    """Let everything come due."""
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(quick_slack())
        slack.listing_s, slack.delay_s = LIST_S, POST_S
        url = ""
        if role == "worker":
            server = stack.enter_context(running_postgres(HONEST))
            url = stack.enter_context(server.database())
        workers = [
            await stack.enter_async_context(
                bot(
                    slack,
                    crowd,
                    database_url=url,
                    role=role,
                    is_filled=number > 0,
                    TICK_SECONDS="0.5",
                )
            )
            for number in range(processes)
        ]
        began, began_cpu_s = time.perf_counter(), sum(each.cpu_s() for each in workers)
        for each in workers:
            each.move_clock(crowd.due_at - datetime.now(UTC))
        await slack.until("chat.postMessage", crowd.digests)
        took_s = time.perf_counter() - began
        cpu_s = sum(each.cpu_s() for each in workers) - began_cpu_s
        lists = slack.calls[LIST]
        calls = sum(slack.calls.values()) - lists
        ideal_s = calls * POST_S / WORKERS + lists * LIST_S / MAX_REQUESTS
        return Delivered(took_s, cpu_s, ideal_s / processes)


async def nine_o_clock() -> list[Row]:
    """Return how a process does when a thousand workspaces wake at nine, its caches cold."""
    crowd = Population(workspaces=1_000, digests=1_000)
    async with quick_slack() as slack, bot(slack, crowd, role="all", TICK_SECONDS="0.5") as ours:
        slack.listing_s = slack.delay_s = 0.1
        began = time.perf_counter()
        ours.move_clock(crowd.due_at - datetime.now(UTC))
        people, number = list[asyncio.Task[float]](), 0
        while slack.calls["chat.postMessage"] < crowd.digests:
            team_id = f"T{number * 7 % crowd.workspaces:05}"
            people.append(asyncio.create_task(_answered_s(ours, team_id)))
            number += 1
            await asyncio.sleep(1 / COMMANDS_PER_S)
        took_s = time.perf_counter() - began
        answers = sorted(await asyncio.gather(*people))
    name = "1,000 workspaces wake at nine: {}"
    return [
        Row(name.format("until the last digest, s (beside 30 s)"), took_s, 30.0, 1),
        Row(
            name.format("99 of 100 commands beside them, s (beside 1 s)"),
            answers[int(len(answers) * 0.99)],
            1.0,
            1,
        ),
    ]


async def _answered_s(ours: Measured, team_id: str) -> float:
    """Return how long a person of a workspace waits for the answer to `/domains`."""
    began = time.perf_counter()
    async with ours.connection(team_id) as ask:
        await ask("/domains")
    return time.perf_counter() - began


async def acks_of_a_crowd() -> list[Row]:
    """Return the slowest ack while 5 and 20 times as many people ask as saturate the bot."""
    rows = []
    async with quick_slack() as slack, bot(slack) as ours:
        await ours.one_by_one("/domains", ONE_BY_ONE)
        for times in (5, 20):
            crowd = Crowd(ours)
            await crowd.together(times * AT_ONCE)
            name = f"slowest ack while {times * AT_ONCE:,} people ask at once, s (beside 1 s)"
            rows.append(Row(name, max(crowd.acks), 1.0, 1.0))
    return rows


SECTIONS: tuple[Callable[[], Awaitable[list[Row]]], ...] = (
    beside_bare_bolt,
    acks_of_a_crowd,
    beside_msgspec,
    due_at_once,
    nine_o_clock,
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
