"""Why we override parts of Bolt and the SDK: a test that fails here lets its override go."""

import logging
from typing import Any

import pytest
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_sdk.errors import SlackApiError
from slack_sdk.oauth import AuthorizeUrlGenerator, OAuthStateUtils
from slack_sdk.oauth.installation_store import Bot
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.token_rotation.async_rotator import AsyncTokenRotator
from slack_sdk.web.async_client import AsyncWebClient

from bot.installations.oauth_flow import StateCookie
from tests.installations.slack_stub import CODE

pytestmark = pytest.mark.anyio


class Refusing(AsyncWebClient):
    """A Slack that takes no code."""

    async def oauth_v2_access(self, **_asked: Any) -> Any:
        refusal = {"ok": False, "error": "invalid_code"}
        raise SlackApiError("invalid_code", refusal)  # type: ignore[no-untyped-call]  # the SDK's gap


def test_the_sdk_joins_the_address_as_it_is() -> None:
    address = AuthorizeUrlGenerator(client_id="1").generate("s", "T1&redirect_uri=https://evil")

    assert address.endswith("&team=T1&redirect_uri=https://evil")


def test_the_sdks_cookie_is_not_for_loopback() -> None:
    assert "; Secure;" in OAuthStateUtils().build_set_cookie_for_new_state("s")
    assert "Secure" not in StateCookie(is_secure=False).build_set_cookie_for_new_state("s")
    assert "SameSite=Lax; Secure;" in StateCookie(is_secure=True).build_set_cookie_for_deletion()


async def test_bolt_logs_the_code_and_loses_slacks_reason(
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings = AsyncOAuthSettings(
        client_id="1", client_secret="2", installation_store=AsyncInstallationStore()
    )
    flow = AsyncOAuthFlow(settings=settings, client=Refusing(), logger=logging.getLogger("bolt"))

    assert await flow.run_installation(CODE) is None
    assert CODE in caplog.text


async def test_the_sdks_rotator_uses_what_aiohttp_deprecates() -> None:
    rotator = AsyncTokenRotator(client_id="1", client_secret="2", client=AsyncWebClient())
    expired = Bot(
        bot_id="B", bot_user_id="U", bot_token="x", bot_token_expires_at=1, installed_at=1.0
    )

    with pytest.raises(DeprecationWarning, match="BasicAuth"):
        await rotator.perform_bot_token_rotation(bot=expired)
