"""Whether Slack still takes an installation's token: what tells a live one from a dead one."""

import asyncio
from collections.abc import Awaitable, Callable

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.calls import slack_errors
from bot.slack.errors import TokenRefusedError
from bot.workspace import WorkspaceId

ANSWERED_WITHIN_S = 10.0
# https://docs.slack.dev/reference/methods/auth.test#errors, of a refresh token, and ours of none.
# A token that has ended (by a clock that goes wrong) is none of these: another one can be had.
DEAD = frozenset(
    {
        "account_inactive",
        "invalid_refresh_token",
        "not_authed",
        "token_revoked",
    }
)


# "Some aspect of authentication cannot be validated", also for a wrong address of ours: it counts
# only where an event has told that the app is gone.
INVALID = "invalid_auth"


class TokenProof:
    """Asks `auth.test` with the token of a workspace or organisation.

    `is_told`: Slack has told that the app is gone; then `invalid_auth` is enough of a proof.
    """

    def __init__(
        self,
        client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]],
        *,
        is_told: bool = False,
    ) -> None:
        self._client_for = client_for
        self._dead = DEAD | {INVALID} if is_told else DEAD

    async def __call__(self, home: WorkspaceId) -> bool:
        """Return whether Slack takes it, or the one that is to be had for it; without one not.

        Raises:
            SlackError: Slack does not say.
        """
        try:
            client = await self._client_for(home)
            async with slack_errors(), asyncio.timeout(ANSWERED_WITHIN_S):
                await client.auth_test()
        except TokenRefusedError as error:
            if error.code not in self._dead:
                raise
            return False
        return True
