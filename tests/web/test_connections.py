"""Connections that send nothing, or too slowly, end."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import pytest

from bot.web import HealthEndpoints, listening
from tests.fakes import TIME_LIMIT_S
from tests.ports import reserve_port

pytestmark = pytest.mark.anyio

BEGUN = b"POST /healthz HTTP/1.1\r\nHost: x\r\n"
HALF_A_BODY = BEGUN + b"Content-Length: 100\r\n\r\nhalf"


class Door:
    """A server with short times."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def send(self, stack: AsyncExitStack, sent: bytes) -> asyncio.StreamReader:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        stack.callback(writer.close)
        with suppress(ConnectionResetError):
            writer.write(sent)
            await writer.drain()
        return reader


@asynccontextmanager
async def door(*, idle_s: float = 0.05, body_within_s: float = 0.05) -> AsyncIterator[Door]:
    port = reserve_port()
    async with listening(
        "127.0.0.1",
        port,
        HealthEndpoints({}),
        None,
        idle_s=idle_s,
        body_within_s=body_within_s,
    ):
        yield Door(port)


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        pytest.param(b"", b"", id="nothing"),
        pytest.param(BEGUN, b"", id="half-a-header"),
        pytest.param(HALF_A_BODY, b"HTTP/1.1 408", id="half-a-body"),
    ],
)
async def test_a_connection_that_stays_silent_ends(sent: bytes, answer: bytes) -> None:
    async with door() as server, AsyncExitStack() as stack:
        reader = await server.send(stack, sent)

        async with asyncio.timeout(TIME_LIMIT_S):
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
async def test_a_stranger_with_a_broken_body_writes_no_error_into_the_log(
    body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with door(idle_s=TIME_LIMIT_S) as server, AsyncExitStack() as stack:
        reader = await server.send(stack, BEGUN + body)

        async with asyncio.timeout(TIME_LIMIT_S):
            assert (await reader.read())[9:12] == b"400"

    assert [each.getMessage() for each in caplog.records if each.levelname == "ERROR"] == []


async def test_a_stop_ends_the_connections_that_are_open() -> None:
    async with AsyncExitStack() as stack, asyncio.timeout(TIME_LIMIT_S):
        async with door(idle_s=10 * TIME_LIMIT_S) as server:
            reader = await server.send(stack, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            await reader.readuntil(b"}")

        assert await reader.read() == b""
