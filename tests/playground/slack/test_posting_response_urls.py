"""What may be done with a response_url, how often and for how long."""

from typing import Any

import aiohttp
import pytest

from bot.playground.slack import LocalSlack
from tests.playground.slack.conftest import Api, Clock
from tests.playground.slack.samples import ScriptedBot, actions, button

Json = dict[str, Any]


async def use(http: aiohttp.ClientSession, url: str | None, **sent: Any) -> tuple[int, Json]:
    async with http.post(str(url), json=sent) as response:
        return response.status, await response.json()


@pytest.fixture
async def url(slack: LocalSlack) -> str:
    """The address of a command that bob typed."""
    slack.outbox.carrier = ScriptedBot()
    return str((await slack.person("bob").type("/scan example.com")).response_url)


@pytest.fixture
async def pressed(slack: LocalSlack, api: Api) -> str:
    """The address of a button that bob pressed on a public message."""
    slack.outbox.carrier = ScriptedBot()
    await api("chat.postMessage", channel="general", text="a", blocks=[actions(button("Scan"))])
    bob = slack.person("bob")
    return str((await bob.press(await bob.next_message(), "Scan")).response_url)


async def test_the_sixth_use_is_refused(http: aiohttp.ClientSession, url: str) -> None:
    answers = [await use(http, url, text="x") for _ in range(6)]

    assert [status for status, _ in answers] == [200] * 5 + [404]
    assert answers[-1][1]["error"] == "used_url"


async def test_it_lasts_half_an_hour(http: aiohttp.ClientSession, url: str, clock: Clock) -> None:
    clock.now += 30 * 60
    in_time, _ = await use(http, url, text="x")
    clock.now += 1
    late = await use(http, url, text="x")

    assert in_time == 200
    assert late == (404, {"ok": False, "error": "expired_url"})


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        pytest.param({}, ["b"], id="by default"),
        pytest.param({"replace_original": True}, ["b"], id="replacing"),
        pytest.param({"replace_original": False}, ["a", "b"], id="beside it"),
    ],
)
async def test_a_button_acts_on_its_message(
    slack: LocalSlack, http: aiohttp.ClientSession, pressed: str, sent: Json, expected: list[str]
) -> None:
    await use(http, pressed, text="b", **sent)

    assert [message.text for message in slack.person("bob").messages()] == expected
