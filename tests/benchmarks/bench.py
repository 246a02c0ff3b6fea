"""Measure the bot beside a bare Bolt app, in one run: `make bench`.

Processor time and ratios are what counts; milliseconds belong to this machine and this minute.
The results go to docs/performance.json; docs/performance.md explains them.
"""

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
import msgspec

from bot.api_keys.models import KeyDraft
from bot.api_keys.repository import Keys
from bot.playground.tracker import running_tracker
from bot.portfolio.query import parse_query, select
from bot.portfolio.service import Snapshot
from bot.store.encryption import KeyRing
from bot.store.sqlite import open_sqlite
from bot.tracker.decoding import decode_listing
from bot.tracker.http import PATH
from bot.views.domains import domains_message
from bot.workspace import WorkspaceId
from tests.benchmarks.quick_slack import (
    SIGNING_SECRET,
    TEAM_ID,
    USER_ID,
    QuickSlack,
    quick_slack,
    read_head,
)
from tests.benchmarks.scene import RING
from tests.ports import reserve_port
from tests.whole.harness import Clock

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
TICKS = os.sysconf("SC_CLK_TCK")
DOMAINS, LARGE = 50, 10_000
WARM, ONE_BY_ONE, AT_ONCE, IN_A_ROW, WAITING = 50, 300, 64, 20, 1_600


@dataclass(frozen=True)
class Row:
    """A figure; `target` is of its ratio to `reference`, or of the figure without one."""

    name: str
    bot: float
    reference: float | None
    target: float
    more: bool = False

    def line(self) -> str:
        """Return it as a row of Markdown, with a mark where the target is missed."""
        reached = self.bot / self.reference if self.reference else self.bot
        is_met = reached >= self.target if self.more else reached <= self.target
        reference = f"{self.reference:.2f}" if self.reference else "–"
        ratio = f"{reached:.2f}" if self.reference else "–"
        target = f"{'≥' if self.more else '≤'} {self.target:g}{'' if is_met else ' (missed)'}"
        return f"| {self.name} | {self.bot:.2f} | {reference} | {ratio} | {target} |"


@dataclass(frozen=True)
class Measured:
    """A process that answers commands; `started_s` is how long it took until it could."""

    slack: QuickSlack
    pid: int
    port: int
    started_s: float

    def cpu_s(self) -> float:
        """Return the processor time so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory_mb(self) -> float:
        """Return the resident memory."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    @asynccontextmanager
    async def connection(
        self, unanswered: "list[asyncio.Future[None]] | None" = None
    ) -> AsyncIterator[Callable[[str], Awaitable[float]]]:
        """Yield `ask(line)`: it returns after the answer, with the seconds until the ack.

        It does not wait for answers that it puts on the list of the `unanswered`.
        """
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)

        async def ask(line: str) -> float:
            sent, answered = self.slack.command(line)
            began = time.perf_counter()
            writer.write(sent)
            head = await read_head(reader)
            took_s = time.perf_counter() - began
            if b" 200 " not in head.partition(b"\r\n")[0]:
                raise RuntimeError(f"{line}: {head!r}")
            if unanswered is not None:
                unanswered.append(answered)
            elif not line.startswith("/acked"):
                await answered
            return took_s

        yield ask
        writer.close()

    async def one_by_one(self, line: str, times: int) -> tuple[float, float]:
        """Return the median seconds until the ack, and the processor seconds of one."""
        async with self.connection() as ask:
            for _ in range(WARM):
                await ask(line)
            began_s = self.cpu_s()
            acks = [await ask(line) for _ in range(times)]
        return statistics.median(acks), (self.cpu_s() - began_s) / times

    async def per_second(self, line: str) -> float:
        """Return how many are answered in a second over 64 connections."""

        async def person() -> None:
            async with self.connection() as ask:
                for _ in range(IN_A_ROW):
                    await ask(line)

        began = time.perf_counter()
        await asyncio.gather(*(person() for _ in range(AT_ONCE)))
        return AT_ONCE * IN_A_ROW / (time.perf_counter() - began)


@asynccontextmanager
async def process(
    slack: QuickSlack, words: tuple[str, ...], port: int, env: dict[str, str], is_ready: bytes
) -> AsyncIterator[Measured]:
    """Run a process until the end of the block; wait until `is_ready` is answered with 200."""
    began = time.perf_counter()
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, *words), cwd=ROOT, env=dict(os.environ) | env
    )
    try:
        async with asyncio.timeout(30):
            while not await _answers(port, is_ready):  # noqa: ASYNC110  # it tells no event here
                await asyncio.sleep(0.01)
        yield Measured(slack, child.pid, port, time.perf_counter() - began)
    finally:
        child.terminate()
        await child.wait()


async def _answers(port: int, path: bytes) -> bool:
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.write(b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % path)
    head = await reader.readline()
    writer.close()
    # The bare app knows no such path; that it says so is its readiness.
    return b" 200 " in head or (path == b"/" and bool(head))


@asynccontextmanager
async def bare(slack: QuickSlack) -> AsyncIterator[Measured]:
    port = reserve_port()
    words = ("-m", "tests.benchmarks.bare_bolt", f"{port}", slack.api_url)
    async with process(slack, words, port, {}, b"/") as measured:
        yield measured


@asynccontextmanager
async def bot(slack: QuickSlack, domains: int = DOMAINS) -> AsyncIterator[Measured]:
    """Run the whole bot over HTTP, with a key in its store and an account of `domains`."""
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        async with running_tracker(clock=clock) as tracker:
            account = tracker.account("acme")
            account.fill(domains, seed=1)
            file = Path(folder) / "bot.sqlite"
            documents = await open_sqlite(file)
            key = account.create_key("bench", scopes=("read_domains", "write_domains"), days=90)
            draft = KeyDraft(secret=key, label="bench", expires_on=None, scopes=())
            keys = Keys(documents, KeyRing.parse(RING), clock=clock)
            await keys.save(WorkspaceId(TEAM_ID), draft, set_by=USER_ID)
            await documents.close()
            port = reserve_port()
            env = {
                "DOMAIN_TRACKER_URL": tracker.url,
                "SLACK_BOT_TOKEN": "xoxb-bench",
                "SLACK_SIGNING_SECRET": SIGNING_SECRET,
                "SLACK_API_URL": slack.api_url,
                "DATABASE_URL": f"sqlite:///{file}",
                "BOT_SECRET_KEYS": RING,
                "PORT": f"{port}",
                "HOST": "127.0.0.1",
                "LOG_FORMAT": "json",
            }
            async with process(slack, ("-m", "bot"), port, env, b"/readyz") as measured:
                yield measured


async def beside_bare_bolt() -> list[Row]:
    """Return what both do, the bot with a list of 50 domains that is cached."""
    async with quick_slack() as slack, bare(slack) as theirs, bot(slack) as ours:
        started = ours.started_s, theirs.started_s
        memory = ours.memory_mb(), theirs.memory_mb()
        bare_ack_s, _ = await theirs.one_by_one("/acked", ONE_BY_ONE)
        _, bare_cpu_s = await theirs.one_by_one("/domains", ONE_BY_ONE)
        ack_s, cpu_s = await ours.one_by_one("/domains", ONE_BY_ONE)
        _, help_cpu_s = await ours.one_by_one("/domains help", ONE_BY_ONE)
        bare_rate, rate = await theirs.per_second("/domains"), await ours.per_second("/domains")
    return [
        Row("ack of one `/domains`, median, ms", ack_s * 1e3, bare_ack_s * 1e3, 0.12),
        Row("processor time of one `/domains`, ms", cpu_s * 1e3, bare_cpu_s * 1e3, 1.5),
        Row("processor time of one `/domains help`, ms", help_cpu_s * 1e3, bare_cpu_s * 1e3, 0.9),
        Row("`/domains` answered per second, 64 connections", rate, bare_rate, 0.7, more=True),
        Row("memory when idle, MB", *memory, 1.6),
        Row("start until ready, s", *started, 2.0),
    ]


async def beside_msgspec() -> Row:
    """Return what a cold list of 10,000 domains costs, from bytes to message."""
    async with running_tracker(clock=Clock()) as tracker, httpx.AsyncClient() as http:
        account = tracker.account("large")
        account.fill(LARGE, seed=1)
        key = account.create_key("bench", scopes=("read_domains",), days=90)
        url, headers = f"{tracker.url}{PATH}", {"Authorization": f"Bearer {key}"}
        body = (await http.get(url, headers=headers)).content

    def drawn() -> None:
        domains = decode_listing(200, {}, body).domains
        query = parse_query("")
        found = select(domains, query, None)
        domains_message(Snapshot(tuple(domains), datetime.now(UTC)), found, query, None)

    decoded_s = cpu_of(lambda: msgspec.json.decode(body))
    return Row(
        "`/domains` of 10,000, bytes to message, processor ms (beside msgspec's decode)",
        cpu_of(drawn) * 1e3,
        decoded_s * 1e3,
        4.0,
    )


async def waiting_answers() -> list[Row]:
    """Return what 1,600 commands cost whose answers a slow Slack takes 3 s each to take."""
    async with quick_slack() as slack, bot(slack) as ours:
        await ours.one_by_one("/domains", 1)
        before_mb, answers, acks_s = ours.memory_mb(), slack.calls["respond"], list[float]()
        slack.delay_s = 3.0
        awaited: list[asyncio.Future[None]] = []

        async def person() -> None:
            async with ours.connection(awaited) as ask:
                acks_s.extend([await ask("/domains") for _ in range(WAITING // 16)])

        async with asyncio.timeout(180):
            await asyncio.gather(*(person() for _ in range(16)))
            each_kb = (ours.memory_mb() - before_mb) * 1024 / WAITING
            await asyncio.gather(*awaited)
        by_url = slack.calls["respond"] - answers
    return [
        Row("memory of each of 1,600 answers that wait for a slow Slack, kB", each_kb, None, 15.0),
        Row("of them answered where they were asked", by_url, WAITING, 1.0, more=True),
        Row("the slowest ack among them, s", max(acks_s), None, 3.0),
    ]


async def growth() -> list[tuple[int, float]]:
    """Return the processor time of one `/domains` in ms, for lists of 10 to 10,000 domains."""
    found = []
    for domains in (10, 100, 1_000, LARGE):
        async with quick_slack() as slack, bot(slack, domains) as ours:
            _, cpu_s = await ours.one_by_one("/domains", 100)
            found.append((domains, cpu_s * 1e3))
    return found


def cpu_of(work: Callable[[], object], times: int = 5) -> float:
    """Return the median processor time of `work` in seconds."""
    taken = []
    for _ in range(times):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return statistics.median(taken)


async def measured() -> tuple[list[Row], list[tuple[int, float]]]:
    rows = [*await beside_bare_bolt(), await beside_msgspec(), *await waiting_answers()]
    return rows, await growth()


def main() -> None:
    rows, grown = asyncio.run(measured())
    table = ["| figure | bot | reference | ratio | target |", "|---|---|---|---|---|"]
    lines = [*table, *(row.line() for row in rows), ""]
    lines += ["| domains in the list | processor time of one `/domains`, ms |", "|---|---|"]
    lines += [f"| {domains:,} | {cpu_ms:.1f} |" for domains, cpu_ms in grown]
    sys.stdout.write("\n".join(lines) + "\n")
    saved = {"figures": [asdict(row) for row in rows], "growth": grown}
    (DOCS / "performance.json").write_text(json.dumps(saved, indent=2) + "\n")
    page = DOCS / "performance.md"
    before, _, rest = page.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text("\n".join([f"{before}{BEGIN}", *lines, f"{END}{after}"]))


if __name__ == "__main__":
    main()
