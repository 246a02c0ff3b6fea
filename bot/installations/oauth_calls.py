"""Exchange OAuth codes: https://docs.slack.dev/reference/methods/oauth.v2.access.

The call is not repeated: a code works once.
"""

import asyncio
from base64 import b64encode
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.installations.installation import Installation, organisation
from bot.process.workspace import WorkspaceId
from bot.slack.client import slack_errors

ANSWERED_WITHIN_S = 15.0


async def exchange_code(
    client: AsyncWebClient, settings: AsyncOAuthSettings, code: str, asked_at: datetime
) -> Installation:
    """Exchange an OAuth code for an installation, made at `asked_at`; raise SlackError.

    `client` has no token; its `retry_handlers` must be `[]`. SlackRefusedError: the code is used,
    expired or foreign, or the client secret is wrong.
    """
    basic = b64encode(f"{settings.client_id}:{settings.client_secret}".encode()).decode()
    async with slack_errors():
        async with asyncio.timeout(ANSWERED_WITHIN_S):
            # Not by the SDK's `oauth_v2_access`: in 3.47 it uses what aiohttp 3.14 deprecates.
            answer = await client.api_call(
                "oauth.v2.access",
                data={"code": code, "redirect_uri": settings.redirect_uri},
                headers={"Authorization": f"Basic {basic}"},
            )
        return _installation(answer, asked_at)


def _installation(answer: AsyncSlackResponse, asked_at: datetime) -> Installation:
    is_org_wide = answer.get("is_enterprise_install") is True
    enterprise: Mapping[str, Any] = answer.get("enterprise") or {}
    enterprise_id = _text(enterprise["id"]) if enterprise or is_org_wide else None
    installed_in = enterprise if is_org_wide else answer["team"]
    home_id = _text(installed_in["id"])
    return Installation(
        home=organisation(home_id) if is_org_wide else WorkspaceId(home_id, enterprise_id),
        app_id=_text(answer["app_id"]),
        bot_user_id=_text(answer["bot_user_id"]),
        scopes=tuple(filter(None, map(str.strip, _text(answer["scope"]).split(",")))),
        installed_by=_text(answer["authed_user"]["id"]),
        installed_at=asked_at,
        name=str(installed_in.get("name") or ""),
        token=_text(answer["access_token"]),
    )


def _text(value: object) -> str:
    if not (isinstance(value, str) and value):
        raise TypeError("a text was expected")
    return value
