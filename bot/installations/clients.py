"""Clients of the Web API for what nobody has asked for just now."""

from collections.abc import Callable

from slack_sdk.web.async_client import AsyncWebClient

from bot.installations.directory import Directory
from bot.installations.tokens import FreshTokens
from bot.slack.errors import SlackUnreachableError, TokenRefusedError
from bot.store.errors import StoreError
from bot.workspace import WorkspaceId


class Clients:
    """The client of any workspace; `make(token)` is to share one HTTP session among them."""

    def __init__(
        self,
        directory: Directory,
        tokens: FreshTokens,
        make: Callable[[str], AsyncWebClient],
    ) -> None:
        self._directory = directory
        self._tokens = tokens
        self._make = make

    async def __call__(self, workspace: WorkspaceId) -> AsyncWebClient:
        """Return a client whose token acts in `workspace`, which may be an `organisation(…)`.

        Raises:
            TokenRefusedError: the app is not installed there, or no longer.
            SlackError: its token has ended, and Slack does not give another one now; or the
                store does not tell: nothing was sent then.
        """
        try:
            served = await self._directory.served(workspace)
            if served is None:
                raise TokenRefusedError("not_authed")
            installation = await self._tokens.fresh(served.home)
        except StoreError as error:
            raise SlackUnreachableError("the token cannot be read") from error
        if installation.tokens is None:
            raise TokenRefusedError("token_revoked")
        client = self._make(installation.tokens.access)
        if workspace != served.home:
            act_in(client, workspace)
        return client


def act_in(client: AsyncWebClient, workspace: WorkspaceId) -> None:
    """Name the workspace in every call: an organisation's token acts in many.

    https://docs.slack.dev/enterprise/organization-ready-apps
    """
    client.default_params["team_id"] = workspace.team_id
