"""Faults to order strike the next call, and then are over."""

import aiohttp
import pytest

from bot.playground.slack import LocalSlack
from tests.playground.slack.conftest import Api

pytestmark = pytest.mark.anyio


async def test_a_rate_limit_says_when_to_come_back(
    slack: LocalSlack, api: Api, http: aiohttp.ClientSession
) -> None:
    slack.fail_next("api.test", retry_after_s=7)

    async with http.post(slack.api_url + "api.test") as response:
        assert (response.status, response.headers["Retry-After"]) == (429, "7")
        assert (await response.json())["error"] == "ratelimited"
    assert (await api("api.test"))["ok"]


@pytest.mark.parametrize(("after_acting", "posted"), [(False, 0), (True, 1)])
async def test_a_dropped_connection_leaves_the_outcome_open(
    slack: LocalSlack, api: Api, after_acting: bool, posted: int
) -> None:
    slack.fail_next("chat.postMessage", kind="drop", after_acting=after_acting)

    with pytest.raises(aiohttp.ClientError):
        await api("chat.postMessage", channel="general", text="hello")

    assert len(slack.person("bob").messages()) == posted
