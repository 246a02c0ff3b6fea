"""Connections that send nothing, or too slowly, end; however many there are, others get in."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import aiohttp
import pytest
from aiohttp import web

from bot.web.connections import ACCEPTED_AT_ONCE, ConnectionLimits
from bot.web.server import HealthEndpoints, listening
from tests.fakes import TIME_LIMIT_S
from tests.ports import reserve_port

BEGUN = b"POST /healthz HTTP/1.1\r\nHost: x\r\n"
HALF_A_BODY = BEGUN + b"Content-Length: 100\r\n\r\nhalf"


class Server:
    """A server with these limits."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def send(self, stack: AsyncExitStack, sent: bytes) -> asyncio.StreamReader:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        stack.callback(writer.close)
        with suppress(ConnectionResetError):
            writer.write(sent)
            await writer.drain()
        return reader

    async def is_alive(self) -> bool:
        url = f"http://127.0.0.1:{self.port}/healthz"
        async with aiohttp.ClientSession() as http, http.get(url) as answer:
            return answer.status == 200


async def until_ended(readers: list[asyncio.StreamReader], count: int) -> None:
    """Wait until the server has closed so many of them."""
    waiting = [asyncio.create_task(ended(each)) for each in readers]
    first_done = asyncio.as_completed(waiting)
    for _ in range(count):
        assert await next(first_done) == b""
    for each in waiting:
        each.cancel()


async def ended(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read()
    except ConnectionResetError:  # the server had not read all that was sent
        return b""


@asynccontextmanager
async def serving(limits: ConnectionLimits) -> AsyncIterator[Server]:
    port = reserve_port()
    async with listening("127.0.0.1", port, HealthEndpoints({}), None, limits=limits):
        yield Server(port)


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        pytest.param(b"", b"", id="nothing"),
        pytest.param(BEGUN, b"", id="half-a-header"),
        pytest.param(HALF_A_BODY, b"HTTP/1.1 408", id="half-a-body"),
    ],
)
async def test_a_connection_that_stays_silent_ends(sent: bytes, answer: bytes) -> None:
    limits = ConnectionLimits(most=100, idle_s=0.05, body_within_s=0.05)
    async with serving(limits) as server, AsyncExitStack() as stack:
        reader = await server.send(stack, sent)

        assert (await reader.read())[: len(answer) or 1] == answer


@pytest.mark.parametrize(
    "body",
    [
        b"Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
        b"Content-Encoding: deflate\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n",
    ],
    ids=["gzip", "deflate", "chunks"],
)
async def test_a_broken_body_is_not_logged(body: bytes, caplog: pytest.LogCaptureFixture) -> None:
    async with serving(ConnectionLimits(body_within_s=0.05)) as server, AsyncExitStack() as stack:
        reader = await server.send(stack, BEGUN + body)

        assert (await reader.read())[9:12] == b"400"

    assert [each.getMessage() for each in caplog.records if each.levelname == "ERROR"] == []


@pytest.mark.parametrize("sent", [b"", BEGUN, HALF_A_BODY], ids=["nothing", "header", "body"])
async def test_among_many_silent_connections_a_request_is_answered(sent: bytes) -> None:
    limits = ConnectionLimits(most=5, idle_s=TIME_LIMIT_S, body_within_s=TIME_LIMIT_S)
    async with serving(limits) as server, AsyncExitStack() as stack:
        readers = await asyncio.gather(*(server.send(stack, sent) for _ in range(200)))

        assert await server.is_alive()
        await until_ended(readers, 200 - 5 - 2 * ACCEPTED_AT_ONCE)


async def test_a_stop_ends_the_connections_that_are_open() -> None:
    limits = ConnectionLimits(idle_s=10 * TIME_LIMIT_S)
    async with AsyncExitStack() as stack, asyncio.timeout(TIME_LIMIT_S):
        async with serving(limits) as server:
            reader = await server.send(stack, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            await reader.readuntil(b"}")

        assert await reader.read() == b""


async def test_a_request_at_work_is_not_broken_off_for_a_new_connection() -> None:
    begun, gate = asyncio.Event(), asyncio.Event()

    async def work() -> bool:
        begun.set()
        await gate.wait()
        return True

    limits, port = ConnectionLimits(most=1), reserve_port()
    health = HealthEndpoints({"work": work})
    async with (
        listening("127.0.0.1", port, health, None, limits=limits),
        aiohttp.ClientSession() as http,
        asyncio.timeout(TIME_LIMIT_S),
    ):
        asked = asyncio.create_task(http.get(f"http://127.0.0.1:{port}/readyz"))
        await begun.wait()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        assert await ended(reader) == b""
        gate.set()

        assert (await asked).status in {200, web.HTTPServiceUnavailable.status_code}
        writer.close()


@pytest.mark.parametrize(("allowed", "most"), [(1024, 512), (65_536, 1000), (-1, 1000), (20, 10)])
def test_half_of_the_files_are_left_for_calls_to_others(allowed: int, most: int) -> None:
    assert ConnectionLimits.for_files(allowed).most == most
