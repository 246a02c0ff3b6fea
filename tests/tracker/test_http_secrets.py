"""A key is seen nowhere but in its own request."""

import asyncio
import logging
import traceback
from collections.abc import Iterator

import pytest

from bot.tracker.http import Call
from bot.tracker.models import RejectedError, TrackerError
from bot.tracker.rate_limit import RateLimiter
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
