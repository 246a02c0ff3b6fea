"""Decode replies of the API: domains, scans, errors, rate-limit headers. Pure.

The errors are those of a write: of a read `TrackerClient` knows the outcome.
"""

import re
from collections.abc import Mapping

import msgspec

from bot.tracker.error_messages import (
    Refusal,
    detail_in_json,
    is_about_a_domain,
    refusal_in_json,
    refusal_in_text,
    says_failure,
    sole_refusal,
)
from bot.tracker.models import (
    SECTIONS,
    Domain,
    Listing,
    RateLimitedError,
    RejectedError,
    ReplyTooLargeError,
    TrackerError,
    UnavailableError,
    UnreadableReplyError,
)

STRICT = msgspec.json.Decoder()
UNREAD = object()
# The store or a backup writes and reads it again, each on a stack of its own depth, and
# Python allows about 1,000 nested calls.
MAX_DEPTH = 200
# No count of requests or seconds has more digits.
COUNT = re.compile(r"[0-9]{1,15}")
# The document shows no status. A proxy in front of the service, or a maintenance page, says these
# too: without the documented words they say nothing about the key.
OF_A_PROXY = {401, 403}
TOO_MANY_REQUESTS = 429
SUCCESS = range(200, 300)
SCAN_FIELDS = {"domainId", *SECTIONS}
# To read and draw more values takes a thread seconds: 16 MiB of them took it up to 110 s.
MAX_SCAN_VALUES = 100_000
AS_DOCUMENTED = msgspec.json.Decoder(tuple[Domain, ...])


def parse_json(body: bytes) -> object:
    """Return the JSON value in `body`.

    Raise ValueError, which holds none of it, for anything else, or deeper than `MAX_DEPTH`.
    """
    try:
        value = STRICT.decode(body)
    except (ValueError, RecursionError):
        value = UNREAD
    if value is UNREAD:  # not in the handler: the error there holds the whole body
        raise ValueError("not JSON, or nested too deep")
    may_be_deep = body.count(b"[") + body.count(b"{") > MAX_DEPTH
    if may_be_deep and _is_deeper_than(value, MAX_DEPTH):
        raise ValueError(f"nested deeper than {MAX_DEPTH}")
    return value


def _is_deeper_than(value: object, depth: int) -> bool:
    """Return whether lists and objects are nested more than `depth` deep."""
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(depth):
        level = [
            child
            for each in level
            for child in (each.values() if isinstance(each, dict) else each)
            if isinstance(child, (dict, list))
        ]
    return bool(level)


def requests_remaining(headers: Mapping[str, str]) -> int | None:
    """Return `X-RateLimit-Remaining` (service document, section 8), or `None`."""
    value = headers.get("x-ratelimit-remaining", "").strip()
    return int(value) if COUNT.fullmatch(value) else None


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the positive seconds of `Retry-After`, or `None` for none, or for a date.

    https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
    """
    value = headers.get("retry-after", "").strip()
    return (float(value) or None) if COUNT.fullmatch(value) else None


def refused(refusal: Refusal, status: int) -> TrackerError:
    """Return the error of one of the four messages; how long to wait is not known here."""
    if issubclass(refusal, RateLimitedError):
        return refusal(0.0)
    return refusal(f"the service refused with status {status}")


def failure(status: int, body: bytes) -> TrackerError:
    """Return the error of a reply whose status is no success."""
    try:
        value = parse_json(body)
        refusal, detail = refusal_in_json(value), detail_in_json(value)
    except ValueError:
        refusal, detail = refusal_in_text(body.decode(errors="replace")), None
    if status == TOO_MANY_REQUESTS:
        refusal = refusal or RateLimitedError
    if refusal:
        return refused(refusal, status)
    answer = f"the service answered {status}"
    if status in OF_A_PROXY and not detail:
        return UnavailableError(answer, status=status)
    if 400 <= status < 500:
        return RejectedError(status, detail)
    kind = UnavailableError if 500 <= status < 600 else UnreadableReplyError
    return kind(answer, is_outcome_unknown=True, status=status)


def unexpected(status: int, value: object) -> TrackerError:
    """Return the error of a success with other JSON than expected."""
    if refusal := refusal_in_json(value):
        return refused(refusal, status)
    detail = detail_in_json(value)
    if detail and says_failure(value) and not is_about_a_domain(value):
        return RejectedError(status, detail)
    what = f"a JSON {type(value).__name__} of another form than documented"
    return UnreadableReplyError(f"{status} with {what}", is_outcome_unknown=True, status=status)


def decode_listing(status: int, body: bytes) -> Listing:
    """Return the domains of a list reply (service document, section 4.1); raise TrackerError."""
    # A list is never searched for error messages: a tag may say "Rate limit exceeded".
    if status in SUCCESS and (domains := _documented(body)) is not None:
        return Listing(domains=domains)
    value = _json(status, body)
    if not isinstance(value, list):
        raise unexpected(status, value)
    named = [item for item in value if isinstance(item, dict) and _text_field(item.get("domain"))]
    return Listing(domains=tuple(map(_domain, named)), skipped=len(value) - len(named))


def decode_added(status: int, body: bytes) -> None:
    """Raise the TrackerError in the answer to an added domain: its form is not documented.

    A success counts as an error only when it calls itself one, or is only a message.
    """
    if status in SUCCESS and not body.strip():
        return
    value = _json(status, body)
    is_failure = says_failure(value)
    if refusal := refusal_in_json(value) if is_failure else sole_refusal(value):
        raise refused(refusal, status)
    if is_failure and not is_about_a_domain(value):
        raise RejectedError(status, detail_in_json(value))


def decode_scan(status: int, body: bytes) -> dict[str, object]:
    """Return the given sections of a full scan (service document, sections 2.3 and 4.3).

    They are any JSON, in the order of `SECTIONS`. An object with any documented field is a
    result, and is not searched for messages. Anything else raises TrackerError.
    """
    if status in SUCCESS and sum(map(body.count, b",[{")) > MAX_SCAN_VALUES:
        raise ReplyTooLargeError(f"above {MAX_SCAN_VALUES:,} values", is_outcome_unknown=True)
    value = _json(status, body)
    if not isinstance(value, dict) or SCAN_FIELDS.isdisjoint(value):
        raise unexpected(status, value)
    return {name: value[name] for name in SECTIONS if name in value}


def _json(status: int, body: bytes) -> object:
    if status not in SUCCESS:
        raise failure(status, body)
    try:
        return parse_json(body)
    except ValueError as error:
        # Truncated data may contain any words, in a TXT record for example.
        is_data = body.lstrip().startswith((b"[", b"{"))
        if not is_data and (refusal := refusal_in_text(body.decode(errors="replace"))):
            raise refused(refusal, status) from error
        what = f"{status} with {len(body)} bytes that are no JSON"
        raise UnreadableReplyError(what, is_outcome_unknown=True, status=status) from error


def _documented(body: bytes) -> tuple[Domain, ...] | None:
    """Return the domains of a list that is exactly as documented, else `None`: it is quicker."""
    try:
        domains = AS_DOCUMENTED.decode(body)
    except (ValueError, RecursionError):
        return None
    texts = (
        text
        for each in domains
        for text in (each.domain, each.domain_id, each.domain_type, each.folder, *each.tags)
    )
    return domains if all(text is None or text.strip() for text in texts) else None


def _domain(item: dict[str, object]) -> Domain:
    given, tags = item.get("domainId"), item.get("tags")
    tags = tags if isinstance(tags, list) else [tags]
    return Domain(
        domain=str(item["domain"]),
        domain_id=str(given) if type(given) is int else _text_field(given),
        health_score=_score(item.get("healthScore")),
        domain_type=_text_field(item.get("domainType")),
        tags=tuple(filter(None, map(_text_field, tags))),
        folder=_text_field(item.get("folder")),
    )


def _text_field(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _score(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 100 else None
