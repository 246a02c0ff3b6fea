"""Processes that answer commands, and what the system says that they use."""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeAlias

from tests.benchmarks.population import Population, fill_store, listing
from tests.benchmarks.quick_slack import SIGNING_SECRET, TEAM_ID, QuickSlack, read_head
from tests.ports import reserve_port
from tests.whole.harness import RING

ROOT = Path(__file__).parents[2]
TICKS = os.sysconf("SC_CLK_TCK")
WARM, AT_ONCE, IN_A_ROW = 50, 64, 20
READY_WITHIN_S = 60.0
# httpx imports its command line, and pygments with it, where there is click, as beside the tests.
AS_DEPLOYED = (
    "import runpy, sys; sys.modules['click'] = None; runpy.run_module('bot', run_name='__main__')"
)
Ask: TypeAlias = Callable[[str], Awaitable[float]]
ONE = Population()


@dataclass(frozen=True)
class Measured:
    """A process that answers commands; `started_s` is how long it took until it could."""

    slack: QuickSlack
    child: asyncio.subprocess.Process
    port: int
    started_s: float

    def cpu_s(self) -> float:
        """Return the processor time so far."""
        fields = Path(f"/proc/{self.child.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory_mb(self) -> float:
        """Return the resident memory."""
        status = Path(f"/proc/{self.child.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def move_clock(self, ahead: timedelta) -> None:
        """Set the clock of a process that has a handed one."""
        assert self.child.stdin
        self.child.stdin.write(f"{ahead.total_seconds()}\n".encode())

    @asynccontextmanager
    async def connection(self, team_id: str = TEAM_ID) -> AsyncIterator[Ask]:
        """Yield `ask(line)`: it returns after the answer, with the seconds until the ack."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)

        async def ask(line: str) -> float:
            sent, answered = self.slack.command(line, team_id)
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

    async def at_once(self, line: str) -> tuple[float, float]:
        """Return how many 64 connections get answered a second, and what one costs in seconds."""

        async def person() -> None:
            async with self.connection() as ask:
                for _ in range(IN_A_ROW):
                    await ask(line)

        began, began_cpu_s, asked = time.perf_counter(), self.cpu_s(), AT_ONCE * IN_A_ROW
        await asyncio.gather(*(person() for _ in range(AT_ONCE)))
        return asked / (time.perf_counter() - began), (self.cpu_s() - began_cpu_s) / asked


@asynccontextmanager
async def process(
    slack: QuickSlack,
    words: tuple[str, ...],
    port: int,
    env: dict[str, str],
    is_ready: bytes,
    ahead: timedelta = timedelta(),
) -> AsyncIterator[Measured]:
    """Run a process until the end of the block; wait until `is_ready` is answered with 200."""
    began = time.perf_counter()
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, *words),
        cwd=ROOT,
        env=dict(os.environ) | env,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert child.stdin
    child.stdin.write(f"{ahead.total_seconds()}\n".encode())
    try:
        async with asyncio.timeout(READY_WITHIN_S):
            while not await _answers(port, is_ready):  # noqa: ASYNC110  # it tells no event here
                await asyncio.sleep(0.01)
        yield Measured(slack, child, port, time.perf_counter() - began)
    finally:
        if child.returncode is None:
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
async def bare(slack: QuickSlack, table: Mapping[str, object]) -> AsyncIterator[Measured]:
    """Run the bare app; `table` is the message with which it answers `/table`."""
    port = reserve_port()
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(table, file)
        file.flush()
        words = ("-m", "tests.benchmarks.bare_bolt", f"{port}", slack.api_url, file.name)
        async with process(slack, words, port, {}, b"/") as measured:
            yield measured


@asynccontextmanager
async def bot(
    slack: QuickSlack,
    population: Population = ONE,
    *,
    database_url: str = "",
    role: str = "",
    is_filled: bool = False,
    **more: str,
) -> AsyncIterator[Measured]:
    """Run the whole bot over HTTP, on a new store of this population.

    Its clock can be moved if it has a `role`. Without a `database_url` the store is SQLite.
    `is_filled`: another process has the same store.
    """
    port = reserve_port()
    with tempfile.TemporaryDirectory() as folder:
        database_url = database_url or f"sqlite:///{folder}/bot.sqlite"
        if not is_filled:
            await fill_store(database_url, population.settled, datetime.now(UTC))
        slack.listing = await listing(population.domains)
        tokens = {"SLACK_BOT_TOKEN": f"xoxb-{TEAM_ID}"}
        if population.workspaces > 1:
            tokens = {"SLACK_CLIENT_ID": "1.1", "SLACK_CLIENT_SECRET": "none"}
            tokens["PUBLIC_URL"] = "http://127.0.0.1:1"  # no one installs anything here
        env = {
            "DOMAIN_TRACKER_URL": slack.url,
            "SLACK_SIGNING_SECRET": SIGNING_SECRET,
            "SLACK_API_URL": slack.api_url,
            "DATABASE_URL": database_url,
            "BOT_SECRET_KEYS": RING,
            "PORT": f"{port}",
            "HOST": "127.0.0.1",
            "LOG_FORMAT": "json",
        }
        words = ("-m", "tests.benchmarks.fleet_bot", role) if role else ("-c", AS_DEPLOYED)
        async with process(slack, words, port, env | tokens | more, b"/readyz") as measured:
            yield measured
