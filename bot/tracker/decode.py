"""Turn a raw reply of Domain Tracker into data, or raise what it stands for. No input or output.

`headers` may be any mapping; their case does not matter. `body` is the reply after any content
encoding. Whatever the bytes are, nothing but a `TrackerError` is raised.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress

from bot.tracker.errors import RejectedError
from bot.tracker.failures import failure, is_success, not_json, refused, unexpected
from bot.tracker.models import Added, Domain, Listing, ScanResult
from bot.tracker.parsing import NotJsonError, parse_json, parse_list
from bot.tracker.refusals import (
    is_about_a_domain,
    refusal_in_json,
    said_in_json,
    says_failure,
    sole_refusal,
)

SECTIONS = ("whois", "dns", "ssl", "security")
SCAN_FIELDS = {"domainId", *SECTIONS}
DOMAIN_FIELDS = {"domain", "domainId", "healthScore", "domainType", "tags", "folder"}


def decode_listing(status: int, headers: Mapping[str, str], body: bytes) -> Listing:
    """Return the domains of a list reply (service document, section 4.1).

    A list is never searched for error messages: a tag may say "Rate limit exceeded".

    Raises:
        TrackerError: see `bot.tracker.errors`; `UnreadableReplyError` for anything but a list.
    """
    if is_success(status) and (items := parse_list(body)) is not None:
        with suppress(NotJsonError):  # an odd item: read the whole once more, forgiving more
            return _listing(items)
    value = _json(status, headers, body, is_write=False)
    if not isinstance(value, list):
        raise unexpected(status, headers, value, is_write=False)
    return _listing(value)


def decode_added(status: int, headers: Mapping[str, str], body: bytes) -> Added:
    """Return what adding a domain answered, whatever it is (service document, section 4.2).

    A success counts as an error only when it calls itself one, or says nothing but a message.

    Raises:
        TrackerError: see `bot.tracker.errors`; `UnreadableReplyError` when it is no JSON.
    """
    if is_success(status) and not body.strip():
        return Added(None)
    value = _json(status, headers, body, is_write=True)
    is_failure = says_failure(value)
    if refusal := refusal_in_json(value) if is_failure else sole_refusal(value):
        raise refused(refusal, status, headers)
    if is_failure and not is_about_a_domain(value):
        raise RejectedError(status, said_in_json(value))
    return Added(value)


def decode_scan(status: int, headers: Mapping[str, str], body: bytes) -> ScanResult:
    """Return what a full scan found (service document, sections 2.3 and 4.3).

    An object with any of the documented fields is a result, and is not searched for messages.

    Raises:
        TrackerError: see `bot.tracker.errors`; `UnreadableReplyError` for anything else.
    """
    value = _json(status, headers, body, is_write=True)
    if not isinstance(value, dict) or SCAN_FIELDS.isdisjoint(value):
        raise unexpected(status, headers, value, is_write=True)
    return ScanResult(
        domain_id=_id(value.get("domainId")),
        sections={name: value[name] for name in SECTIONS if name in value},
        other={name: child for name, child in value.items() if name not in SCAN_FIELDS},
    )


def _json(status: int, headers: Mapping[str, str], body: bytes, *, is_write: bool) -> object:
    if not is_success(status):
        raise failure(status, headers, body, is_write=is_write)
    try:
        return parse_json(body)
    except NotJsonError as error:
        raise not_json(status, headers, body, is_write=is_write) from error


def _listing(items: Iterable[object]) -> Listing:
    domains, skipped = [], 0
    for item in items:
        if isinstance(item, dict) and _text(item.get("domain")):
            domains.append(_domain(item))
        else:
            skipped += 1
    return Listing(domains=tuple(domains), skipped=skipped)


def _domain(item: dict[str, object]) -> Domain:
    return Domain(
        domain=str(item["domain"]),
        domain_id=_id(item.get("domainId")),
        health_score=_score(item.get("healthScore")),
        domain_type=_text(item.get("domainType")),
        tags=_tags(item.get("tags")),
        folder=_text(item.get("folder")),
        other={name: child for name, child in item.items() if name not in DOMAIN_FIELDS},
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _id(value: object) -> str | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if is_number else _text(value)


def _score(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 100 else None


def _tags(value: object) -> tuple[str, ...]:
    tags = value if isinstance(value, list) else [value]
    return tuple(tag for tag in map(_text, tags) if tag)
