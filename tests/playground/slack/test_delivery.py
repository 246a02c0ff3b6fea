"""What people see when the bot is late, away or confused."""

import aiohttp
import pytest
from aiohttp import web

from bot.playground.slack import CommandFailed, LocalSlack, running_slack
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

    app = web.Application()
    app.router.add_post("/", redirect)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    slack.deliver_to(f"http://127.0.0.1:{runner.addresses[0][1]}/")

    with pytest.raises(CommandFailed, match="dispatch_failed"):
        await slack.person("bob").type("/scan")
    await runner.cleanup()
    assert (slack.envelopes[0].status, slack.calls) == (302, [])
