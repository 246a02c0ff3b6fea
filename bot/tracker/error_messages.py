"""Recognise the API's documented error messages in text or JSON. Pure.

Only the messages are documented (service document, section 7), not their status or shape. JSON is
nested no deeper than `MAX_DEPTH` of `decoding.py`.
"""

import html
import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from bot.tracker.models import (
    InsufficientPermissionsError,
    InvalidKeyError,
    IpNotAllowedError,
    RateLimitedError,
)

# A search must not take longer than an answer.
MAX_SEARCHED_CHARS = 1_000_000
# Each alternative may end at the end of the text, so that nothing is read twice.
MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)|<[^<>]*>", re.DOTALL | re.IGNORECASE
)
NO_LETTERS = re.compile(r"[\W_]+")
Refusal = type[
    InvalidKeyError | InsufficientPermissionsError | IpNotAllowedError | RateLimitedError
]
# The documented messages, as `letters` leaves them.
MESSAGES: dict[str, Refusal] = {
    "invalidapikey": InvalidKeyError,
    "insufficientpermissions": InsufficientPermissionsError,
    "ipaddressnotallowed": IpNotAllowedError,
    "ratelimitexceeded": RateLimitedError,
}
ANY_MESSAGE = re.compile("|".join(MESSAGES))
# Fields that repeat the words of people, who may name a folder "Rate limit exceeded".
ECHOED = {"domain", "domainid", "domaintype", "tags", "folder"}
# Fields in which services put their own words, the most telling first.
TELLING = (
    *("message", "detail", "details", "msg", "errormessage", "errordescription"),
    *("error", "errors", "title", "reason", "description", "code"),
)
FAILED = ("error", "fail", "failed", "failure")
# An error object has fewer words.
MAX_WORDS = 5_000
MAX_DETAIL_CHARS = 200


def visible(text: str) -> str:
    """Return the visible text of HTML or plain text: no tags, scripts or entities."""
    bare = MARKUP.sub("", text[:MAX_SEARCHED_CHARS])
    try:
        return html.unescape(bare)
    except ValueError:  # Python 3.11: an entity whose number has more than 4,300 digits
        return bare


def letters(text: str) -> str:
    """Return the letters and digits of plain text or HTML, without case: for comparing.

    `invalid_api_key`, `InvalidApiKey` and `Invalid&nbsp;<b>API</b> key` are `invalidapikey`.
    """
    return NO_LETTERS.sub("", visible(text).casefold())


def refusal_in_text(text: str) -> Refusal | None:
    """Return the error whose message comes first in plain text or HTML, or `None`."""
    found = ANY_MESSAGE.search(letters(text))
    return MESSAGES[found[0]] if found else None


def refusal_in_json(value: object) -> Refusal | None:
    """Return the error whose message comes first in JSON of any form, or `None`."""
    found = map(refusal_in_text, islice(_words(value), MAX_WORDS))
    return next((refusal for refusal in found if refusal), None)


def sole_refusal(value: object) -> Refusal | None:
    """Return the error whose message begins every string of a JSON value, or `None`."""
    begun = [ANY_MESSAGE.match(letters(words)) for words in islice(_words(value), MAX_WORDS)]
    messages = {found[0] if found else "" for found in begun}
    return MESSAGES.get(messages.pop()) if len(messages) == 1 else None


def says_failure(value: object) -> bool:
    """Return whether a JSON value is an object that calls itself an error."""
    if not isinstance(value, dict):
        return False
    fields = _by_letters(value)
    return (
        bool(fields.get("error") or fields.get("errors"))
        or fields.get("success") is False
        or fields.get("ok") is False
        or str(fields.get("status")).lower() in FAILED
    )


def is_about_a_domain(value: object) -> bool:
    return isinstance(value, dict) and not {"domain", "domainId"}.isdisjoint(value)


def detail_in_json(value: object) -> str | None:
    """Return the service's own message of an error in one short line, or `None`."""
    shown = visible(next(_messages(value), ""))
    plain = "".join(" " if unicodedata.category(char)[0] == "C" else char for char in shown)
    line = " ".join(plain.split())
    return f"{line[: MAX_DETAIL_CHARS - 1]}…" if len(line) > MAX_DETAIL_CHARS else line or None


def _words(value: object) -> Iterator[str]:
    """Yield every string in which the service may speak, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _words(each)
    elif isinstance(value, dict):
        # Any other field of a domain is one of its properties.
        is_domain = is_about_a_domain(value)
        for field, child in ((letters(name), child) for name, child in value.items()):
            if field in TELLING if is_domain else field not in ECHOED:
                yield from _words(child)


def _messages(value: object, *, is_telling: bool = False) -> Iterator[str]:
    """Yield the strings in telling fields, the most telling first."""
    if isinstance(value, str) and is_telling and value.strip():
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _messages(each, is_telling=is_telling)
    elif isinstance(value, dict):
        fields = _by_letters(value)
        for name in TELLING:
            yield from _messages(fields.get(name), is_telling=True)


def _by_letters(value: dict[str, object]) -> dict[str, object]:
    return {letters(name): child for name, child in value.items()}
