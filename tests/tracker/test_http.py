"""

A key is seen nowhere but in its own request.
"""

import asyncio
import gzip
import logging
import traceback
import zlib
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from bot.tracker.http import MAX_BODY_BYTES, Call, read_body
from bot.tracker.models import RejectedError, TrackerError, UnreadableReplyError
from bot.tracker.rate_limit import RateLimiter
from tests.loops import loop_over
from tests.tracker.loopback import (
    ACME,
    KEY,
    Answer,
    Request,
    always,
    client_of,
    drop,
    reply,
    service,
)

MIB = 1024 * 1024


async def in_chunks(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


async def read(*chunks: bytes, encoding: str = "") -> bytes:
    headers = {"Content-Encoding": encoding}
    return await read_body(httpx.Response(200, headers=headers, content=in_chunks(*chunks)))


# They are parts of the tests' names, which are the same in every process: hence `mtime`.
@loop_over(
    ("encoding", "body"),
    [
        ("", b"hello"),
        ("identity", b"hello"),
        ("gzip", gzip.compress(b"hello", mtime=0)),
        ("deflate", zlib.compress(b"hello")),
    ],
)
async def test_a_body_is_read_without_its_encoding(encoding: str, body: bytes) -> None:
    assert await read(body[:3], body[3:], encoding=encoding) == b"hello"


async def test_what_cannot_be_undone_is_unreadable() -> None:
    with pytest.raises(UnreadableReplyError) as caught:
        await read(b"hello", encoding="gzip")

    assert caught.value.is_outcome_unknown


async def test_a_reply_that_is_compressed_twice_is_not_unpacked() -> None:
    """3 kB of it are 2 GB."""
    twice = gzip.compress(gzip.compress(b"hello", mtime=0), mtime=0)

    with pytest.raises(UnreadableReplyError):
        await read(twice, encoding="gzip, gzip")


async def test_a_body_of_just_the_bound_is_read() -> None:
    assert len(await read(*[b"x" * MIB] * 16)) == MAX_BODY_BYTES


ECHO = {"Set-Cookie": "key=short", "X-RateLimit-Remaining": "5"}


async def echo(request: Request, writer: asyncio.StreamWriter) -> None:
    """Answer with what came, as a port that speaks no HTTP may; httpx quotes such a line."""
    writer.write(f"HTTP/1.1 200 OK\r\n{request.headers['authorization']}\r\n\r\n".encode())
    writer.close()


@pytest.fixture
def everything_logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.DEBUG):
        yield caplog


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(always(reply([], headers=ECHO)), id="success"),
        pytest.param(always(reply({"error": f"Bad header: Bearer {KEY}"}, status=400)), id="400"),
        pytest.param(always(reply(f"no such key {KEY}".encode(), status=500)), id="500"),
        pytest.param(always(reply(status=503)), id="repeated"),
        pytest.param(drop, id="dropped"),
        pytest.param(echo, id="echoed-without-http"),
    ],
)
@pytest.mark.usefixtures("everything_logged")
async def test_no_log_and_no_error_holds_the_key(
    answer: Answer, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    text = ""
    async with service(answer) as there, client_of(there.url) as tracker:
        try:
            await tracker.list_domains(ACME, KEY)
        except TrackerError as error:
            text = repr(error) + "".join(traceback.format_exception(error))

    assert there.seen[0].headers["authorization"] == f"Bearer {KEY}"
    logged = [f"{record.getMessage()} {vars(record)}" for record in caplog.records]
    assert KEY not in text + "".join(logged) + "".join(capfd.readouterr())


async def test_a_repeated_key_is_taken_out_of_what_the_service_said() -> None:
    answer = always(reply({"error": f"Bad header: Bearer {KEY}"}, status=400))
    async with service(answer) as there, client_of(there.url) as tracker:
        with pytest.raises(RejectedError) as caught:
            await tracker.list_domains(ACME, KEY)

    assert caught.value.detail == "Bad header: Bearer [hidden]"


async def test_no_object_shows_the_key() -> None:
    budget = RateLimiter()
    async with (
        service(always(reply([]))) as there,
        client_of(there.url, limiter=budget) as tracker,
    ):
        await tracker.list_domains(ACME, KEY)
        call = Call(key=KEY, deadline_s=1)
        shown = [repr(call), repr(vars(tracker)), repr(vars(budget))]

    assert KEY not in "".join(shown)
