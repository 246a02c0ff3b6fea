"""Choose the error that a reply stands for. Pure.

The documented message decides first, the status second; what neither explains is told apart by
what can be done about it.
"""

from collections.abc import Mapping

from bot.tracker.errors import (
    InsufficientPermissionsError,
    InvalidKeyError,
    RateLimitedError,
    RejectedError,
    TrackerError,
    UnavailableError,
    UnreadableReplyError,
)
from bot.tracker.headers import retry_after_s
from bot.tracker.parsing import NotJsonError, parse_json
from bot.tracker.refusals import (
    Refusal,
    is_about_a_domain,
    refusal_in_json,
    refusal_in_text,
    said_in_json,
    says_failure,
)

# The document shows no status; these are what they mean in HTTP.
BY_STATUS: dict[int, Refusal] = {
    401: InvalidKeyError,
    403: InsufficientPermissionsError,
    429: RateLimitedError,
}


def is_success(status: int) -> bool:
    """Tell whether a status says that the request was carried out."""
    return 200 <= status < 300


def refused(refusal: Refusal, status: int, headers: Mapping[str, str]) -> TrackerError:
    """Return the error of one of the four messages.

    A rate limit says how long to wait, or 0 s where the service did not.
    """
    if issubclass(refusal, RateLimitedError):
        return refusal(retry_after_s(headers) or 0.0)
    return refusal(f"the service refused with status {status}")


def failure(
    status: int, headers: Mapping[str, str], body: bytes, *, is_write: bool
) -> TrackerError:
    """Return the error of a reply whose status is no success."""
    try:
        value = parse_json(body)
        refusal, said = refusal_in_json(value), said_in_json(value)
    except NotJsonError:
        refusal, said = refusal_in_text(_text(body)), None
    if refusal := refusal or BY_STATUS.get(status):
        return refused(refusal, status, headers)
    if 400 <= status < 500:
        return RejectedError(status, said)
    told = f"the service answered {status}"
    if 500 <= status < 600:
        return UnavailableError(told, is_outcome_unknown=is_write, status=status)
    return UnreadableReplyError(told, is_outcome_unknown=is_write, status=status)


def unexpected(
    status: int, headers: Mapping[str, str], value: object, *, is_write: bool
) -> TrackerError:
    """Return the error of a success whose JSON is not what was asked for."""
    if refusal := refusal_in_json(value):
        return refused(refusal, status, headers)
    said = said_in_json(value)
    if said and says_failure(value) and not is_about_a_domain(value):
        return RejectedError(status, said)
    return UnreadableReplyError(
        f"{status} with a JSON {type(value).__name__} of another form than documented",
        is_outcome_unknown=is_write,
        status=status,
    )


def not_json(
    status: int, headers: Mapping[str, str], body: bytes, *, is_write: bool
) -> TrackerError:
    """Return the error of a success that is no JSON: HTML, plain text, or truncated."""
    # The words of truncated data are not the service's own: a TXT record may say anything.
    is_data = body.lstrip().startswith((b"[", b"{"))
    if not is_data and (refusal := refusal_in_text(_text(body))):
        return refused(refusal, status, headers)
    return UnreadableReplyError(
        f"{status} with {len(body)} bytes that are no JSON",
        is_outcome_unknown=is_write,
        status=status,
    )


def _text(body: bytes) -> str:
    return body.decode("utf-8", errors="replace")
