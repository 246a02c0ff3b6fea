"""Request bodies, read strictly: what the service document does not allow is refused."""

import json
from dataclasses import dataclass
from typing import Any

from bot.playground.tracker.hostnames import canonical_name
from bot.playground.tracker.refusals import RefusedError

SCAN_ACTION = "full_scan"


@dataclass(frozen=True)
class NewDomain:
    """The body of an add: section 4.2."""

    domain: str
    domain_type: str
    tags: tuple[str, ...]
    folder: str | None


def new_domain(content_type: str, raw: bytes, allowed_types: frozenset[str] | None) -> NewDomain:
    """Return the domain that a body asks for. `allowed_types` None allows every type.

    Raises:
        RefusedError: bad_request or media_type, saying which field is wrong.
    """
    body = _fields(content_type, raw, {"domain", "domainType", "tags", "folder"})
    tags = body.get("tags", [])
    if not isinstance(tags, list) or not all(_is_label(tag) for tag in tags):
        raise _wrong("tags must be an array of strings")
    if "folder" in body and not _is_label(body["folder"]):
        raise _wrong("folder must be a string")
    return NewDomain(
        _domain_name(body), _domain_type(body, allowed_types), tuple(tags), body.get("folder")
    )


def check_scan_action(content_type: str, raw: bytes) -> None:
    """Accept the body of a full scan: section 4.3.

    Raises:
        RefusedError: bad_request or media_type.
    """
    if _fields(content_type, raw, {"action"}).get("action") != SCAN_ACTION:
        raise _wrong(f"action must be {SCAN_ACTION}")


def _fields(content_type: str, raw: bytes, known: set[str]) -> dict[str, Any]:
    if content_type != "application/json":
        raise RefusedError("media_type", "Content-Type must be application/json")
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise _wrong("The body is not valid JSON") from error
    if not isinstance(body, dict):
        raise _wrong("The body must be a JSON object")
    if unknown := sorted(body.keys() - known):
        raise _wrong(f"Unknown fields: {', '.join(unknown)}")
    return body


def _domain_name(body: dict[str, Any]) -> str:
    name = body.get("domain")
    if not isinstance(name, str):
        raise _wrong("domain is required")
    try:
        canonical_name(name)
    except ValueError as error:
        raise _wrong("domain must be a domain name such as shop.example") from error
    return name.lower()


def _domain_type(body: dict[str, Any], allowed: frozenset[str] | None) -> str:
    value = body.get("domainType")
    if not isinstance(value, str) or not _is_label(value):
        raise _wrong("domainType is required")
    if allowed is not None and value not in allowed:
        raise _wrong(f"domainType must be one of: {', '.join(sorted(allowed))}")
    return value


def _is_label(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _wrong(message: str) -> RefusedError:
    return RefusedError("bad_request", message)
