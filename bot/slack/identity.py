"""Who the bot is in its one workspace, asked once; and the answer to each request of it."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import structlog
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize
from slack_sdk.web.async_client import AsyncWebClient

from bot.single_flight import SingleFlight
from bot.slack.calls import slack_errors
from bot.slack.errors import TokenRefusedError
from bot.workspace import WorkspaceId

logger = structlog.get_logger()


class Identity:
    """What `auth.test` says of the bot's token, kept from the first good answer on.

    `since` is the moment of that answer, `None` until then.
    """

    def __init__(self, client: AsyncWebClient, *, clock: Callable[[], datetime]) -> None:
        self._client = client
        self._clock = clock
        self._known: AuthorizeResult | None = None
        self.since: datetime | None = None
        self._flights: SingleFlight[str, AuthorizeResult] = SingleFlight()

    async def fetch(self) -> AuthorizeResult:
        """Return who the bot is; raise SlackError when Slack does not say or refuses the token."""
        return self._known or await self._flights.run("auth.test", self._ask)

    async def _ask(self) -> AuthorizeResult:
        async with slack_errors():
            answer = await self._client.auth_test()
        self.since = self._clock()
        self._known = AuthorizeResult(
            enterprise_id=answer.get("enterprise_id"),
            team_id=answer.get("team_id"),
            bot_id=answer.get("bot_id"),
            bot_user_id=answer.get("user_id"),
            bot_token=self._client.token,
        )
        return self._known


class OneWorkspace(AsyncAuthorize):
    """Bolt's authorization for a bot with one token: without `auth.test` on every request."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity

    async def __call__(self, *, team_id: str | None, **_request: Any) -> AuthorizeResult | None:
        """Return the bot's identity, or `None` for a request of any other workspace."""
        bot = await self._identity.fetch()
        if team_id != bot.team_id:
            logger.warning("request of a foreign workspace", team_id=team_id)
            return None
        return bot


class OneClient:
    """The client for what nobody has asked for: there is one workspace, and one token."""

    def __init__(self, identity: Identity, client: AsyncWebClient) -> None:
        self._identity = identity
        self._client = client

    async def __call__(self, workspace: WorkspaceId) -> AsyncWebClient:
        """Return the client of `workspace`.

        Raises:
            TokenRefusedError: the store holds another workspace, the token is not for it.
            SlackError: Slack does not say whose token it is.
        """
        if workspace_of(await self._identity.fetch()) != workspace:
            raise TokenRefusedError("not_authed")
        return self._client


def workspace_of(bot: AuthorizeResult) -> WorkspaceId:
    """Return the workspace that the bot's token is for."""
    return WorkspaceId(team_id=bot.team_id or "", enterprise_id=bot.enterprise_id)
