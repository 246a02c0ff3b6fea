"""What a failure means for a run: what it waits for, and how long. Pure."""

from datetime import timedelta

from bot.connection import LackingScopeError
from bot.digests.digest import Trouble
from bot.errors import BotError
from bot.keys import NoKeyError
from bot.slack.errors import (
    ChannelClosedError,
    MissingScopeError,
    SlackError,
    SlackRateLimitedError,
    TokenRefusedError,
    WorkspaceHeldError,
)
from bot.store.errors import UnreadableSecretError
from bot.tracker.errors import (
    InvalidKeyError,
    IpNotAllowedError,
    RateLimitedError,
    ReserveReachedError,
)

# Nothing mends these within minutes. A new key wakes what waits for one.
KEY_CHECK = timedelta(minutes=5)
HOLD = timedelta(hours=1)

_OF_SERVICE: tuple[tuple[type[BotError], Trouble], ...] = (
    (NoKeyError, Trouble.KEY),
    (InvalidKeyError, Trouble.KEY),
    (UnreadableSecretError, Trouble.KEY),
    (LackingScopeError, Trouble.SCOPE),
    (IpNotAllowedError, Trouble.ADDRESS),
    (RateLimitedError, Trouble.RATE),
    (ReserveReachedError, Trouble.RATE),
)
_OF_CHANNEL = {
    "is_archived": Trouble.ARCHIVED,
    "not_in_channel": Trouble.NOT_IN_CHANNEL,
    "channel_not_found": Trouble.NOT_FOUND,
}


def service_trouble(error: Exception) -> tuple[Trouble, timedelta | None]:
    """Return why no list came, and how long to wait; `None`: longer with each attempt."""
    kinds = (trouble for kind, trouble in _OF_SERVICE if isinstance(error, kind))
    trouble = next(kinds, Trouble.SERVICE)
    if isinstance(error, RateLimitedError | ReserveReachedError):
        return trouble, timedelta(seconds=max(1.0, error.retry_after_s))
    return trouble, KEY_CHECK if trouble is Trouble.KEY else None


def slack_trouble(error: SlackError) -> tuple[Trouble, timedelta | None]:
    """Return why Slack has surely not posted, and how long to wait; `None` as above."""
    if isinstance(error, SlackRateLimitedError):
        return Trouble.SLACK, timedelta(seconds=max(1.0, error.retry_after_s))
    if isinstance(error, TokenRefusedError):
        return Trouble.UNINSTALLED, HOLD
    if isinstance(error, MissingScopeError):
        return Trouble.PERMISSION, HOLD
    if isinstance(error, WorkspaceHeldError):
        return Trouble.SLACK, HOLD
    return Trouble.SLACK, None


def channel_trouble(error: ChannelClosedError) -> Trouble:
    """Return why a channel takes no posts."""
    return _OF_CHANNEL.get(error.code, Trouble.RESTRICTED)
