"""Run the playground: the stand-ins, the unchanged bot and the page in one loop."""

import asyncio
import base64
import errno
import logging
import os
import secrets
import signal
import socket
import sys
from collections.abc import AsyncIterator, Coroutine, Iterator, MutableMapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn
from fastapi import FastAPI
from pydantic import SecretStr

from bot.app.main import serve
from bot.playground.manifest import read_manifest
from bot.playground.page import add_pages
from bot.playground.sandbox import PORTFOLIOS, Sandbox, running_sandbox
from bot.process.logs import set_up_logs
from bot.settings import Settings

# Two things follow each other at the end, and everything is to be over within two seconds.
STOP_WITHIN_S = 0.7


class AddressError(Exception):
    """The address cannot be listened on; the message is a sentence that says what to do."""


class _Server(uvicorn.Server):
    """A server that leaves signals to its owner, and says when it serves."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_ready = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none: uvicorn (0.54) would raise them again at its end."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_ready.set()


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Yield a socket that listens; port 0 takes a free one. Raises: AddressError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        raise AddressError(_trouble(host, port, error)) from error
    with listener:
        yield listener


@asynccontextmanager
async def running_page(app: FastAPI, listener: socket.socket) -> AsyncIterator[asyncio.Task[None]]:
    """Serve until the block ends; the task yielded ends early only when serving fails."""
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="critical",  # at the end it complains of browsers that still have a page open
        access_log=False,
        timeout_graceful_shutdown=STOP_WITHIN_S,  # type: ignore[arg-type]  # seconds for wait_for
    )
    server = _Server(config)
    page = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        await first_of(page, server.is_ready.wait())
        yield page
    finally:
        server.should_exit = True
        await ended(page)


async def first_of(work: "asyncio.Task[None]", wanted: Coroutine[Any, Any, Any]) -> None:
    """Wait for what is wanted; raise what the work raises if it ends before."""
    waiting = asyncio.create_task(wanted)
    try:
        await asyncio.wait({work, waiting}, return_when=asyncio.FIRST_COMPLETED)
        (work if work.done() else waiting).result()
    finally:
        waiting.cancel()


async def ended(task: "asyncio.Task[None]") -> None:
    """Wait a moment for a task that was asked to stop, then cancel it."""
    await asyncio.wait({task}, timeout=STOP_WITHIN_S)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _trouble(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        other = port + 1 if port < 65535 else port - 1
        return f"Port {port} on {host} is taken. Choose another one, such as --port {other}."
    return f"Cannot listen on {host}, port {port}: {error.strerror or error}."


STOPS = (signal.SIGTERM, signal.SIGINT)
# A scan is slow enough to see the progress of many, and to stop them.
SCAN_S = 2.0
MAX_SCANNED = 200  # as many as one bulk scan takes
TICK_S = 1.0  # when the clock is moved, what falls due is to be seen soon


@dataclass(frozen=True)
class Options:
    """What the command line says. `portfolio` None: the workspace starts without a key."""

    host: str
    port: int
    portfolio: str | None
    reads_messages: bool = False


def play(options: Options) -> None:
    """Run the playground until SIGINT or SIGTERM.

    Raises: AddressError: the address cannot be listened on. StartError, StoreError, OSError: the
    bot cannot start.
    """
    _leave_outside(os.environ)
    set_up_logs("WARNING", "console")
    logging.getLogger("bot.installations.welcome").setLevel("ERROR")  # its store is always new
    # A stop that comes before the event loop can take it waits until it can.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    try:
        with listening(options.host, options.port) as listener:
            asyncio.run(_until_stopped(_play(options, listener)))
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)


def _leave_outside(environ: MutableMapping[str, str]) -> None:
    """Take out what is meant for a real bot, and proxies: the SDK would ask them for loopback."""
    ours = {name.upper() for name in Settings.model_fields}
    for name in list(environ):
        upper = name.upper()
        if upper in ours or upper.startswith("SLACK_") or upper.endswith("_PROXY"):
            del environ[name]


async def _until_stopped(work: Coroutine[Any, Any, None]) -> None:
    """Do the work; the first SIGINT or SIGTERM cancels it, and further ones change nothing."""
    task, loop = asyncio.ensure_future(work), asyncio.get_running_loop()
    asked: list[bool] = []

    def stop() -> None:
        if not asked:
            asked.append(True)
            task.cancel()

    for number in STOPS:
        loop.add_signal_handler(number, stop)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    try:
        await task
    except asyncio.CancelledError:
        if not asked:
            raise


async def _play(options: Options, listener: socket.socket) -> None:
    async with AsyncExitStack() as stack:
        about = read_manifest(reads_messages=options.reads_messages)
        folder = stack.enter_context(TemporaryDirectory(prefix="bot-playground-"))
        sandbox = await stack.enter_async_context(running_sandbox(about=about))
        store = Path(folder) / "bot.sqlite"
        bot = await stack.enter_async_context(running_playground_bot(sandbox, store))
        if options.portfolio:
            await sandbox.connect(options.portfolio)
            if PORTFOLIOS[options.portfolio] <= MAX_SCANNED:
                await sandbox.scan_all(options.portfolio)
        sandbox.tracker.scan_latency_s = SCAN_S
        page = await stack.enter_async_context(running_page(add_pages(sandbox, about), listener))
        _tell(_banner(sandbox, options, listener))
        done, _ = await asyncio.wait({bot, page}, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()


@asynccontextmanager
async def running_playground_bot(
    sandbox: Sandbox, store: Path
) -> AsyncIterator[asyncio.Task[None]]:
    stop = asyncio.Event()
    bot = asyncio.create_task(serve(_settings(sandbox, store), stop, clock=sandbox.clock))
    try:
        await first_of(bot, sandbox.slack.connected())
        yield bot
    finally:
        stop.set()
        await ended(bot)


def _settings(sandbox: Sandbox, store: Path) -> Settings:
    return Settings(
        domain_tracker_url=sandbox.tracker.url,
        slack_bot_token=SecretStr(sandbox.slack.bot_token),
        slack_app_token=SecretStr(sandbox.slack.app_token),
        slack_api_url=sandbox.slack.api_url,
        database_url=f"sqlite:///{store}",
        # Given, because the bot warns when it has to make one.
        bot_secret_keys=SecretStr(f"play:{base64.b64encode(secrets.token_bytes(32)).decode()}"),
        egress_ips="127.0.0.1",
        tick_seconds=TICK_S,
    ).model_copy(update={"port": 0})  # any free one, which no operator may set: nothing asks there


def _banner(sandbox: Sandbox, options: Options, listener: socket.socket) -> list[str]:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(options.host, options.host)  # noqa: S104  # only named
    at = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
    state = (
        f"The workspace is connected to the portfolio “{options.portfolio}”. Other keys to try:"
        if options.portfolio
        else "The workspace has no key yet: as ada, type /domainkey, with one of these keys:"
    )
    return [
        f"Open {at} and type /domains",
        "",
        f"  {at}/            Slack",
        f"  {at}/tracker     Domain Tracker: domains, API keys, knobs",
        f"  {at}/inspector   what Slack and the bot say to each other",
        "",
        state,
        *(f"  {name:<10} {sandbox.demo_keys[name]}" for name in sandbox.tracker.accounts),
        "",
        "Ctrl-C stops everything.",
    ]


def _tell(lines: list[str]) -> None:
    print(*lines, sep="\n", file=sys.stdout, flush=True)  # noqa: T201  # this is what it is for
