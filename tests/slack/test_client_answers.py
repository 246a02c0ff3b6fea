"""What may come back instead of an answer, and whether anything was done then."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.slack import LocalSlack
from bot.slack.client import post_message
from bot.slack.errors import (
    ChannelClosedError,
    MissingScopeError,
    SlackError,
    SlackRateLimitedError,
    SlackUnavailableError,
    SlackUnreachableError,
)
from tests.loops import loop_over
from tests.slack.conftest import a_client, settled
from tests.tracker.loopback import service, silence


@asynccontextmanager
async def answering(make: Callable[[], web.Response]) -> AsyncIterator[str]:
    """A server that answers everything with the same; yields its address."""

    async def answer(_request: web.Request) -> web.Response:
        return make()

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    async with TestServer(app) as server:
        yield str(server.make_url("/api/"))


def as_json(body: object, status: int = 200, **headers: str) -> Callable[[], web.Response]:
    return lambda: web.json_response(
        body,
        status=status,
        headers={name.replace("_", "-"): each for name, each in headers.items()},
    )


def as_text(body: str, kind: str, status: int = 200, **more: Any) -> Callable[[], web.Response]:
    return lambda: web.Response(
        body=body.encode(), status=status, headers={"Content-Type": kind, **more}
    )


async def failure(client: AsyncWebClient) -> SlackError:
    with pytest.raises(SlackError) as caught:
        await post_message(client, "C1", {"text": "hello"})
    return caught.value


NO_ANSWERS = {
    "a page instead of an answer": as_text("<html>hi</html>", "text/html"),
    "plain words": as_text("ok", "text/plain"),
    "half of an answer": as_text('{"ok": tr', "application/json"),
    "nothing at all": as_text("", "application/json"),
    "a list": as_json(["ok"]),
    "an answer in the wrong letters": as_text('{"a": "ü"}', "application/json; charset=ascii"),
    "no without a reason": as_json({"ok": False}),
    "a reason of a broken server": as_json({"ok": False, "error": "is_archived"}, 500),
    "a failure inside Slack": as_json({"ok": False, "error": "internal_error"}),
}


@loop_over("make", NO_ANSWERS.values(), ids=NO_ANSWERS)
async def test_an_unclear_answer_is_uncertain(
    make: Callable[[], web.Response], http: aiohttp.ClientSession
) -> None:
    async with answering(make) as url:
        error = await failure(a_client(url, http))

    assert type(error) is SlackUnavailableError
    assert error.is_outcome_unknown


TOO_FAST = {
    "when to come back": (as_json({"error": "ratelimited"}, 429, Retry_After="30"), 30),
    "no number": (as_json({}, 429, Retry_After="Fri, 31 Dec 2030 23:59:59 GMT"), 1),
    "never": (as_json({}, 429, Retry_After="9" * 400), 3600),
    "in a word": (as_json({"ok": False, "error": "rate_limited"}, Retry_After="9"), 9),
}


@loop_over(("make", "retry_after_s"), TOO_FAST.values(), ids=TOO_FAST)
async def test_a_rate_limit_says_when_to_come_back(
    make: Callable[[], web.Response], retry_after_s: float, http: aiohttp.ClientSession
) -> None:
    async with answering(make) as url:
        error = await failure(a_client(url, http))

    assert isinstance(error, SlackRateLimitedError)
    assert error.retry_after_s == retry_after_s
    assert not error.is_outcome_unknown


async def test_a_refusal_names_the_missing_scope(http: aiohttp.ClientSession) -> None:
    for refusal, expected in (
        (as_json({"ok": False, "error": "is_archived"}, 403), ChannelClosedError),
        (as_json({"ok": False, "error": "missing_scope", "needed": "x:write"}), MissingScopeError),
    ):
        async with answering(refusal) as url:
            error = await failure(a_client(url, http))
        assert isinstance(error, expected)
    assert isinstance(error, MissingScopeError)
    assert error.needed == "x:write"


async def test_nothing_was_done_without_a_server(http: aiohttp.ClientSession) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        error = await failure(a_client(f"http://127.0.0.1:{closed.getsockname()[1]}/api/", http))

    assert isinstance(error, SlackUnreachableError)
    assert not error.is_outcome_unknown


async def test_nothing_was_done_when_no_connection_came_free_in_time(slack: LocalSlack) -> None:
    connector, timeout = aiohttp.TCPConnector(limit=1), aiohttp.ClientTimeout(connect=0.05)
    async with (
        service(silence) as elsewhere,
        aiohttp.ClientSession(connector=connector, connector_owner=False) as patient,
        aiohttp.ClientSession(connector=connector, timeout=timeout) as http,
    ):
        busy = asyncio.create_task(patient.get(elsewhere.url))
        await settled()
        error = await failure(a_client(slack.api_url, http, token=slack.bot_token))
        busy.cancel()

    assert isinstance(error, SlackUnreachableError)
    assert slack.calls == []
