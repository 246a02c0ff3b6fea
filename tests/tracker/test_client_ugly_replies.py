"""What services and the networks before them really do, over a real socket."""

import asyncio

import pytest

from bot.tracker.client import TrackerClient
from bot.tracker.models import (
    ReplyTooLargeError,
    TimedOutError,
    TrackerError,
    UnavailableError,
    UnreadableReplyError,
)
from bot.tracker.rate_limit import Purpose
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
    silence,
)

MIB = b"x" * 1024 * 1024


async def scan_failure(tracker: TrackerClient) -> TrackerError:
    with pytest.raises(TrackerError) as caught:
        await tracker.scan(ACME, KEY, "d1", purpose=Purpose.SCHEDULED)
    return caught.value


async def half(_request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(reply({"domainId": "d1", "dns": {}})[:-4])
    writer.close()


async def garble(_request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(b"220 mail.example ESMTP\r\n\r\n")
    writer.close()


async def drip(_request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.01)


async def flood(_request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(100):
        writer.write(b"%x\r\n%s\r\n" % (len(MIB), MIB))
        await writer.drain()
    writer.write(b"0\r\n\r\n")


@loop_over("answer", [drop, half, garble])
async def test_a_connection_that_breaks_leaves_the_outcome_unknown(answer: Answer) -> None:
    async with service(answer) as there, client_of(there.url) as tracker:
        error = await scan_failure(tracker)

    assert type(error) is UnavailableError
    assert error.is_outcome_unknown
    assert len(there.seen) == 1


async def test_a_list_is_asked_for_again_when_the_connection_breaks() -> None:
    async with service(drop) as there, client_of(there.url) as tracker:
        with pytest.raises(UnavailableError) as caught:
            await tracker.list_domains(ACME, KEY)

    assert not caught.value.is_outcome_unknown
    assert len(there.seen) == 3


@loop_over("answer", [silence, drip])
async def test_no_service_can_keep_a_call_waiting(answer: Answer) -> None:
    async with service(answer) as there, client_of(there.url) as tracker:
        error = await scan_failure(tracker)
        with pytest.raises(TimedOutError) as listed:
            await tracker.list_domains(ACME, KEY)

    assert isinstance(error, TimedOutError)
    assert error.is_outcome_unknown
    assert not listed.value.is_outcome_unknown
    assert len(there.seen) == 2, "what timed out is not sent again"


async def test_an_endless_body_is_cut_and_its_connection_closed() -> None:
    async with service(flood) as there, client_of(there.url) as tracker:
        error = await scan_failure(tracker)
        await there.dropped.wait()

    assert isinstance(error, ReplyTooLargeError)
    assert error.is_outcome_unknown


async def test_a_redirect_carries_the_key_nowhere() -> None:
    async with service(always(reply([]))) as elsewhere:
        moved = reply(status=307, headers={"Location": elsewhere.url})
        async with service(always(moved)) as there, client_of(there.url) as tracker:
            error = await scan_failure(tracker)

    assert isinstance(error, UnreadableReplyError)
    assert not elsewhere.seen
