"""The two calls by which Slack gives tokens: for a code, and for a refresh token.

https://docs.slack.dev/reference/methods/oauth.v2.access. Neither may be repeated by itself: a
code and a refresh token are good for one use.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from aiohttp import encode_basic_auth
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.slack.calls import slack_errors
from bot.slack.errors import SlackError, SlackUnavailableError

ANSWERED_WITHIN_S = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenTokens:
    """What Slack gave. Without token rotation there are no `refresh` and `expires_in_s`."""

    access: str = field(repr=False)
    refresh: str | None = field(default=None, repr=False)
    expires_in_s: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenInstallation:
    """What Slack says of an installation just made.

    `team_id` is `None` when it is for a whole organisation, `enterprise_id` outside of one.
    `name` is the workspace's, or the organisation's. A person's own token is not in it: the bot
    asks for none. `answered_at` is Slack's own time, in whole seconds, `None` if it does not say.
    """

    app_id: str
    team_id: str | None
    enterprise_id: str | None
    name: str
    bot_user_id: str
    scopes: tuple[str, ...]
    installed_by: str
    tokens: GivenTokens
    answered_at: datetime | None = None


class OAuthCalls:
    """Asks as the app itself. `client` has no token, and its `retry_handlers` must be `[]`."""

    def __init__(self, client: AsyncWebClient, *, client_id: str, client_secret: str) -> None:
        self._client = client
        self._headers = {"Authorization": encode_basic_auth(client_id, client_secret)}

    async def exchange(self, code: str, redirect_uri: str) -> GivenInstallation:
        """Return what a code stands for.

        Raises:
            SlackRefusedError: the code is spent, too old or not ours; or so is our secret.
            SlackError: Slack did not answer, or nothing that can be read.
        """
        answer = await self._ask(code=code, redirect_uri=redirect_uri)
        try:
            return _installation(_fields(answer), _moment(answer))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise SlackUnavailableError(f"incomplete answer: {type(error).__name__}") from None

    async def refresh(self, refresh_token: str) -> GivenTokens:
        """Return the tokens that take the place of those that end.

        Raises:
            TokenRefusedError: the refresh token is spent, or the app was removed.
            SlackError: as for `exchange`.
        """
        answer = await self._ask(grant_type="refresh_token", refresh_token=refresh_token)
        try:
            return _tokens(_fields(answer))
        except (KeyError, TypeError, ValueError) as error:
            raise SlackUnavailableError(f"incomplete answer: {type(error).__name__}") from None

    async def bot_id(self, token: str) -> str | None:
        """Return the bot's id, which Slack does not tell at once; `None` if it does not now."""
        try:
            async with slack_errors(), asyncio.timeout(ANSWERED_WITHIN_S):
                answer = await self._client.auth_test(token=token)
                return answer.get("bot_id")
        except SlackError:
            return None

    async def _ask(self, **what: str) -> AsyncSlackResponse:
        async with slack_errors(), asyncio.timeout(ANSWERED_WITHIN_S):
            # Not by the SDK's `oauth_v2_access`: in 3.47 it uses what aiohttp 3.14 deprecates.
            answer = await self._client.api_call(
                "oauth.v2.access", data=what, headers=self._headers
            )
            _fields(answer)
            return answer


def _fields(answer: AsyncSlackResponse) -> Mapping[str, Any]:
    if not isinstance(answer.data, dict):
        raise TypeError("no JSON object")
    return answer.data


def _moment(answer: AsyncSlackResponse) -> datetime | None:
    """Return the time of Slack's clock, by which its events are stamped, too.

    https://www.rfc-editor.org/rfc/rfc9110#field.date
    """
    try:
        return parsedate_to_datetime(answer.headers["Date"]).replace(tzinfo=UTC)  # always GMT
    except (KeyError, TypeError, ValueError):
        return None


def _installation(answer: Mapping[str, Any], answered_at: datetime | None) -> GivenInstallation:
    is_org_wide = answer.get("is_enterprise_install") is True
    enterprise: Mapping[str, Any] = answer.get("enterprise") or {}
    place = enterprise if is_org_wide else answer["team"]
    return GivenInstallation(
        app_id=_text(answer["app_id"]),
        team_id=None if is_org_wide else _text(place["id"]),
        enterprise_id=_text(enterprise["id"]) if enterprise or is_org_wide else None,
        name=str(place.get("name") or ""),
        bot_user_id=_text(answer["bot_user_id"]),
        scopes=tuple(filter(None, map(str.strip, _text(answer["scope"]).split(",")))),
        installed_by=_text(answer["authed_user"]["id"]),
        tokens=_tokens(answer),
        answered_at=answered_at,
    )


def _tokens(answer: Mapping[str, Any]) -> GivenTokens:
    refresh = answer.get("refresh_token")
    # Tokens that end come with the one that renews them: half of the two is an unreadable answer.
    return GivenTokens(
        access=_text(answer["access_token"]),
        refresh=_text(refresh) if refresh else None,
        expires_in_s=int(answer["expires_in"]) if refresh else None,
    )


def _text(value: object) -> str:
    if not (isinstance(value, str) and value):
        raise TypeError("a text was expected")
    return value
