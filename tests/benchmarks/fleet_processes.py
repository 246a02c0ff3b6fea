"""The bot's own processes, `web` and `worker`, and what the system says that they use."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from tests.benchmarks.fleet_town import Fleet
from tests.benchmarks.scene import RING
from tests.ports import reserve_port
from tests.whole.harness import Clock

ROOT = Path(__file__).parents[2]
READY_WITHIN_S = 60.0
STOPPED_WITHIN_S = 40.0


@dataclass(frozen=True, kw_only=True)
class Ships:
    """The processes, and how often they look for what is due. `lead_s`: for them to start.

    `is_clock_moved`: they are not started by `python -m bot`, and follow the fleet's clock, so
    that no one waits for a slot, or for the end of a dead claim.
    """

    webs: int = 2
    workers: int = 3
    tick_s: float = 10.0
    lead_s: float = 20.0
    is_clock_moved: bool = False


@dataclass(frozen=True)
class BotProcess:
    """One process. `name` is `web-1` or `worker-3`; its log goes to `log`."""

    name: str
    port: int
    process: asyncio.subprocess.Process
    log: Path

    @property
    def url(self) -> str:
        """Where it takes what Slack sends, if it is a `web`."""
        return f"http://127.0.0.1:{self.port}/slack/events"

    @property
    def is_running(self) -> bool:
        return self.process.returncode is None

    def hand_clock(self, clock: Clock) -> None:
        """Tell a process with a handed clock how far that is ahead."""
        assert self.process.stdin
        if self.is_running:
            self.process.stdin.write(f"{clock.ahead.total_seconds()}\n".encode())

    async def kill(self) -> None:
        """Kill it as nothing can be refused."""
        self.process.kill()
        await self.process.wait()

    async def stop(self) -> int:
        """Stop it as platforms do; return its exit status. Raises: TimeoutError."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(STOPPED_WITHIN_S):
            return await self.process.wait()


@asynccontextmanager
async def running_bots(
    fleet: Fleet, database_url: str, folder: Path, ships: Ships
) -> AsyncIterator[list[BotProcess]]:
    """Run the processes until the block ends, which kills those that are still there.

    Raises: TimeoutError, when one of them is not ready within a minute.
    """
    names = [f"web-{number + 1}" for number in range(ships.webs)]
    names += [f"worker-{number + 1}" for number in range(ships.workers)]
    given = environment(fleet, database_url) | {"TICK_SECONDS": f"{ships.tick_s:g}"}
    async with AsyncExitStack() as stack:
        bots = [
            await stack.enter_async_context(_running(name, folder, given, ships)) for name in names
        ]
        for bot in bots if ships.is_clock_moved else ():
            bot.hand_clock(fleet.clock)
        await asyncio.gather(*map(_until_ready, bots))
        yield bots


def environment(fleet: Fleet, database_url: str) -> dict[str, str]:
    """What an operator sets, and what a process needs at all."""
    slack = fleet.slack
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "DOMAIN_TRACKER_URL": fleet.tracker.url,
        "SLACK_CLIENT_ID": slack.client_id,
        "SLACK_CLIENT_SECRET": slack.client_secret,
        "SLACK_SIGNING_SECRET": slack.signing_secret,
        "SLACK_API_URL": slack.api_url,
        "SLACK_AUTHORIZE_URL": slack.authorize_url,
        "PUBLIC_URL": "http://127.0.0.1:1",  # no one installs anything here
        "DATABASE_URL": database_url,
        "BOT_SECRET_KEYS": RING,
        "HOST": "127.0.0.1",
        "LOG_LEVEL": "INFO",
        "LOG_FORMAT": "json",
    }


@asynccontextmanager
async def _running(
    name: str, folder: Path, given: dict[str, str], ships: Ships
) -> AsyncIterator[BotProcess]:
    module = "tests.benchmarks.fleet_bot" if ships.is_clock_moved else "bot"
    port, log = reserve_port(), folder / f"{name}.log"
    with log.open("ab") as file:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", module, name.partition("-")[0]),
            env=given | {"PORT": f"{port}"},
            cwd=folder,
            stdin=asyncio.subprocess.PIPE,
            stdout=file,
            stderr=file,
        )
    try:
        yield BotProcess(name, port, process, log)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _until_ready(bot: BotProcess) -> None:
    address = bot.url.replace("/slack/events", "/readyz")
    try:
        async with asyncio.timeout(READY_WITHIN_S), aiohttp.ClientSession() as http:
            while bot.is_running:
                with contextlib.suppress(aiohttp.ClientConnectionError):
                    async with http.get(address) as answer:
                        if answer.status == 200:
                            return
                await asyncio.sleep(0.05)
        raise RuntimeError(f"{bot.name} ended with status {bot.process.returncode}")
    except (TimeoutError, RuntimeError) as error:
        error.add_note(bot.log.read_text()[-3000:])
        raise
