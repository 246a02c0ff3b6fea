"""Detect failed lookups in a section of a scan. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from bot.tracker.names import Names, normalized
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


def failure_of(
    name: str, section: object, names: Names, *, is_known: bool, is_read: bool
) -> str | None:
    """Return the reason why the lookup of a section failed, `None` if it did not.

    The reason is a text of the scan, or `NOTHING` for a section without content. `is_known`:
    something in it was recognized, so that an error beside it is not the whole; `is_read`: perhaps
    only values that tools fill in where they found nothing. Beside a failure a text says more.
    """
    if is_known:
        return None
    if isinstance(section, str):
        is_answer = "\n" in section and not names.reports_failure(section[:MAX_REASON_CHARS])
        return None if is_answer else section[:MAX_REASON_CHARS] or NOTHING
    if isinstance(section, bool | int | float):
        return NOTHING
    leaves = list(_leaves(section, names))
    has_other_text = any(_has_other_text(name, *leaf, names) for leaf in leaves)
    if (reason := _lookup_failure(leaves, names)) is not None:
        return None if has_other_text else reason
    contents = [value for leaf, value in leaves if _is_content(name, leaf, value, names)]
    reason = next((str(value) for value in contents if _is_failure_text(value, names)), None)
    if reason and not has_other_text and not any(isinstance(value, bool) for value in contents):
        return reason[:MAX_REASON_CHARS]
    if is_read:
        return None
    return None if contents and not (name == "security" and _is_blank(leaves, names)) else NOTHING


def _is_failure_text(value: object, names: Names) -> bool:
    if not isinstance(value, str):
        return False
    return names.reports_failure(value[:MAX_REASON_CHARS] if "\n" in value else value)


def _has_other_text(section: str, name: str, value: object, names: Names) -> bool:
    """Return whether a value says something beside a failure: a text that is not about it."""
    if not isinstance(value, str) or boolean_of(value) is not None:
        return False
    if _is_failure_text(value, names):
        return False
    words = names.failures
    about = words["lookup"] | words["beside"] | words["names"] | names.severity_names
    if normalized(value) in words["words"]:
        return False
    if name in about or names.is_placeholder(value) or _is_error(name, value, names):
        return False
    # In DNS and WHOIS an address is an answer.
    is_little = name in names.neutral or _LITTLE.fullmatch(value.strip()) is not None
    is_address = section in {"ssl", "security"} or value.startswith("http")
    return not (is_little and is_address)


def _is_blank(leaves: list[Leaf], names: Names) -> bool:
    """Return whether all values stand for nothing, or for a check that was not made."""
    words = names.failures
    flags = words["false"] | words["true"]
    given = [
        value
        for name, value in leaves
        if name not in words["lookup"] and not (isinstance(value, bool) and name in flags)
    ]
    texts = (value for value in given if normalized(str(value)) not in names.states["unchecked"])
    return any(value != [] for value in given) and not any(_is_something(v, names) for v in texts)


def _lookup_failure(leaves: list[Leaf], names: Names) -> str | None:
    """Return the text or sign by which values tell of a lookup that failed."""
    if failed := failing_text(leaves, names):
        return failed
    if any(_is_sign(*leaf, names) for leaf in leaves):
        texts = (str(value) for _name, value in leaves if _is_failure_text(value, names))
        return next(chain(_texts(leaves, names), texts), "it failed")[:MAX_REASON_CHARS]
    return None


def failing_text(leaves: Iterable[Leaf], names: Names) -> str | None:
    """Return the text by which values, each with its name, tell of a lookup that failed."""
    failed = next(filter(names.reports_failure, _texts(leaves, names)), None)
    return failed[:MAX_REASON_CHARS] if failed else None


def _texts(leaves: Iterable[Leaf], names: Names) -> Iterator[str]:
    """Yield the texts that may say why a lookup failed; a section may be a list of them."""
    for name, value in leaves:
        is_named = not name or name in names.failures["names"] or _is_error(name, value, names)
        if is_named and isinstance(value, str) and value.strip():
            yield value


def reports_failure(record: Mapping[object, object], names: Names) -> bool:
    """Return whether a record says by a text or a boolean that its lookup failed."""
    leaves = _leaves_of(record)
    return failing_text(leaves, names) is not None or any(
        _is_flag(name, value, names) for name, value in leaves
    )


def has_error_text(record: Mapping[object, object], names: Names) -> bool:
    """Return whether a record has a text under the name of an error, whatever it says."""
    return any(_is_error(name, value, names) for name, value in _leaves_of(record))


def _leaves_of(record: Mapping[object, object]) -> list[Leaf]:
    """Return the plain values of a record by their normalized names."""
    given = ((normalized(str(key)), value) for key, value in record.items())
    return [(name, value) for name, value in given if not isinstance(value, dict | list)]


def _leaves(section: object, names: Names) -> Iterator[Leaf]:
    """Yield the plain values and empty lists of any JSON by the name that stands nearest."""
    stack: list[Leaf] = [("", section)]
    while stack:
        name, value = stack.pop()
        if isinstance(value, Mapping):
            is_error = name in names.failures["names"] or _is_error_name(name, names)
            given = ((normalized(str(key)), item) for key, item in value.items())
            kept = [(name if is_error else k, v) for k, v in given if k not in names.ignored]
            stack += reversed(kept)
        elif isinstance(value, list) and value:
            stack += [(name, item) for item in reversed(value)]
        else:
            yield name, value


def _is_flag(name: str, value: object, names: Names) -> bool:
    truth = boolean_of(value)
    if truth is False and name.endswith("probesuccess"):
        return True
    return truth is not None and name in names.failures["true" if truth else "false"]


def _is_error(name: str, value: object, names: Names) -> bool:
    if not isinstance(value, str) or names.is_placeholder(value) or boolean_of(value) is not None:
        return False
    return _is_error_name(name, names)


def _is_error_name(name: str, names: Names) -> bool:
    """Return whether a name is of an error: `runtimeError`, `api-error-msg`."""
    is_own = name not in names.failures["names"] and _MESSAGE.sub("", name).endswith("error")
    return name in names.failures["errors"] or is_own


def _is_sign(name: str, value: object, names: Names) -> bool:
    words = names.failures
    if _is_flag(name, value, names):
        return True
    match value:
        case bool() | "true" if name == "failed":
            return value is not False
        case int():
            return name in words["codes"] and value in FAILED_STATUS
        case str():
            is_failed = normalized(value) in words["words"]
            # A scanner calls fatal what ended the scan.
            is_fatal = name in names.severity_names and normalized(value) == "fatal"
            return (
                (name in words["states"] and is_failed)
                or is_fatal
                or _is_error(name, value, names)
            )
    return False


def _is_content(section: str, name: str, value: object, names: Names) -> bool:
    if value == []:
        return section == "security" or name in names.unchecked_lists
    words = names.failures
    is_flag = isinstance(value, bool) and name in words["false"] | words["true"]
    return not is_flag and name not in words["lookup"] and _is_something(value, names)


def _is_something(value: object, names: Names) -> bool:
    if isinstance(value, str):
        return not names.is_placeholder(value)
    is_default = value in (0, -1) and not isinstance(value, bool)
    return value is not None and value != [] and not is_default
