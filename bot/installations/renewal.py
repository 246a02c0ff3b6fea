"""Putting renewed tokens in the place of those that end, and of no others."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from bot.installations.installation import Installation, Tokens
from bot.installations.recent import RecentInstallations
from bot.installations.shelf import Kept
from bot.slack.errors import TokenRefusedError
from bot.slack.oauth import GivenTokens
from bot.store.errors import StoreError

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


def dated(given: GivenTokens, asked_at: datetime) -> Tokens:
    """Return the tokens with their end, counted from before the question: rather too early."""
    lives_s = given.expires_in_s
    expires_at = None if lives_s is None else asked_at + timedelta(seconds=lives_s)
    return Tokens(access=given.access, refresh=given.refresh, expires_at=expires_at)
