"""Exchange OAuth codes: https://docs.slack.dev/reference/methods/oauth.v2.access.

The call is not repeated: a code works once.
"""

import asyncio
from base64 import b64encode
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.installations.installation import Installation, organisation
from bot.process.workspace import WorkspaceId
from bot.slack.client import slack_errors

ANSWERED_WITHIN_S = 15.0


class OAuthCalls:
    """OAuth calls of the app. `client` has no token; its `retry_handlers` must be `[]`."""

    def __init__(
        self,
        client: AsyncWebClient,
        *,
        client_id: str,
        client_secret: str,
        clock: Callable[[], datetime],
    ) -> None:
        self._client = client
        self._clock = clock
        basic = b64encode(f"{client_id}:{client_secret}".encode()).decode()
        self._headers = {"Authorization": f"Basic {basic}"}

    async def exchange(self, code: str, redirect_uri: str) -> Installation:
        """Exchange an OAuth code for an installation; raise SlackError.

        SlackRefusedError: the code is used, expired or foreign, or the client secret is wrong.
        """
        asked_at = self._clock()
        async with slack_errors():
            answer = await self._ask(code=code, redirect_uri=redirect_uri)
            return _installation(answer, asked_at)

    async def _ask(self, **fields: str) -> AsyncSlackResponse:
        async with asyncio.timeout(ANSWERED_WITHIN_S):
            # Not by the SDK's `oauth_v2_access`: in 3.47 it uses what aiohttp 3.14 deprecates.
            return await self._client.api_call(
                "oauth.v2.access", data=fields, headers=self._headers
            )


def _installation(answer: AsyncSlackResponse, asked_at: datetime) -> Installation:
    is_org_wide = answer.get("is_enterprise_install") is True
    enterprise: Mapping[str, Any] = answer.get("enterprise") or {}
    enterprise_id = _text(enterprise["id"]) if enterprise or is_org_wide else None
    place = enterprise if is_org_wide else answer["team"]
    place_id = _text(place["id"])
    return Installation(
        home=organisation(place_id) if is_org_wide else WorkspaceId(place_id, enterprise_id),
        app_id=_text(answer["app_id"]),
        bot_user_id=_text(answer["bot_user_id"]),
        scopes=tuple(filter(None, map(str.strip, _text(answer["scope"]).split(",")))),
        installed_by=_text(answer["authed_user"]["id"]),
        installed_at=asked_at,
        name=str(place.get("name") or ""),
        token=_text(answer["access_token"]),
    )


def _text(value: object) -> str:
    if not (isinstance(value, str) and value):
        raise TypeError("a text was expected")
    return value
