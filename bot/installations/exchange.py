"""What a code from Slack's question is worth: an installation."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

from bot.installations.installation import Installation, Tokens, organisation
from bot.slack.errors import SlackUnreachableError
from bot.slack.oauth import GivenInstallation, OAuthCalls
from bot.workspace import WorkspaceId

# Anybody may come back with a code of their own making, and each costs one question to Slack.
AT_ONCE = 5
WAITS_S = 5.0
# A clock that is wrong by more is no clock.
CLOCKS_DIFFER_BY = timedelta(days=1)


class Exchange:
    """Gives codes to Slack, a few at a time. Whoever waits in vain is asked to try again."""

    def __init__(
        self,
        calls: OAuthCalls,
        *,
        clock: Callable[[], datetime],
        at_once: int = AT_ONCE,
        waits_s: float = WAITS_S,
    ) -> None:
        self._calls = calls
        self._clock = clock
        self._turns = asyncio.Semaphore(at_once)
        self._waits_s = waits_s

    async def __call__(self, code: str, redirect_uri: str) -> Installation:
        """Return what Slack gives for a code.

        Raises:
            SlackRefusedError: the code is spent, too old or not ours; or so is our secret.
            SlackError: Slack did not answer, or too many others ask at this moment.
        """
        async with self._turn():
            asked_at = self._clock()
            given = await self._calls.exchange(code, redirect_uri)
            bot_id = await self._calls.bot_id(given.tokens.access)
        return _installation(given, bot_id, asked_at)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._waits_s):
                await self._turns.acquire()
        except TimeoutError:
            raise SlackUnreachableError("too many installations at once") from None
        try:
            yield
        finally:
            self._turns.release()


def _installation(
    given: GivenInstallation, bot_id: str | None, asked_at: datetime
) -> Installation:
    enterprise_id = given.enterprise_id
    if given.team_id:
        home = WorkspaceId(given.team_id, enterprise_id)
    else:
        home = organisation(enterprise_id or "")
    lives_s = given.tokens.expires_in_s
    return Installation(
        home=home,
        app_id=given.app_id,
        bot_id=bot_id,
        bot_user_id=given.bot_user_id,
        scopes=given.scopes,
        installed_by=given.installed_by,
        installed_at=_installed_at(given, asked_at),
        name=given.name,
        tokens=Tokens(
            access=given.tokens.access,
            refresh=given.tokens.refresh,
            expires_at=None if lives_s is None else asked_at + timedelta(seconds=lives_s),
        ),
    )


def _installed_at(given: GivenInstallation, asked_at: datetime) -> datetime:
    """By Slack's clock: it is compared with the times of Slack's events."""
    theirs = given.answered_at
    if theirs is None or abs(theirs - asked_at) > CLOCKS_DIFFER_BY:
        return asked_at
    return theirs
