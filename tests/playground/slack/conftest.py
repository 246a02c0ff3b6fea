"""A running local Slack with a clock that stands still until a test moves it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest

from bot.playground.slack import LocalSlack, View, running_slack
from tests.fakes import TIME_LIMIT_S
from tests.playground.slack.installer import Installer, running_installer
from tests.playground.slack.samples import ScriptedBot

Json = dict[str, Any]
Api = Callable[..., Awaitable[Json]]
Open = Callable[..., Awaitable[View]]


@dataclass
class Clock:
    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def about() -> Json:
    """What the app is beyond its commands; a module may say so with a fixture of its own."""
    return {}


@pytest.fixture
async def slack(clock: Clock, about: Json) -> AsyncIterator[LocalSlack]:
    async with running_slack(clock=clock, **about) as slack:
        slack.outbox.ack_limit_s = TIME_LIMIT_S
        yield slack


@pytest.fixture
def bot(slack: LocalSlack) -> ScriptedBot:
    slack.outbox.carrier = bot = ScriptedBot()
    return bot


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as http:
        yield http


@pytest.fixture
async def api(slack: LocalSlack, http: aiohttp.ClientSession) -> Api:
    """Call a Web API method with JSON and the bot's token; channels and people by name."""

    async def call(method: str, **arguments: Any) -> Json:
        headers = {"Authorization": f"Bearer {arguments.pop('token', slack.bot_token)}"}
        url = slack.api_url + method
        async with http.post(url, json=arguments, headers=headers) as response:
            answer: Json = await response.json()
            return answer

    return call


@pytest.fixture
async def installer(slack: LocalSlack) -> AsyncIterator[Installer]:
    """A bot that people can install."""
    async with running_installer(slack) as installer:
        yield installer


@pytest.fixture
async def opened(slack: LocalSlack, bot: ScriptedBot, api: Api) -> Open:
    """Open a view on somebody's screen; the next acks are scripted afterwards."""

    async def open_(view: Json, name: str = "ada", channel: str = "general") -> View:
        delivery = await slack.person(name).type("/scan", channel=channel)
        answer = await api("views.open", trigger_id=delivery.trigger_id, view=view)
        assert answer["ok"], answer
        return await slack.person(name).next_form()

    return open_
