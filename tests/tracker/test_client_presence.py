"""Whether it is Domain Tracker that answers."""

import asyncio

import pytest

from bot.tracker.client import foreign_status
from bot.tracker.http import tracker_http
from bot.tracker.models import TimedOutError, UnavailableError
from tests.loops import loop_over
from tests.tracker.loopback import Request, always, reply, service

ITS_WORDS = {
    "JSON": reply({"error": {"message": "Invalid API key"}}, status=401),
    "HTML": reply(b"<html><h1>Invalid <b>API</b> key</h1></html>", status=500),
    "another refusal": reply({"message": "IP address not allowed"}, status=403),
}
OTHERS = {
    "a proxy that wants a password": (reply(b"Unauthorized", status=401), 401),
    "a redirect": (reply(status=302, headers={"Location": "https://x.example/"}), 302),
    "a list": (reply([{"domain": "shop.example", "healthScore": 41}]), 200),
}


@loop_over("answer", ITS_WORDS.values(), ids=ITS_WORDS)
async def test_a_refusal_proves_that_it_is_the_service(answer: bytes) -> None:
    async with service(always(answer)) as there, tracker_http() as http:
        assert await foreign_status(http, f"{there.url}/", 5) is None


@loop_over(("answer", "status"), OTHERS.values(), ids=OTHERS)
async def test_anybody_else_is_not(answer: bytes, status: int) -> None:
    async with service(always(answer)) as there, tracker_http() as http:
        assert await foreign_status(http, there.url, 5) == status


async def test_what_is_sent_is_no_key_and_changes_nothing() -> None:
    async with service(always(ITS_WORDS["JSON"])) as there, tracker_http() as http:
        await foreign_status(http, f"{there.url}/base/", 5)

        (request,) = there.seen
        assert request.method == "GET"
        assert request.target == "/base/api/tools/domain-tracker"
        assert "service_sk_" not in str(request.headers)


async def test_a_dead_address_is_an_error() -> None:
    async with tracker_http() as http:
        with pytest.raises(UnavailableError):
            await foreign_status(http, "http://127.0.0.1:9", 5)


async def test_a_silent_service_is_not_waited_for() -> None:
    async def hang(_request: Request, _writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with service(hang) as there, tracker_http() as http:
        with pytest.raises(TimedOutError) as caught:
            await foreign_status(http, there.url, 0.05)

    assert not caught.value.is_outcome_unknown
