"""Renew rotating access tokens in time, once, by one process.

What Slack says of tokens that end (https://docs.slack.dev/authentication/using-token-rotation):
an access token is good for 12 hours, also when a newer one is there; a refresh token is good for
one use. Slack does not say what a second use does. It was seen to give other tokens to two who
asked at the same moment, of which one set was invalid, and `invalid_refresh_token` later:
https://github.com/slackapi/node-slack-sdk/issues/2504. Hence the lease, and hence a new try soon
after an answer that was lost.

The daily check (`token_check.py`) asks for a token too, so an idle workspace renews it as well:
people wait for a renewal only after a day without one.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta

import structlog
from cachetools import TTLCache

from bot.concurrency import SingleFlight, Tasks, run_shielded
from bot.installations.models import Installation, Tokens
from bot.installations.repository import Kept, RecentInstallations
from bot.slack.auth import IssuedTokens
from bot.slack.errors import (
    SlackError,
    SlackRefusedError,
    SlackUnreachableError,
    TokenRefusedError,
    slack_error,
)
from bot.store.documents import ConflictError, StoreError
from bot.workspace import WorkspaceId

logger = structlog.get_logger()
# Slack gives them once: a store that fails for a moment must not lose them.
PAUSES_S = (0.0, 0.2, 1.0, 3.0)


async def save_renewed(
    recent: RecentInstallations,
    kept: Kept | None,
    spent: str,
    given: Tokens,
    *,
    sleep: Callable[[float], Awaitable[object]],
) -> Installation:
    """Return the installation of `kept` with `given`, for which the refresh token `spent` went.

    One that was made anew meanwhile stays as it is, and is returned.

    Raises:
        TokenRefusedError: there is none any more, or its tokens were revoked.
        StoreError: the store failed for seconds; nobody else has these tokens.
    """
    home = usable(kept).home
    problem: StoreError | None = None
    for pause_s in PAUSES_S:
        await sleep(pause_s)
        try:
            if problem:
                kept = await recent.read(home)
            if kept is None or tokens_of(kept).refresh != spent:
                return usable(kept)
            renewed = replace(kept.installation, tokens=given)
            await recent.put(renewed, if_rev=kept.rev, prove_at=kept.prove_at)
        except StoreError as error:
            problem = error
        else:
            logger.info("token renewed", home=str(home))
            return renewed
    logger.error("a renewed token could not be saved", home=str(home), error=repr(problem))
    raise problem or StoreError("not saved")


def usable(kept: Kept | None) -> Installation:
    """Return the installation; raise TokenRefusedError when there is none."""
    if kept is None:
        raise TokenRefusedError("not_authed")
    return kept.installation


def tokens_of(kept: Kept) -> Tokens:
    """Return the tokens of an installation; raise TokenRefusedError when it has none."""
    if kept.installation.tokens is None:
        raise TokenRefusedError("token_revoked")
    return kept.installation.tokens


def dated(given: IssuedTokens, asked_at: datetime) -> Tokens:
    """Return the tokens with their end, counted from before the question: rather too early."""
    lives_s = given.expires_in_s
    expires_at = None if lives_s is None else asked_at + timedelta(seconds=lives_s)
    return Tokens(access=given.access, refresh=given.refresh, expires_at=expires_at)


# As Bolt does: https://docs.slack.dev/tools/bolt-python/concepts/token-rotation
RENEWED_BEFORE = timedelta(hours=2)
# Whoever may not renew now goes on with a token that lives at least so long.
LIVES_AT_LEAST = timedelta(minutes=1)
# Longer than Slack is waited for (15 s), and the writing after it.
LEASE = timedelta(seconds=30)
LOOKED_AGAIN_AFTER_S = 0.5
LOOKS = 10
REFUSED_FOR_S = 300


class TokenProvider:
    """Hands out installations whose token can be used now.

    `refresh` spends a refresh token (`OAuthCalls.refresh`). That work is one of `tasks`, and
    nobody waits for it while the token lives. `on_refused` learns of a home whose refresh token
    Slack does not take, and may raise nothing.
    """

    def __init__(
        self,
        recent: RecentInstallations,
        refresh: Callable[[str], Awaitable[IssuedTokens]],
        *,
        tasks: Tasks,
        clock: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        on_refused: Callable[[WorkspaceId], object] = lambda _home: None,
    ) -> None:
        self._recent = recent
        self._refresh = refresh
        self._tasks = tasks
        self._clock = clock
        self._sleep = sleep
        self._on_refused = on_refused
        self._flights: SingleFlight[WorkspaceId, Installation] = SingleFlight()
        # What Slack gave but the store did not take, with the refresh token that was spent for it.
        self._unsaved: dict[WorkspaceId, tuple[str, Tokens]] = {}
        # Slack's word on a refresh token that it does not take, so that it is not asked again
        # for each request.
        self._refused: TTLCache[str, str] = TTLCache(
            10_000, REFUSED_FOR_S, timer=lambda: clock().timestamp()
        )

    async def fresh(self, home: WorkspaceId) -> Installation:
        """Return the installation of a workspace or organisation.

        Raises:
            TokenRefusedError: there is none, its tokens were revoked, or the last one has ended
                and Slack does not take its refresh token.
            SlackError: the last one has ended, and Slack does not give another one now.
            StoreError: nobody knows.
        """
        kept = await self._recent.get(home)
        if kept is None or not self._lives(tokens_of(kept)):
            return await self._renew(home)
        if self._is_old(tokens_of(kept)):
            self._tasks.start(self._renew(home))  # many who ask meanwhile share one flight
        return kept.installation

    def forget(self, home: WorkspaceId) -> None:
        """Keep no tokens that could not be saved: the app was removed."""
        self._unsaved.pop(home, None)

    async def _renew(self, home: WorkspaceId) -> Installation:
        return await self._flights.run(
            home, lambda: run_shielded(self._tasks, self._renewed(home))
        )

    async def _renewed(self, home: WorkspaceId) -> Installation:
        for _ in range(LOOKS):
            kept = await self._recent.read(home)  # somebody else may have renewed it
            if kept is None:
                return usable(kept)
            tokens = tokens_of(kept)
            if not tokens.refresh or not self._is_old(tokens):
                return kept.installation
            if refused := self._refused.get(tokens.refresh):
                return self._as_it_is(kept, slack_error(refused))
            if not self._is_leased(kept):
                if leased := await self._lease(kept):
                    return await self._spend(leased, tokens.refresh)
            elif self._lives(tokens):
                return kept.installation
            else:
                await self._sleep(LOOKED_AGAIN_AFTER_S)
        raise SlackUnreachableError("the token is being renewed by another process")

    async def _lease(self, kept: Kept) -> Kept | None:
        """Let nobody else renew for a while; `None`: somebody was faster."""
        until = self._clock() + LEASE
        try:
            return await self._recent.put(
                kept.installation,
                if_rev=kept.rev,
                refreshing_until=until,
                prove_at=kept.prove_at,
            )
        except ConflictError:
            return None

    async def _spend(self, leased: Kept, refresh_token: str) -> Installation:
        """Ask Slack, and keep what it gives. The lease stays when nobody knows what it did."""
        home = leased.installation.home
        try:
            given = await self._given(home, refresh_token)
        except SlackError as error:
            self._note_failure(home, refresh_token, error)
            return self._as_it_is(leased, error)
        self._unsaved[home] = (refresh_token, given)
        try:
            installation = await save_renewed(
                self._recent, leased, refresh_token, given, sleep=self._sleep
            )
        except TokenRefusedError:
            self.forget(home)  # there is nothing any more to save it for
            raise
        self.forget(home)
        return installation

    async def _given(self, home: WorkspaceId, refresh_token: str) -> Tokens:
        unsaved = self._unsaved.get(home)
        if unsaved and unsaved[0] == refresh_token:
            return unsaved[1]
        asked_at = self._clock()
        return dated(await self._refresh(refresh_token), asked_at)

    def _note_failure(self, home: WorkspaceId, refresh_token: str, error: SlackError) -> None:
        if not isinstance(error, SlackRefusedError):
            logger.warning("the token is not renewed yet", home=str(home), error=repr(error))
            return
        logger.error("Slack does not renew the token", home=str(home), code=error.code)
        self._refused[refresh_token] = error.code
        if isinstance(error, TokenRefusedError):
            self._on_refused(home)

    def _as_it_is(self, kept: Kept, error: SlackError) -> Installation:
        if self._lives(tokens_of(kept)):
            return kept.installation
        raise error

    def _is_old(self, tokens: Tokens) -> bool:
        return self._ends_within(tokens, RENEWED_BEFORE)

    def _lives(self, tokens: Tokens) -> bool:
        return not self._ends_within(tokens, LIVES_AT_LEAST)

    def _ends_within(self, tokens: Tokens, span: timedelta) -> bool:
        return tokens.expires_at is not None and tokens.expires_at - self._clock() < span

    def _is_leased(self, kept: Kept) -> bool:
        """A lease that is too long was taken by a clock that has been put right since."""
        until = kept.refreshing_until
        return until is not None and timedelta() < until - self._clock() <= LEASE
