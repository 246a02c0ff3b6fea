"""Slack's calls about tokens, scopes and identities."""

import math
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import structlog
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize
from slack_sdk.web.async_client import AsyncWebClient

from bot.process.clock import Clock, seconds_now
from bot.process.concurrency import SingleFlight
from bot.process.errors import UnknownWorkspaceError
from bot.process.workspace import WorkspaceId
from bot.slack.client import slack_errors
from bot.slack.errors import SlackRateLimitedError, TokenRefusedError

NEEDED_SCOPES = {
    "commands": "the commands, and answers to them",
    "chat:write": "posts digests, and answers where the reply address has run out",
    "im:write": (
        "opens direct messages: to admins, to owners of digests, with bulk scans, files and long"
        " answers"
    ),
    "users:read": "who is an admin, an owner or a guest; time zones",
    "channels:read": "who is in the public channel of a digest; where the app is",
    "groups:read": "who is in the private channels that the app was invited to",
}
OPTIONAL_SCOPES = {
    "usergroups:read": "offers user groups to mention in digests",
    "files:write": "sends a list of domains as a CSV file, to who asks for it or below a digest",
}
# Asked for only where the operator wants command lines in messages: reviewers and admins want a
# reason for each scope (https://docs.slack.dev/reference/scopes), and commands do without these.
MENTION_SCOPES = {
    "app_mentions:read": "reads messages that mention the app, for command lines in them",
    "im:history": "reads what people write in the app's own conversation",
}
# Every answer of the Web API lists the granted scopes:
# https://docs.slack.dev/authentication/installing-with-oauth
GRANTED_HEADER = "x-oauth-scopes"
logger = structlog.get_logger()
# Slack allows hundreds of these calls a minute:
# https://docs.slack.dev/reference/methods/auth.test
WELL_FOR_S = 5.0
FOREIGN_WORKSPACE = "This app serves another workspace. Ask its operator to add this one."


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A workspace and its granted scopes, `None` if unknown."""

    team_id: str
    team_name: str
    scopes: frozenset[str] | None


async def fetch_grant(client: AsyncWebClient) -> Grant:
    """Return the workspace and the scopes of the client's token; raise SlackError."""
    async with slack_errors():
        response = await client.auth_test()
        headers = {name.lower(): value for name, value in response.headers.items()}
    granted = headers.get(GRANTED_HEADER)
    return Grant(
        team_id=str(response.get("team_id") or ""),
        team_name=str(response.get("team") or ""),
        scopes=None if granted is None else frozenset(map(str.strip, granted.split(","))),
    )


async def check_api(client: AsyncWebClient) -> None:
    """Check that Slack answers, without a token; raise SlackError."""
    async with slack_errors():
        await client.api_test()


@dataclass(slots=True)
class SlackHealth:
    """Whether Slack answers `ask`; a good answer counts for 5 s. `seconds` never go back."""

    ask: Callable[[], Awaitable[object]]
    seconds: Callable[[], float] = seconds_now
    _well_until: float = field(default=-math.inf, init=False)

    async def check(self) -> None:
        """Return if Slack answers, also with a rate limit; else raise SlackError."""
        if self.seconds() < self._well_until:
            return
        with suppress(SlackRateLimitedError):
            await self.ask()
        self._well_until = self.seconds() + WELL_FOR_S


class Identity(AsyncAuthorize):
    """Bolt's authorization for one token: asks Slack who it is until it knows, from `since` on."""

    def __init__(self, client: AsyncWebClient, *, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._known: AuthorizeResult | None = None
        self.since: datetime | None = None
        self._flights: SingleFlight[str, AuthorizeResult] = SingleFlight()

    async def fetch(self) -> AuthorizeResult:
        """Return the bot's identity; raise SlackError."""
        return self._known or await self._flights.run("auth.test", self.ask)

    async def ask(self) -> AuthorizeResult:
        """Ask Slack whether it takes the token; return the bot's identity, or raise SlackError."""
        async with slack_errors():
            response = await self._client.auth_test()
        if self._known is None:
            self.since = self._clock()
            self._known = AuthorizeResult(
                enterprise_id=response.get("enterprise_id"),
                team_id=response.get("team_id"),
                bot_id=response.get("bot_id"),
                bot_user_id=response.get("user_id"),
                bot_token=self._client.token,
            )
        return self._known

    async def __call__(self, *, team_id: str | None, **_request: Any) -> AuthorizeResult:
        """Return the bot's identity; raise UnknownWorkspaceError for another one, SlackError.

        After a `None` Bolt (1.30) answers before the ack and without a time limit.
        """
        bot = await self.fetch()
        if team_id != bot.team_id:
            logger.warning("request of a foreign workspace", team_id=team_id)
            raise UnknownWorkspaceError(FOREIGN_WORKSPACE)
        return bot

    async def client_for(self, workspace: WorkspaceId) -> AsyncWebClient:
        """Return the client for background work; raise TokenRefusedError for another workspace."""
        if workspace_of(await self.fetch()) != workspace:
            raise TokenRefusedError("not_authed")
        return self._client


def workspace_of(bot: AuthorizeResult) -> WorkspaceId:
    return WorkspaceId(team_id=bot.team_id or "", enterprise_id=bot.enterprise_id)
