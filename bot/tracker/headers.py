"""What a reply's headers say about the request allowance. Pure."""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

# More digits than a count of requests or seconds can have: garbage.
COUNT = re.compile(r"[0-9]{1,15}")
SECONDS = re.compile(r"[0-9]{1,15}(\.[0-9]{1,9})?")


def requests_remaining(headers: Mapping[str, str]) -> int | None:
    """Return `X-RateLimit-Remaining`, or `None` without a usable one.

    Source: service document, section 8.
    """
    value = _value(headers, "x-ratelimit-remaining")
    return int(value) if COUNT.fullmatch(value) else None


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the positive seconds of `Retry-After`, or `None` without a usable one.

    A date counts from the reply's own `Date`, so that no clock of ours is needed; without one it
    is not usable. See https://www.rfc-editor.org/rfc/rfc9110#field.retry-after.
    """
    value = _value(headers, "retry-after")
    if SECONDS.fullmatch(value):
        return float(value) or None
    try:
        then = parsedate_to_datetime(value)
        wait_s = (then - parsedate_to_datetime(_value(headers, "date"))).total_seconds()
    except (ValueError, TypeError, OverflowError):  # TypeError: only one of them names a zone
        return None
    return wait_s if wait_s > 0 else None


def _value(headers: Mapping[str, str], name: str) -> str:
    return next((headers[key].strip() for key in headers if key.lower() == name), "")
