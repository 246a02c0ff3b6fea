"""Domains, scan results and errors of the API. Plain data; unknown fields are kept."""

import msgspec

from bot.errors import BotError


class TrackerError(BotError):
    """Any failure to get an answer from Domain Tracker."""


class InvalidKeyError(TrackerError):
    """The key is malformed, unknown, deleted, revoked or expired."""


class InsufficientPermissionsError(TrackerError):
    """The key's scopes do not cover the operation."""


class IpNotAllowedError(TrackerError):
    """The key may not be used from the address that we call from."""


class RateLimitedError(TrackerError):
    """The key has used up its allowance; ask again in `retry_after_s` seconds.

    `is_ours` tells that nothing was sent: an earlier refusal still holds. Otherwise the service
    refused this request.
    """

    def __init__(self, retry_after_s: float, *, is_ours: bool = False) -> None:
        self.retry_after_s = retry_after_s
        self.is_ours = is_ours
        refused_by = "our own back-off" if is_ours else "the service"
        super().__init__(f"rate limited by {refused_by} for {retry_after_s:.1f} s")


class ReserveReachedError(TrackerError):
    """Nothing was sent: the key's last requests are kept for scheduled work.

    The next request of a person is let through in `retry_after_s` seconds.
    """

    def __init__(self, retry_after_s: float) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(f"the reserve is reached; next try in {retry_after_s:.1f} s")


class RejectedError(TrackerError):
    """The service declined the request with a 4xx, or with an error object of its own.

    `said` holds the service's own short words, or `None` where it gave none. They are text from
    outside: escape them before showing them.
    """

    def __init__(self, status: int, said: str | None = None) -> None:
        self.status = status
        self.said = said
        super().__init__(f"the service answered {status}" + (f": {said!r}" if said else ""))


class UnreadableReplyError(TrackerError):
    """A reply came, but not one that the service document describes: HTML, a redirect, …

    `status` is the HTTP status, or `None` where it is not known. `is_outcome_unknown` tells that
    the request was to change something and may have done so: look before saying anything.
    """

    def __init__(
        self,
        message: str = "the reply could not be read",
        *,
        is_outcome_unknown: bool = False,
        status: int | None = None,
    ) -> None:
        self.is_outcome_unknown = is_outcome_unknown
        self.status = status
        super().__init__(message)


class ReplyTooLargeError(TrackerError):
    """The reply was larger than we read. For `is_outcome_unknown` see `UnreadableReplyError`."""

    def __init__(
        self, message: str = "the reply was too large", *, is_outcome_unknown: bool = False
    ) -> None:
        self.is_outcome_unknown = is_outcome_unknown
        super().__init__(message)


class UnavailableError(TrackerError):
    """No usable answer: not reachable, dropped, failed on its side (5xx), or we are too busy.

    `status` is the HTTP status, or `None` when no answer came. For `is_outcome_unknown` see
    `UnreadableReplyError`: it is false when the request surely did not arrive.
    """

    def __init__(
        self,
        message: str = "the service gave no usable answer",
        *,
        is_outcome_unknown: bool,
        status: int | None = None,
    ) -> None:
        self.is_outcome_unknown = is_outcome_unknown
        self.status = status
        super().__init__(message)


class TimedOutError(UnavailableError):
    """No answer came within the time that the call may take."""


class Domain(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One monitored domain (service document, section 2.2), in the service's own words.

    Only `domain` is sure to be there. `domain_id` is `None` when the service gave none: such a
    domain cannot be scanned. `health_score` is from 0 to 100, and `None` when it is unknown:
    missing, or nothing that can be read as a score. `other` holds the fields of other names.
    """

    domain: str
    domain_id: str | None = None
    health_score: float | None = None
    domain_type: str | None = None
    tags: tuple[str, ...] = ()
    folder: str | None = None
    other: dict[str, object] = {}


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """Every domain of a key, in the service's own order.

    `skipped` counts the items that name no domain.
    """

    domains: tuple[Domain, ...] = ()
    skipped: int = 0


class ScanResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a full scan found (service document, section 2.3); inside it any JSON may be.

    `sections` holds those of whois, dns, ssl and security that the service gave, in this order:
    a section that is missing is not there, one that is null is `None`.
    """

    domain_id: str | None = None
    sections: dict[str, object] = {}
    other: dict[str, object] = {}


class Added(msgspec.Struct, frozen=True):
    """The answer to an added domain. Its shape is not documented: show nothing from it as a fact.

    `raw` is `None` when the answer was empty.
    """

    raw: object = None
