"""What people see when the bot is late, away or confused."""

import aiohttp
import pytest
from aiohttp import web

from bot.playground.slack import CommandFailed, LocalSlack, running_slack
from tests.playground.slack.bolt import served
from tests.playground.slack.conftest import Api, Clock
from tests.playground.slack.samples import ScriptedBot

pytestmark = pytest.mark.anyio


async def test_a_bot_that_is_not_connected_is_a_failed_dispatch(slack: LocalSlack) -> None:
    with pytest.raises(CommandFailed, match="dispatch_failed"):
        await slack.person("bob").type("/scan")


async def test_any_status_but_200_is_a_failed_dispatch(slack: LocalSlack) -> None:
    slack.outbox.carrier = ScriptedBot(404)

    with pytest.raises(CommandFailed, match="dispatch_failed") as caught:
        await slack.person("bob").type("/scan")

    assert caught.value.delivery is slack.envelopes[0]


async def test_a_missing_ack_is_an_operation_timeout(slack: LocalSlack) -> None:
    slack.outbox.carrier = ScriptedBot("silence")
    slack.outbox.ack_limit_s = 0.01

    with pytest.raises(CommandFailed, match="operation_timeout"):
        await slack.person("bob").type("/scan")

    assert slack.envelopes[0].ack_s is None


async def test_the_limit_for_an_ack_is_three_seconds() -> None:
    async with running_slack() as slack:
        assert slack.outbox.ack_limit_s == 3


async def test_a_link_is_good_once(slack: LocalSlack, http: aiohttp.ClientSession) -> None:
    url = slack.sockets.new_link()
    async with http.ws_connect(url) as link:
        hello = await link.receive_json()

    with pytest.raises(aiohttp.WSServerHandshakeError):
        await http.ws_connect(url)
    assert (hello["type"], hello["num_connections"]) == ("hello", 1)


async def test_an_eleventh_link_is_turned_away(
    slack: LocalSlack, http: aiohttp.ClientSession
) -> None:
    links = [await http.ws_connect(slack.sockets.new_link()) for _ in range(10)]
    hellos = [await link.receive_json() for link in links]

    last = await http.ws_connect(slack.sockets.new_link())

    assert [hello["type"] for hello in hellos] == ["hello"] * 10
    assert (await last.receive_json())["reason"] == "too_many_websockets"


async def test_a_redirect_is_not_followed(slack: LocalSlack) -> None:
    async def redirect(_request: web.Request) -> web.Response:
        raise web.HTTPFound(slack.api_url + "api.test")

    async with served(slack, redirect):
        with pytest.raises(CommandFailed, match="dispatch_failed"):
            await slack.person("bob").type("/scan")

    assert (slack.envelopes[0].status, slack.calls) == (302, [])


EVENT = {"type": "team_rename"}


async def pass_time(slack: LocalSlack, api: Api, clock: Clock, seconds: float) -> None:
    clock.now += seconds
    slack.universe.change_event.notify()
    await api("api.test")  # meanwhile whatever is due is sent


async def test_an_event_that_is_not_taken_comes_three_times_more(
    slack: LocalSlack, api: Api, clock: Clock
) -> None:
    slack.outbox.carrier, began = ScriptedBot(*[404] * 5), clock.now

    await slack.deliver_event(EVENT)
    for seconds in (59, 1, 299, 1, 86_400):
        await pass_time(slack, api, clock, seconds)

    tries = slack.envelopes
    assert len({each.payload["event_id"] for each in tries}) == 1
    assert [each.at - began for each in tries] == [0, 0, 60, 360]
    assert [each.retry_number for each in tries] == [0, 1, 2, 3]


@pytest.mark.parametrize("refused", [1, 2, 3])
async def test_an_event_that_is_taken_at_last_comes_no_more(
    slack: LocalSlack, api: Api, clock: Clock, refused: int
) -> None:
    slack.outbox.carrier = ScriptedBot(*[404] * refused)

    await slack.deliver_event(EVENT)
    for seconds in (60, 300, 86_400):
        await pass_time(slack, api, clock, seconds)

    problems = [each.problem for each in slack.envelopes]
    assert problems == [*["dispatch_failed"] * refused, None]


async def test_the_opening_of_a_tab_comes_again_like_every_event(slack: LocalSlack) -> None:
    slack.app.settings.events = ["app_home_opened"]
    slack.outbox.carrier = ScriptedBot(404)

    await slack.person("bob").by_id.open_home()

    assert [each.status for each in slack.envelopes] == [404, 200]


@pytest.mark.parametrize(
    ("is_cut", "reason"), [(True, "connection_failed"), (False, "http_error")]
)
async def test_a_retry_says_why_it_comes(slack: LocalSlack, reason: str, *, is_cut: bool) -> None:
    said: list[tuple[str | None, ...]] = []

    async def refuse_first(request: web.Request) -> web.Response:
        names = ("X-Slack-Retry-Num", "X-Slack-Retry-Reason")
        said.append(tuple(request.headers.get(name) for name in names))
        if is_cut and len(said) == 1 and request.transport:
            request.transport.abort()
        return web.Response(status=500 if len(said) == 1 else 200)

    async with served(slack, refuse_first):
        await slack.deliver_event(EVENT)

    assert said == [(None, None), ("1", reason)]


async def test_an_event_that_is_answered_late_comes_again(slack: LocalSlack) -> None:
    slack.outbox.carrier, slack.outbox.ack_limit_s = ScriptedBot("silence"), 0.01

    again = await slack.deliver_event(EVENT)

    assert (again.retry_number, again.retry_reason, again.status) == (1, "http_timeout", 200)


async def test_an_app_that_wants_no_retry_gets_none(
    slack: LocalSlack, api: Api, clock: Clock
) -> None:
    async def refuse(_request: web.Request) -> web.Response:
        return web.Response(status=500, headers={"X-Slack-No-Retry": "1"})

    async with served(slack, refuse):
        await slack.deliver_event(EVENT)
        await pass_time(slack, api, clock, 86_400)

    assert [each.status for each in slack.envelopes] == [500]
