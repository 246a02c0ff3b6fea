"""Whatever is sent to Slack is counted where it passes, and no secret address is shown."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.metrics.definitions import CALL_OUTCOMES, traced_calls

pytestmark = pytest.mark.anyio


class Notes:
    """Remembers what it was given."""

    def __init__(self) -> None:
        self.notified: list[tuple[str, str]] = []

    def __call__(self, method: str, outcome: str, took_s: float) -> None:
        assert took_s >= 0
        assert outcome in CALL_OUTCOMES
        self.notified.append((method, outcome))


@asynccontextmanager
async def slack(notes: Notes, status: int) -> AsyncIterator[tuple[aiohttp.ClientSession, str]]:
    """Yield a measured session, and the address of a Slack that answers with this status."""

    async def answer(_request: web.Request) -> web.Response:
        headers = {"Retry-After": "1"} if status == 429 else {}
        return web.json_response({"ok": status == 200}, status=status, headers=headers)

    app = web.Application()
    app.router.add_post("/{anything:.*}", answer)
    async with (
        TestServer(app) as server,
        aiohttp.ClientSession(trace_configs=[traced_calls(notes)]) as session,
    ):
        yield session, str(server.make_url("/"))


@pytest.mark.parametrize(
    ("status", "outcome"), [(200, "answered"), (429, "rate_limited"), (503, "failed")]
)
async def test_a_call_is_counted_by_its_method_and_answer(status: int, outcome: str) -> None:
    notes = Notes()

    async with slack(notes, status) as (session, url):
        client = AsyncWebClient("xoxb-1", base_url=f"{url}api/", session=session)
        client.retry_handlers = []
        if status == 200:
            await client.chat_postMessage(channel="C1", text="x")
        else:
            with pytest.raises(SlackApiError):
                await client.chat_postMessage(channel="C1", text="x")

    assert notes.notified == [("chat.postMessage", outcome)]


@pytest.mark.parametrize("path", ["commands/T1/123/s3cretAbc", "actions/T1/1/secret", "x/a b.c"])
async def test_an_address_for_an_answer_is_not_told(path: str) -> None:
    notes = Notes()

    async with slack(notes, 200) as (session, url), session.post(url + path):
        pass

    assert notes.notified == [("response_url", "answered")]
