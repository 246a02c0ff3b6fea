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
from dataclasses import dataclass
from pathlib import Path

from bot.api_keys.models import KeyDraft
from bot.api_keys.repository import Keys
from bot.playground.tracker import running_tracker
from bot.store.encryption import KeyRing
from bot.store.sqlite import open_sqlite
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
TICKS = os.sysconf("SC_CLK_TCK")
DOMAINS, WARM, ONE_BY_ONE, AT_ONCE, IN_A_ROW = 50, 50, 300, 64, 20


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
    async def connection(self) -> AsyncIterator[Callable[[str], Awaitable[float]]]:
        """Yield `ask(line)`: it returns after the answer, with the seconds until the ack."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)

        async def ask(line: str) -> float:
            sent, answered = self.slack.command(line)
            began = time.perf_counter()
            writer.write(sent)
            head = await read_head(reader)
            took_s = time.perf_counter() - began
            if b" 200 " not in head.partition(b"\r\n")[0]:
                raise RuntimeError(f"{line}: {head!r}")
            if not line.startswith("/acked"):
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


async def figures() -> dict[str, dict[str, float]]:
    """Return each figure of the bot, of the bare app, and their ratio."""
    found: dict[str, dict[str, float]] = {}

    def note(name: str, ours: float, theirs: float) -> None:
        found[name] = {"bot": ours, "bare Bolt": theirs, "ratio": ours / theirs}

    async with quick_slack() as slack, bare(slack) as theirs, bot(slack) as ours:
        note("start until ready, s", ours.started_s, theirs.started_s)
        note("memory when idle, MB", ours.memory_mb(), theirs.memory_mb())
        bare_ack_s, _ = await theirs.one_by_one("/acked", ONE_BY_ONE)
        _, bare_cpu_s = await theirs.one_by_one("/domains", ONE_BY_ONE)
        ack_s, cpu_s = await ours.one_by_one("/domains", ONE_BY_ONE)
        _, help_cpu_s = await ours.one_by_one("/domains help", ONE_BY_ONE)
        note("ack of one /domains, median, ms", ack_s * 1000, bare_ack_s * 1000)
        note("processor time of one /domains, ms", cpu_s * 1000, bare_cpu_s * 1000)
        note("processor time of one /domains help, ms", help_cpu_s * 1000, bare_cpu_s * 1000)
        bare_rate, rate = await theirs.per_second("/domains"), await ours.per_second("/domains")
        note("/domains per second over 64 connections", rate, bare_rate)
    return found


def main() -> None:
    found = asyncio.run(figures())
    width = max(map(len, found))
    for name, row in found.items():
        sys.stdout.write(
            f"{name:{width}}  {row['bot']:8.2f}  {row['bare Bolt']:8.2f}  {row['ratio']:6.2f}\n"
        )
    (ROOT / "docs" / "performance.json").write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
