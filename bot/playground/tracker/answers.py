"""How the service answers: the four documented errors, ordinary mistakes, added domains.

The service document gives the four messages and leaves status and body shape open (section 7), so
both are settings: the bot must understand every one of them.
"""

import html
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final


class RefusedError(Exception):
    """A request is refused with this message; `kind` names the rule that it broke."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


# The four errors of section 7, with the status that each has unless `error_status` says otherwise.
MESSAGES: Final[Mapping[str, str]] = {
    "invalid_key": "Invalid API key",
    "permissions": "Insufficient permissions",
    "ip": "IP address not allowed",
    "rate_limit": "Rate limit exceeded",
}
DEFAULT_ERROR_STATUS: Final[Mapping[str, int]] = {
    "invalid_key": 401,
    "permissions": 403,
    "ip": 403,
    "rate_limit": 429,
}
# Mistakes that the document does not mention; their statuses are those of HTTP.
MISTAKE_STATUS: Final[Mapping[str, int]] = {
    "bad_request": 400,
    "not_found": 404,
    "method_not_allowed": 405,
    "duplicate": 409,
    "too_large": 413,
    "media_type": 415,
}


def documented_refusal(kind: str) -> RefusedError:
    """Return one of the four errors. Raises KeyError for any other kind."""
    return RefusedError(kind, MESSAGES[kind])


@dataclass(frozen=True)
class Answer:
    """A finished answer, free of any HTTP library."""

    status: int
    body: bytes
    content_type: str = "application/json"


def status_of(kind: str, error_status: int | None) -> int:
    """Return the status of a refusal. `error_status` rules the four documented errors only."""
    if kind in MISTAKE_STATUS:
        return MISTAKE_STATUS[kind]
    return DEFAULT_ERROR_STATUS[kind] if error_status is None else error_status


def refusal_answer(refusal: RefusedError, style: str, status: int) -> Answer:
    """Return the answer to a refused request. Raises KeyError for an unknown style."""
    content_type, write = ERROR_STYLES[style]
    written = write(refusal, status)
    text = written if isinstance(written, str) else json.dumps(written)
    return Answer(status, text.encode(), content_type)


def _as_deep(refusal: RefusedError, status: int) -> object:
    reason = {"reason": {"text": refusal.message}, "hints": [None, 0, ""]}
    return {"ok": False, "meta": {"status": status}, "errors": [{"detail": [reason]}]}


def _as_html(refusal: RefusedError, status: int) -> str:
    title = f"{status} {HTTPStatus(status).phrase}"
    return (
        f"<!doctype html>\n<html><head><title>{title}</title></head>\n"
        f"<body><h1>{title}</h1>\n<p>{html.escape(refusal.message)}</p></body></html>\n"
    )


# style -> content type and what is written, as JSON unless it is a text already
ERROR_STYLES: Final[Mapping[str, tuple[str, Callable[[RefusedError, int], object]]]] = {
    "json": ("application/json", lambda refusal, _: {"error": refusal.message}),
    "nested": (
        "application/json",
        lambda refusal, _: {"error": {"code": refusal.kind, "message": refusal.message}},
    ),
    "deep": ("application/json", _as_deep),
    "upper": ("application/json", lambda refusal, _: {"ERROR": refusal.message.upper()}),
    "plain": ("text/plain", lambda refusal, _: refusal.message),
    "html": ("text/html", _as_html),
}
