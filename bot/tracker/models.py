"""Domains, scan results and errors of the API. Plain data."""

from dataclasses import dataclass
from typing import Annotated

import msgspec

from bot.process.errors import BotError


class TrackerError(BotError):
    """Any failure to get an answer from Domain Tracker. `outcome`: in one word, for metrics."""

    outcome = "broken"


class InvalidKeyError(TrackerError):
    """The key is malformed, unknown, deleted, revoked or expired."""

    outcome = "invalid_key"


class InsufficientPermissionsError(TrackerError):
    """The key's scopes do not cover the operation."""

    outcome = "insufficient_scope"


class IpNotAllowedError(TrackerError):
    """The key may not be used from the bot's address."""

    outcome = "ip_not_allowed"


class RateLimitedError(TrackerError):
    """The key's allowance is used up for `retry_after_s`; `is_ours`: so nothing was sent."""

    outcome = "rate_limited"

    def __init__(self, retry_after_s: float, *, is_ours: bool = False) -> None:
        self.retry_after_s = retry_after_s
        if is_ours:
            self.outcome = "held_back"
        refused_by = "our own back-off" if is_ours else "the service"
        super().__init__(f"rate limited by {refused_by} for {retry_after_s:.1f} s")


class ReserveReachedError(TrackerError):
    """Nothing was sent: the key's last requests, for `retry_after_s`, are for scheduled work."""

    outcome = "reserve_reached"

    def __init__(self, retry_after_s: float) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(f"the reserve is reached; next try in {retry_after_s:.1f} s")


class RejectedError(TrackerError):
    """The service declined the request, in its own words `detail`: escape them."""

    outcome = "rejected"

    def __init__(self, status: int, detail: str | None = None) -> None:
        self.status = status
        self.detail = detail
        super().__init__(f"the service answered {status}" + (f": {detail!r}" if detail else ""))


class NoResultError(Exception):
    """No usable result. `status` is the HTTP status, `None` without an answer.

    `is_outcome_unknown`: it was a write that may have been done, so the caller has to check.
    """

    def __init__(
        self,
        message: str = "the service gave no usable answer",
        *,
        is_outcome_unknown: bool = False,
        status: int | None = None,
    ) -> None:
        self.is_outcome_unknown = is_outcome_unknown
        self.status = status
        super().__init__(message)


class UnreadableReplyError(NoResultError, TrackerError):
    """A reply came, but not one that the service document describes: HTML, a redirect, …"""

    outcome = "unreadable"


class ReplyTooLargeError(NoResultError, TrackerError):
    """The reply had more bytes, or a scan more values, than we read."""

    outcome = "too_large"


class UnavailableError(NoResultError, TrackerError):
    """No usable answer: not reachable, dropped, failed on its side (5xx), or we are too busy."""

    outcome = "unavailable"


class TooBusyError(UnavailableError):
    """Nothing was sent: too many of our own requests are under way."""

    outcome = "held_back"


class TimedOutError(UnavailableError):
    """No answer came within the call's time limit."""

    outcome = "timed_out"


class Domain(msgspec.Struct, frozen=True, kw_only=True, gc=False, rename="camel"):
    """One monitored domain (service document, section 2.2), in the service's own words.

    A domain without `domain_id` cannot be scanned. `health_score` is `None` when it is missing or
    unreadable. Further fields are dropped: lists are kept in memory.
    """

    domain: str
    domain_id: str | None = None
    health_score: Annotated[float, msgspec.Meta(ge=0, le=100)] | None = None
    domain_type: str | None = None
    tags: tuple[str, ...] = ()
    folder: str | None = None

    def may_be(self, domain_type: str) -> bool:
        """Return whether it is of this type, as far as its own and this one are known."""
        own = self.domain_type
        return not own or not domain_type or own.casefold() == domain_type.casefold()


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """Every domain of a key, in the service's order; `skipped` counts items without a name."""

    domains: tuple[Domain, ...] = ()
    skipped: int = 0


# The sections of a scan, in their order: service document, section 2.3.
SECTIONS = ("whois", "dns", "ssl", "security")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDomain:
    """A domain to add; `host` is a host name as `host_name` returns it, `folder` may be `None`."""

    host: str
    domain_type: str
    tags: tuple[str, ...] = ()
    folder: str | None = None
