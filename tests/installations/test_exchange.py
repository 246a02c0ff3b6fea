"""What Slack gives for a code, and every way in which it does not."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_sdk.web.async_client import AsyncWebClient

from bot.installations.installation import Installation
from bot.installations.oauth_flow import exchange_code
from bot.process.workspace import WorkspaceId
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from tests.builders import MOMENT
from tests.installations.slack_stub import (
    ANSWER,
    CLIENT_ID,
    CLIENT_SECRET,
    CODE,
    SlackStub,
    running_slack_stub,
)
from tests.loops import loop_over

BACK = "https://bot.example.com/slack/oauth_redirect"


@pytest.fixture
async def slack() -> AsyncIterator[SlackStub]:
    async with running_slack_stub() as stub:
        yield stub


async def exchanged(
    slack: SlackStub, code: str = CODE, secret: str = CLIENT_SECRET
) -> Installation:
    settings = AsyncOAuthSettings(client_id=CLIENT_ID, client_secret=secret, redirect_uri=BACK)
    async with aiohttp.ClientSession() as http:
        client = AsyncWebClient(base_url=slack.url, session=http, retry_handlers=[])
        return await exchange_code(client, settings, code, MOMENT)


async def test_a_code_gives_what_was_installed(slack: SlackStub) -> None:
    slack.answer["authed_user"] = {"id": "U1", "access_token": "xoxp-private", "scope": "x"}

    given = await exchanged(slack)

    assert (given.home, given.name) == (WorkspaceId("T1"), "Acme")
    assert (given.scopes, given.installed_by) == (("commands", "chat:write"), "U1")
    assert given.token == "xoxb-given"  # a person's own is left
    assert slack.forms == [{"code": CODE, "redirect_uri": BACK}]
    assert "xoxb" not in repr(given)


@loop_over(
    "change",
    [
        *({name: None} for name in ("app_id", "access_token", "bot_user_id", "scope", "team")),
        {"team": {}},
        {"team": {"id": 7}},
        {"team": "T1"},
        {"enterprise": {"name": "no id"}},
        {"is_enterprise_install": True},
        {"authed_user": None},
    ],
    ids=str,
)
async def test_an_incomplete_answer_is_refused(slack: SlackStub, change: dict[str, Any]) -> None:
    slack.answer, slack.codes = ANSWER | change, [CODE]

    with pytest.raises(SlackUnavailableError):
        await exchanged(slack)


async def test_refusals_keep_codes(slack: SlackStub) -> None:
    with pytest.raises(SlackRefusedError, match="invalid_code"):
        await exchanged(slack, code="other")
    with pytest.raises(SlackRefusedError, match="bad_client_secret"):
        await exchanged(slack, secret="wrong")
