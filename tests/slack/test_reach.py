"""Whether Slack's API answers, and what the bot's own address says."""

import asyncio

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.slack import LocalSlack
from bot.slack.auth import MAX_BODY_BYTES, Answer, check_api, fetch_answer
from bot.slack.errors import SlackUnavailableError
from tests.fakes import TIME_LIMIT_S
from tests.slack.conftest import a_client
from tests.tracker.loopback import Request, always, reply, service

pytestmark = pytest.mark.anyio


async def test_slack_answers_without_a_token(
    slack: LocalSlack, http: aiohttp.ClientSession
) -> None:
    client = AsyncWebClient(base_url=slack.api_url, session=http, retry_handlers=[])

    await check_api(client)


async def test_nonsense_in_slacks_place_is_an_error_of_ours(http: aiohttp.ClientSession) -> None:
    async with service(always(reply(b"<html>"))) as there:
        with pytest.raises(SlackUnavailableError):
            await check_api(a_client(f"{there.url}/api/", http))


async def test_what_an_address_answers_is_told_and_no_redirect_followed(
    http: aiohttp.ClientSession,
) -> None:
    async with service(always(reply({"status": "alive"}))) as there:
        answer = await fetch_answer(http, f"{there.url}/healthz", TIME_LIMIT_S)
    async with service(always(reply(status=302, headers={"Location": "/login"}))) as elsewhere:
        redirect = await fetch_answer(http, elsewhere.url, TIME_LIMIT_S)

    assert answer == Answer(status=200, body='{"status": "alive"}')
    assert there.seen[0].target == "/healthz"
    assert (redirect.status, len(elsewhere.seen)) == (302, 1)


async def test_of_a_long_page_only_the_beginning_is_read(http: aiohttp.ClientSession) -> None:
    async with service(always(reply(b"\xff" + b"x" * 100_000))) as there:
        answer = await fetch_answer(http, there.url, TIME_LIMIT_S)

    assert 0 < len(answer.body) <= MAX_BODY_BYTES


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/healthz", "https://[::/", "nonsense"])
async def test_an_address_without_an_answer_says_what_happened(
    http: aiohttp.ClientSession, url: str
) -> None:
    answer = await fetch_answer(http, url, TIME_LIMIT_S)

    assert answer.status == 0
    assert answer.error


async def test_silence_ends(http: aiohttp.ClientSession) -> None:
    async def be_silent(_request: Request, _writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with service(be_silent) as there:
        answer = await fetch_answer(http, there.url, 0.05)

    assert answer.error == "TimeoutError"
