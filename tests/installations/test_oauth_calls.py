"""What Slack gives for a code, and every way in which it does not."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.installations.oauth_calls import OAuthCalls
from bot.process.workspace import WorkspaceId
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from tests.fakes import FakeClock
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


def calls(url: str, http: aiohttp.ClientSession, secret: str = CLIENT_SECRET) -> OAuthCalls:
    client = AsyncWebClient(base_url=url, session=http, retry_handlers=[])
    return OAuthCalls(client, client_id=CLIENT_ID, client_secret=secret, clock=FakeClock())


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as http:
        yield http


@pytest.fixture
def oauth(slack: SlackStub, http: aiohttp.ClientSession) -> OAuthCalls:
    return calls(slack.url, http)


async def test_a_code_gives_what_was_installed(slack: SlackStub, oauth: OAuthCalls) -> None:
    slack.answer["authed_user"] = {"id": "U1", "access_token": "xoxp-private", "scope": "x"}

    given = await oauth.exchange(CODE, BACK)

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
async def test_an_incomplete_answer_is_refused(
    slack: SlackStub, oauth: OAuthCalls, change: dict[str, Any]
) -> None:
    slack.answer, slack.codes = ANSWER | change, [CODE]

    with pytest.raises(SlackUnavailableError):
        await oauth.exchange(CODE, BACK)


async def test_refusals_keep_codes(
    slack: SlackStub, oauth: OAuthCalls, http: aiohttp.ClientSession
) -> None:
    with pytest.raises(SlackRefusedError, match="invalid_code"):
        await oauth.exchange("other", BACK)
    with pytest.raises(SlackRefusedError, match="bad_client_secret"):
        await calls(slack.url, http, secret="wrong").exchange(CODE, BACK)
