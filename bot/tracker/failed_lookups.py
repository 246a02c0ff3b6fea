"""Detect failed lookups in a section of a scan. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeGuard

from bot.tracker.names import NAMES, normalized
from bot.tracker.readings import boolean_of

MAX_REASON_CHARS = 120
NOTHING = "the scan says nothing about it"
# HTTP: a status from here on means that the lookup failed (RFC 9110, section 15.5).
FAILED_STATUS = range(400, 600)
# A host, an address, a path, a time, a version, a number: what was asked, and when.
_LITTLE = re.compile(
    r"[\w-]+(\.[\w-]+)+\.?(:\d+)?(/\S*)?|https?://\S+|/\S*|\d{4}-\d\d-\d\d.*|\w{3}, \d.*|\d[\w.-]*"
)
_MESSAGE = re.compile(r"(msg|message|text|reason|details?|description)$")
Leaf = tuple[str, object]


def failure_of(name: str, section: object, *, is_known: bool, is_read: bool) -> str | None:
    """Return a text of the scan, or `NOTHING`, if the lookup of a section failed, else `None`.

    `is_known`: something in it was recognized, so that an error beside it is not the whole;
    `is_read`: perhaps only values that tools fill in where they found nothing.
    """
    if is_known:
        return None
    if isinstance(section, str):
        is_answer = "\n" in section and not NAMES.reports_failure(section[:MAX_REASON_CHARS])
        return None if is_answer else section[:MAX_REASON_CHARS] or NOTHING
    if isinstance(section, bool | int | float):
        return NOTHING
    leaves = list(_leaves(section))
    has_other_text = any(_has_other_text(name, *leaf) for leaf in leaves)
    reason = failing_text(leaves)
    if not reason and any(_is_sign(*leaf) for leaf in leaves):
        texts = (str(value) for _name, value in leaves if _is_failure_text(value))
        reason = next(chain(_texts(leaves), texts), "it failed")[:MAX_REASON_CHARS]
    if reason:
        return None if has_other_text else reason
    contents = [value for leaf, value in leaves if _is_content(name, leaf, value)]
    reason = next((str(value) for value in contents if _is_failure_text(value)), None)
    if reason and not has_other_text and not any(isinstance(value, bool) for value in contents):
        return reason[:MAX_REASON_CHARS]
    if is_read:
        return None
    return None if contents and not (name == "security" and _is_blank(leaves)) else NOTHING


def _is_failure_text(value: object) -> bool:
    text = value if isinstance(value, str) else ""
    return NAMES.reports_failure(text[:MAX_REASON_CHARS] if "\n" in text else text)


def _has_other_text(section: str, name: str, value: object) -> bool:
    """Return whether a value says something beside a failure: a text that is not about it."""
    words = NAMES.failures
    about = words["lookup"] | words["beside"] | words["names"] | NAMES.severity_names
    if not _is_text(value) or _is_failure_text(value) or normalized(value) in words["words"]:
        return False
    if name in about or _is_error_name(name):
        return False
    # In DNS and WHOIS an address is an answer.
    is_little = name in NAMES.neutral or _LITTLE.fullmatch(value.strip()) is not None
    is_address = section in {"ssl", "security"} or value.startswith("http")
    return not (is_little and is_address)


def _is_blank(leaves: list[Leaf]) -> bool:
    """Return whether all values stand for nothing, or for a check that was not made."""
    words = NAMES.failures
    flags = words["false"] | words["true"]
    given = [
        value
        for name, value in leaves
        if name not in words["lookup"] and not (isinstance(value, bool) and name in flags)
    ]
    texts = (value for value in given if normalized(str(value)) not in NAMES.states["unchecked"])
    return any(value != [] for value in given) and not any(map(_is_something, texts))


def failing_text(leaves: Iterable[Leaf]) -> str | None:
    """Return the text by which values, each with its name, tell of a lookup that failed."""
    failed = next(filter(NAMES.reports_failure, _texts(leaves)), None)
    return failed[:MAX_REASON_CHARS] if failed else None


def _texts(leaves: Iterable[Leaf]) -> Iterator[str]:
    """Yield the texts that may say why a lookup failed; a section may be a list of them."""
    for name, value in leaves:
        is_named = not name or name in NAMES.failures["names"] or _is_error(name, value)
        if is_named and isinstance(value, str) and value.strip():
            yield value


def reports_failure(record: Mapping[object, object]) -> bool:
    """Return whether a record says by a text or a boolean that its lookup failed."""
    leaves = _leaves_of(record)
    return failing_text(leaves) is not None or any(_is_flag(*leaf) for leaf in leaves)


def has_error_text(record: Mapping[object, object]) -> bool:
    """Return whether a record has a text under the name of an error, whatever it says."""
    return any(_is_error(*leaf) for leaf in _leaves_of(record))


def _leaves_of(record: Mapping[object, object]) -> list[Leaf]:
    """Return the plain values of a record by their normalized names."""
    given = ((normalized(str(key)), value) for key, value in record.items())
    return [(name, value) for name, value in given if not isinstance(value, dict | list)]


def _leaves(section: object) -> Iterator[Leaf]:
    """Yield the plain values and empty lists of any JSON by the name that stands nearest."""
    stack: list[Leaf] = [("", section)]
    while stack:
        name, value = stack.pop()
        if isinstance(value, Mapping):
            is_error = name in NAMES.failures["names"] or _is_error_name(name)
            given = ((normalized(str(key)), item) for key, item in value.items())
            kept = [(name if is_error else k, v) for k, v in given if k not in NAMES.ignored]
            stack += reversed(kept)
        elif isinstance(value, list) and value:
            stack += [(name, item) for item in reversed(value)]
        else:
            yield name, value


def _is_flag(name: str, value: object) -> bool:
    truth = boolean_of(value)
    if truth is False and name.endswith("probesuccess"):
        return True
    return truth is not None and name in NAMES.failures["true" if truth else "false"]


def _is_text(value: object) -> TypeGuard[str]:
    """Return whether a value is a text that stands neither for nothing nor for a boolean."""
    is_given = isinstance(value, str) and not NAMES.is_placeholder(value)
    return is_given and boolean_of(value) is None


def _is_error(name: str, value: object) -> bool:
    return _is_text(value) and _is_error_name(name)


def _is_error_name(name: str) -> bool:
    """Return whether a name is of an error: `runtimeError`, `api-error-msg`."""
    is_own = name not in NAMES.failures["names"] and _MESSAGE.sub("", name).endswith("error")
    return name in NAMES.failures["errors"] or is_own


def _is_sign(name: str, value: object) -> bool:
    words = NAMES.failures
    if _is_flag(name, value):
        return True
    if name == "failed" and (value is True or value == "true"):
        return True
    if not isinstance(value, str):
        return name in words["codes"] and isinstance(value, int) and value in FAILED_STATUS
    is_failed = name in words["states"] and normalized(value) in words["words"]
    # A scanner calls fatal what ended the scan.
    is_fatal = name in NAMES.severity_names and normalized(value) == "fatal"
    return is_failed or is_fatal or _is_error(name, value)


def _is_content(section: str, name: str, value: object) -> bool:
    if value == []:
        return section == "security" or name in NAMES.unchecked_lists
    words = NAMES.failures
    is_flag = isinstance(value, bool) and name in words["false"] | words["true"]
    return not is_flag and name not in words["lookup"] and _is_something(value)


def _is_something(value: object) -> bool:
    if isinstance(value, str):
        return not NAMES.is_placeholder(value)
    return isinstance(value, bool) or value not in (None, [], 0, -1)
