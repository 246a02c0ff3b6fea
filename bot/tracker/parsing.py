"""Read JSON as services really write it. Pure."""

import json
import math
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress

import msgspec

# Data from outside is walked recursively further on; Python allows about 1,000 calls inside
# one another. What a service really sends is not a tenth as deep as this.
MAX_DEPTH = 200
# An escaped backslash, a full surrogate pair, or half of one. Only the half is no character.
ESCAPES = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
# More digits than any counter has; Python itself refuses above 4,300.
MAX_INT_CHARS = 100

STRICT = msgspec.json.Decoder()
UNREAD = object()


class NotJsonError(ValueError):
    """The text is no JSON, or nested deeper than `MAX_DEPTH`. Holds no part of the text."""


def parse_json(body: bytes) -> object:
    """Return the JSON value in `body`.

    Forgiven, as one odd value must not lose a whole list: NaN and Infinity and numbers beyond
    all bounds (read as `None`), half surrogate pairs and invalid UTF-8 (read as U+FFFD), raw
    control characters, a byte order mark, UTF-16 and UTF-32.

    Raises:
        NotJsonError: it still is no JSON, or nested too deep.
    """
    try:
        value = STRICT.decode(body)
    except (ValueError, RecursionError):
        value = UNREAD
    if value is UNREAD:  # not in the handler: the error there holds the whole body
        value = _forgiven(body)
    may_be_deep = body.count(b"[") + body.count(b"{") > MAX_DEPTH
    if may_be_deep and is_deeper_than(value, MAX_DEPTH):
        raise NotJsonError(f"nested deeper than {MAX_DEPTH}")
    return value


def parse_list(body: bytes) -> Iterator[object] | None:
    """Return the items of a JSON list, each read when it is asked for; `None` if it is none.

    For long lists, which `parse_json` would read in one step that lets nothing else run. Asking
    for an item may raise `NotJsonError`; `parse_json` may still be able to read the whole.
    """
    try:
        items = msgspec.json.decode(body, type=list[msgspec.Raw])
    except (ValueError, RecursionError):
        return None
    return map(parse_json, map(bytes, items))


def _forgiven(body: bytes) -> object:
    text = body.decode(json.detect_encoding(body), errors="replace")
    text = ESCAPES.sub(lambda found: "\\ufffd" if found["half"] else found[0], text)
    with suppress(ValueError, RecursionError):
        return json.loads(
            text, strict=False, parse_constant=_none, parse_float=_finite, parse_int=_bounded
        )
    raise NotJsonError("not JSON, or nested too deep")


def _none(_literal: str) -> None:
    return None


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _bounded(digits: str) -> int | None:
    return int(digits) if len(digits) <= MAX_INT_CHARS else None


def is_deeper_than(value: object, depth: int) -> bool:
    """Tell whether lists and objects lie more than `depth` deep in each other."""
    level: list[object] = [value]
    for _ in range(depth):
        level = [child for parent in level for child in _children(parent) if _nests(child)]
        if not level:
            return False
    return True


def _children(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _nests(value: object) -> bool:
    return type(value) is dict or type(value) is list
