"""What people read when Domain Tracker does not do what it was asked. Pure."""

from collections.abc import Callable
from typing import Any

from bot.message import Message
from bot.tracker.errors import (
    RejectedError,
    ReplyTooLargeError,
    TimedOutError,
    TrackerError,
    UnavailableError,
    UnreadableReplyError,
)
from bot.views.facts import Facts
from bot.views.retry import retry_message
from bot.views.text import code


def _rejected(error: RejectedError, facts: Facts) -> Message:
    said = f" It said: {code(error.said, 200)}." if error.said else ""
    return retry_message(
        f"Domain Tracker declined this.{said}", facts, detail=f"status {error.status}"
    )


def _timed_out(error: TimedOutError, facts: Facts) -> Message:
    more = " It may still be at work on it." if error.is_outcome_unknown else ""
    return retry_message(f"Domain Tracker did not answer in time.{more}", facts)


def _unavailable(error: UnavailableError, facts: Facts) -> Message:
    detail = f"status {error.status}" if error.status else "no connection"
    return retry_message(
        "Domain Tracker cannot be reached, or is out of order.", facts, detail=detail
    )


def _unreadable(error: UnreadableReplyError, facts: Facts) -> Message:
    detail = f"status {error.status}" if error.status else ""
    return retry_message("Domain Tracker sent an answer that I cannot read.", facts, detail=detail)


def _too_large(_error: ReplyTooLargeError, facts: Facts) -> Message:
    return retry_message("Domain Tracker sent more than I can take in (16 MiB).", facts)


def _tracker(_error: TrackerError, facts: Facts) -> Message:
    return retry_message("Domain Tracker did not do this.", facts)


SERVICE_TROUBLES: dict[type[BaseException], Callable[[Any, Facts], Message]] = {
    RejectedError: _rejected,
    TimedOutError: _timed_out,
    UnavailableError: _unavailable,
    UnreadableReplyError: _unreadable,
    ReplyTooLargeError: _too_large,
    TrackerError: _tracker,
}
