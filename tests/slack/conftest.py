"""A local Slack, a client that repeats nothing, and a time that only passes when it is told to."""

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.slack import LocalSlack, running_slack

SCOPES = (
    *("chat:write", "im:write", "users:read"),
    *("channels:read", "groups:read", "usergroups:read"),
)


class StandingTime:
    """Seconds that stand still, with those who sleep through them."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self._sleeping: list[tuple[float, asyncio.Event]] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.Event()
        self._sleeping.append((self.now + seconds, woken))
        await woken.wait()

    async def pass_by(self, seconds: float) -> None:
        """Let time pass, wake who slept long enough, and let them do what they do then."""
        self.now += seconds
        for until, woken in self._sleeping:
            if until <= self.now + 1e-6:
                woken.set()
        await settled()


async def settled() -> None:
    """Let every task go on until it waits for something."""
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.fixture
def time() -> StandingTime:
    return StandingTime()


@pytest.fixture
async def slack() -> AsyncIterator[LocalSlack]:
    async with running_slack(scopes=SCOPES) as slack:
        yield slack


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as http:
        yield http


@pytest.fixture
def client(slack: LocalSlack, http: aiohttp.ClientSession) -> AsyncWebClient:
    return a_client(slack.api_url, http, token=slack.bot_token)


def a_client(url: str, http: aiohttp.ClientSession, *, token: str = "xoxb-1") -> AsyncWebClient:
    return AsyncWebClient(token=token, base_url=url, session=http, retry_handlers=[])
