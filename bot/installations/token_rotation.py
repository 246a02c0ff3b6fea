"""Refresh rotating access tokens in time, once, by one process.

An access token works for 12 hours, also beside a newer one; a refresh token works once
(https://docs.slack.dev/authentication/using-token-rotation). Two uses at the same moment were
seen to give one invalid set of tokens (https://github.com/slackapi/node-slack-sdk/issues/2504).
Hence the lease, and a new try soon after a lost answer. The SDK's `AsyncTokenRotator` has neither:
docs/decisions/0013-oauth-installations.md. The daily check (`token_check.py`) asks for
a token too, so an idle workspace refreshes it as well.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import datetime, timedelta

import structlog
from cachetools import TTLCache

from bot.concurrency import SingleFlight, Tasks, run_shielded
from bot.installations.installation import Installation, Tokens
from bot.installations.repository import InstallationRepository, StoredInstallation
from bot.slack.errors import (
    SlackError,
    SlackRefusedError,
    SlackUnreachableError,
    TokenRefusedError,
    slack_error,
)
from bot.store.documents import ConflictError
from bot.workspace import WorkspaceId

logger = structlog.get_logger()
# As Bolt does: https://docs.slack.dev/tools/bolt-python/concepts/token-rotation
RENEWED_BEFORE = timedelta(hours=2)
# A token that lives at least so long is used while another process refreshes it.
LIVES_AT_LEAST = timedelta(minutes=1)
# Longer than Slack is waited for (15 s), and the writing after it.
LEASE = timedelta(seconds=30)
LOOKED_AGAIN_AFTER_S, LOOKS = 0.5, 10
REFUSED_FOR_S = 300


def usable(kept: StoredInstallation | None) -> tuple[StoredInstallation, Tokens]:
    """Return an installation and its tokens; raise TokenRefusedError when there are none."""
    if kept is None:
        raise TokenRefusedError("not_authed")
    if kept.installation.tokens is None:
        raise TokenRefusedError("token_revoked")
    return kept, kept.installation.tokens


@dataclass(slots=True)
class TokenProvider:
    """Returns installations with a token that works now.

    `refresh` spends a refresh token (`OAuthCalls.refresh`), in one of `tasks`; no request waits
    for that while the old token lives.
    """

    repository: InstallationRepository
    refresh: Callable[[str], Awaitable[Tokens]]
    _: KW_ONLY
    tasks: Tasks
    clock: Callable[[], datetime]
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    _flights: SingleFlight[WorkspaceId, Installation] = field(init=False)
    # Slack's error for a refused refresh token, so that not every request asks again.
    _refused: TTLCache[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self._flights = SingleFlight()
        self._refused = TTLCache(10_000, REFUSED_FOR_S, timer=self._seconds)

    def _seconds(self) -> float:
        return self.clock().timestamp()

    async def fresh(self, home: WorkspaceId) -> Installation:
        """Return the installation of a workspace or organisation.

        Raises:
            TokenRefusedError: there is none, its tokens were revoked, or the last one has expired
                and Slack does not take its refresh token.
            SlackError: the last one has expired, and Slack does not give another one now.
            StoreError: the store failed.
        """
        kept, tokens = usable(await self.repository.recent(home))
        if not self._lives(tokens):
            return await self._renew(home)
        if self._is_old(tokens):
            self.tasks.start(self._renew(home))  # requests in between share one flight
        return kept.installation

    async def _renew(self, home: WorkspaceId) -> Installation:
        return await self._flights.run(home, lambda: run_shielded(self.tasks, self._renewed(home)))

    async def _renewed(self, home: WorkspaceId) -> Installation:
        for _ in range(LOOKS):
            # Another process may have refreshed it.
            kept, tokens = usable(await self.repository.get(home))
            if not tokens.refresh or not self._is_old(tokens):
                return kept.installation
            if refused := self._refused.get(tokens.refresh):
                return self._as_it_is(kept, slack_error(refused))
            if not self._is_leased(kept):
                with suppress(ConflictError):  # another process was faster
                    leased = await self.repository.put(
                        kept.installation,
                        if_rev=kept.rev,
                        refreshing_until=self.clock() + LEASE,
                        check_at=kept.check_at,
                    )
                    return await self._spend(leased, tokens.refresh)
            elif self._lives(tokens):
                return kept.installation
            else:
                await self.sleep(LOOKED_AGAIN_AFTER_S)
        raise SlackUnreachableError("the token is being renewed by another process")

    async def _spend(self, leased: StoredInstallation, refresh_token: str) -> Installation:
        """Ask Slack, and save its answer. After an unknown outcome the lease stays."""
        home = leased.installation.home
        try:
            given = await self.refresh(refresh_token)
        except SlackRefusedError as error:
            logger.error("Slack does not renew the token", home=str(home), code=error.code)  # noqa: TRY400  # Slack's code says it all
            self._refused[refresh_token] = error.code
            return self._as_it_is(leased, error)
        except SlackError as error:
            logger.warning("the token is not renewed yet", home=str(home), error=repr(error))
            return self._as_it_is(leased, error)
        return await self._save(home, refresh_token, given)

    async def _save(self, home: WorkspaceId, spent: str, given: Tokens) -> Installation:
        """Return the installation with the tokens `given` for the refresh token `spent`.

        An installation that was made since then stays as it is, and is returned.

        Raises:
            TokenRefusedError: the app was removed, or its tokens were revoked.
            StoreError: the store failed.
        """
        while True:
            kept, tokens = usable(await self.repository.get(home))
            if tokens.refresh != spent:
                return kept.installation
            renewed = replace(kept.installation, tokens=given)
            with suppress(ConflictError):  # changed in between: look again
                await self.repository.put(renewed, if_rev=kept.rev, check_at=kept.check_at)
                logger.info("token renewed", home=str(home))
                return renewed

    def _as_it_is(self, kept: StoredInstallation, error: SlackError) -> Installation:
        if self._lives(usable(kept)[1]):
            return kept.installation
        raise error

    def _is_old(self, tokens: Tokens) -> bool:
        return self._ends_within(tokens, RENEWED_BEFORE)

    def _lives(self, tokens: Tokens) -> bool:
        return not self._ends_within(tokens, LIVES_AT_LEAST)

    def _ends_within(self, tokens: Tokens, span: timedelta) -> bool:
        return tokens.expires_at is not None and tokens.expires_at - self.clock() < span

    def _is_leased(self, kept: StoredInstallation) -> bool:
        """Return whether a lease runs; one that is too long is from a clock that was wrong."""
        until = kept.refreshing_until
        return until is not None and timedelta() < until - self.clock() <= LEASE
