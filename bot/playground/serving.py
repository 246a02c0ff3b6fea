"""Serving the page on one address, in the event loop of everything else."""

import asyncio
import errno
import socket
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn
from fastapi import FastAPI

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
        """Start, then say so."""
        await super().startup(sockets)
        self.is_ready.set()


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Yield a socket that listens; port 0 takes a free one.

    A browser that comes too early waits instead of being refused. Raises: AddressError:
    the port is taken or reserved, or the host is none of this machine.
    """
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
    if error.errno == errno.EACCES:
        return (
            f"Port {port} is reserved for the system. Choose one above 1023, such as --port 8080."
        )
    return f"Cannot listen on {host}, port {port}: {error.strerror or error}."
