"""Name why work waits or has failed, for what is tried again later. Pure."""

from datetime import timedelta
from enum import Enum

from bot.keys.key_record import NoKeyError
from bot.keys.workspace_tracker import LackingScopeError
from bot.process.errors import BotError
from bot.store.documents import StoreError, UnreadableSecretError
from bot.tracker import models as tracker


class FailureReason(Enum):
    """Why a run waits, was not posted, or has paused its digest."""

    SERVICE = "service"  # Domain Tracker gave no list
    RATE = "rate"  # the hour's requests are used up
    SCOPE = "scope"  # the key may not list domains
    ADDRESS = "address"  # Domain Tracker does not take calls from the bot's address
    KEY = "key"  # no key, or a refused one: the run waits for another one
    SLACK = "slack"  # Slack did not take the post for now
    ARCHIVED = "archived"
    NOT_IN_CHANNEL = "not_in_channel"
    NOT_FOUND = "not_found"  # gone, or private and without the bot
    RESTRICTED = "restricted"  # by the channel's or the organisation's settings
    PERSON = "person"  # the account of the person whose digest it is, is closed or a guest's
    UNINSTALLED = "uninstalled"  # Slack no longer takes the bot's token
    PERMISSION = "permission"  # the app lacks a permission in Slack
    INTERNAL = "ours"  # a bug of the bot
    DOWN = "down"  # the bot did not run
    CHANGED = "changed"  # the digest was changed or paused at that moment


# A key that is missing or refused stays so for a while; a new one starts what waits at once.
KEY_CHECK = timedelta(minutes=5)


def service_failure(error: Exception) -> tuple[FailureReason, timedelta | None]:
    """Return the reason for a missing list, and the wait; `None`: longer with each attempt."""
    match error:
        case NoKeyError() | tracker.InvalidKeyError() | UnreadableSecretError():
            return FailureReason.KEY, KEY_CHECK
        case LackingScopeError():
            return FailureReason.SCOPE, None
        case tracker.IpNotAllowedError():
            return FailureReason.ADDRESS, None
        case tracker.RateLimitedError() | tracker.ReserveReachedError():
            return FailureReason.RATE, timedelta(seconds=max(1.0, error.retry_after_s))
    return FailureReason.SERVICE, None


def of_service(error: BotError) -> BotError:
    """Return an error that is about the service or the key; raise one of the store."""
    if isinstance(error, StoreError) and not isinstance(error, UnreadableSecretError):
        raise error
    return error
