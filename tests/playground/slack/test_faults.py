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


async def test_a_fault_strikes_as_often_as_ordered(slack: LocalSlack, api: Api) -> None:
    slack.fail_next("api.test", "internal_error", times=2)

    answers = [await api("api.test") for _ in range(3)]

    assert [answer.get("error") for answer in answers] == ["internal_error"] * 2 + [None]


async def test_another_method_is_not_struck(slack: LocalSlack, api: Api) -> None:
    slack.fail_next("chat.postMessage")

    assert (await api("api.test"))["ok"]


async def test_a_server_error_is_a_page(slack: LocalSlack, http: aiohttp.ClientSession) -> None:
    slack.fail_next("api.test", kind="html")

    async with http.post(slack.api_url + "api.test") as response:
        assert (response.status, response.content_type) == (500, "text/html")


@pytest.mark.parametrize(("after_acting", "posted"), [(False, 0), (True, 1)])
async def test_a_dropped_connection_leaves_the_outcome_open(
    slack: LocalSlack, api: Api, after_acting: bool, posted: int
) -> None:
    slack.fail_next("chat.postMessage", kind="drop", after_acting=after_acting)

    with pytest.raises(aiohttp.ClientError):
        await api("chat.postMessage", channel="general", text="hello")

    assert len(slack.person("bob").messages()) == posted


async def test_slowness_only_waits(slack: LocalSlack, api: Api) -> None:
    slack.fail_next("api.test", kind="slow", delay_s=0.01)

    assert (await api("api.test"))["ok"]


async def test_a_failed_call_is_remembered_with_its_answer(slack: LocalSlack, api: Api) -> None:
    slack.fail_next("chat.postMessage", "fatal_error")

    await api("chat.postMessage", channel="general", text="hello")

    [call] = slack.calls
    assert (call.arguments["text"], call.answer["error"]) == ("hello", "fatal_error")
