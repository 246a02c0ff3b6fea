"""A service on a real socket that answers whatever bytes a test wants, and remembers requests."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from bot.tracker.client import TrackerClient
from bot.tracker.http import tracker_http
from bot.tracker.rate_limit import RateLimiter
from bot.tracker.shared_limits import SharedLimits
from tests.memory import MemoryDocuments

ACME = WorkspaceId("T1")
KEY = "service_sk_" + "k" * 41


@dataclass(frozen=True)
class Request:
    """A request as it came over the wire; header names in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


Answer = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Service:
    """What came in, and where to send more."""

    url: str = ""
    seen: list[Request] = field(default_factory=list)
    dropped: asyncio.Event = field(default_factory=asyncio.Event)


def reply(
    body: object = b"", *, status: int = 200, headers: dict[str, str] | None = None
) -> bytes:
    """Return a whole HTTP reply; anything but bytes is sent as JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} Because", f"Content-Length: {len(content)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return "\r\n".join([*lines, "", ""]).encode() + content


def always(*replies: bytes) -> Answer:
    """Answer with each of `replies` in turn, and with the last one from then on."""
    left = list(replies)

    async def answer(_request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(left.pop(0) if len(left) > 1 else left[0])

    return answer


async def drop(_request: Request, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def silence(_request: Request, _writer: asyncio.StreamWriter) -> None:
    """Hear it, and answer nothing."""
    await asyncio.Event().wait()


@asynccontextmanager
async def service(answer: Answer) -> AsyncIterator[Service]:
    """Serve on a free port until the block ends."""
    there = Service()
    lines: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await _request(reader):
                there.seen.append(request)
                await answer(request, writer)
                await writer.drain()
        except ConnectionError:
            there.dropped.set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = asyncio.create_task(serve(reader, writer))
        lines.add(line)
        line.add_done_callback(lines.discard)
        line.add_done_callback(lambda _line: writer.close())  # also if it never began

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    there.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield there
    finally:
        server.close()
        for line in lines:
            line.cancel()
        await asyncio.gather(*lines, return_exceptions=True)


async def _request(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    method, target, _version = head[0].split(" ")
    headers = {
        name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:-2])
    }
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(method, target, headers, body)


def uncounted(_operation: str, _outcome: str, _took_s: float) -> None:
    """Count nothing."""


def limits_of(limiter: RateLimiter | None = None) -> SharedLimits:
    """Return the limits of one process alone."""
    return SharedLimits(MemoryDocuments(), limiter or RateLimiter(), Tasks())


@asynccontextmanager
async def client_of(
    url: str, *, limiter: RateLimiter | None = None
) -> AsyncIterator[TrackerClient]:
    """Return a client of the service at `url`."""
    async with tracker_http() as http:
        yield TrackerClient(http, base_url=url, limits=limits_of(limiter), on_call=uncounted)
