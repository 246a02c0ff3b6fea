"""Slack's requests over HTTP: what was not done is taken again when Slack repeats it."""

import time
from typing import cast

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from slack_bolt.async_app import AsyncApp
from slack_bolt.response import BoltResponse
from slack_sdk.signature import SignatureVerifier

from bot.web.slack import SlackEndpoint

pytestmark = pytest.mark.anyio

SECRET = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
BODY = "command=%2Fdomains&team_id=T1"


class FakeBolt:
    """Answers with these statuses, one after the other; counts what it was given."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses)
        self.given = 0

    async def async_dispatch(self, _request: object) -> BoltResponse:
        self.given += 1
        return BoltResponse(status=self.statuses.pop(0))


async def answers(bolt: FakeBolt, times: int) -> list[int]:
    """Send the very same signed request so many times."""
    endpoint = SlackEndpoint(cast(AsyncApp, bolt), SECRET)
    app = web.Application()
    app.router.add_post("/slack/events", endpoint.answer)
    async with TestClient(TestServer(app)) as client:
        headers = signed()
        return [
            (await client.post("/slack/events", data=BODY, headers=headers)).status
            for _ in range(times)
        ]


def signed() -> dict[str, str]:
    verifier, stamp = SignatureVerifier(SECRET), str(int(time.time()))
    signature = verifier.generate_signature(timestamp=stamp, body=BODY)
    return {
        "Content-Type": "application/x-www-form-urlencoded",
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": str(signature),
    }


async def test_a_request_that_comes_again_acts_once() -> None:
    bolt = FakeBolt(200)

    assert (await answers(bolt, 2), bolt.given) == ([200, 200], 1)


async def test_a_request_that_could_not_be_taken_is_taken_when_it_comes_again() -> None:
    bolt = FakeBolt(503, 200)

    assert (await answers(bolt, 3), bolt.given) == ([503, 200, 200], 2)
