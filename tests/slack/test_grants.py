"""What Slack says of the bot's token."""

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.slack import LocalSlack
from bot.slack.auth import Grant, fetch_grant
from bot.slack.errors import SlackUnavailableError, TokenRefusedError
from tests.slack.conftest import SCOPES, a_client
from tests.tracker.loopback import always, reply, service

pytestmark = pytest.mark.anyio

JSON = {"Content-Type": "application/json"}


async def test_the_workspace_and_its_scopes_are_told(
    slack: LocalSlack, client: AsyncWebClient
) -> None:
    grant = await fetch_grant(client)

    workspace = slack.world.workspace
    assert grant == Grant(
        team_id=workspace.team_id, team_name=workspace.domain, scopes=frozenset(SCOPES)
    )


async def test_a_refused_token_is_an_error(slack: LocalSlack, http: aiohttp.ClientSession) -> None:
    with pytest.raises(TokenRefusedError):
        await fetch_grant(a_client(slack.api_url, http, token="xoxb-wrong"))


async def test_an_answer_without_scopes_says_nothing_of_them(http: aiohttp.ClientSession) -> None:
    async with service(always(reply({"ok": True, "team_id": "T1"}, headers=JSON))) as there:
        grant = await fetch_grant(a_client(f"{there.url}/api/", http))

    assert grant == Grant(team_id="T1", team_name="", scopes=None)


async def test_nonsense_is_an_error_of_ours(http: aiohttp.ClientSession) -> None:
    async with service(always(reply(b"<html>"))) as there:
        with pytest.raises(SlackUnavailableError):
            await fetch_grant(a_client(f"{there.url}/api/", http))
