"""Model what a value in a scan is read as, and word it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeGuard

from bot.tracker.names import NAMES, humanized, normalized, without_prefix
from bot.tracker.scan_facts import MAX_TEXT_CHARS, MAX_WORD_CHARS, Issue, Severity

MAX_PATH_CHARS = 80
MAX_COUNT_CHARS = 12
# The rules by which an issue has a title of its own.
LISTED = frozenset({"list of issues", "record with a severity"})
_TRUE, _FALSE = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})


class Verdict(StrEnum):
    """What a value says. `EMPTY`: a list of issues with none in it. `UNREAD`: not recognized."""

    ISSUE = "issue"
    PASSED = "passed"
    NOT_CHECKED = "not checked"
    EMPTY = "no issues"
    INFO = "information"
    UNREAD = "not recognized"


@dataclass(frozen=True, slots=True)
class Reading:
    """What the value at `path` says, and by which rule. `issue` is given with `Verdict.ISSUE`."""

    verdict: Verdict
    rule: str
    path: tuple[str, ...]
    issue: Issue | None = None


def issue_reading(
    section: str,
    rule: str,
    path: tuple[str, ...],
    title: str,
    *,
    word: str = "",
    texts: Mapping[str, str] | None = None,
    is_named: bool = False,
) -> Reading:
    """Return the reading of an issue; `word` is what the scan calls its severity.

    `texts`, those of its record, may say what to do. `is_named`: the title is our own.
    """
    rank, texts = NAMES.severity(word), texts or {}
    fix = next((texts[name] for name in NAMES.texts["fix"] if name in texts), "")
    if is_named:  # its word may be a state and no severity
        word = word if rank else ""
        title = f"{section_name(section)} › {title}"
    severity = Severity(rank) if rank else Severity.UNKNOWN
    issue = Issue(section, severity, word[:MAX_WORD_CHARS], title[:MAX_TEXT_CHARS], fix)
    return Reading(Verdict.ISSUE, rule, path, issue)


def section_name(name: str) -> str:
    """Return a section's name as people read it: `WHOIS`."""
    return {"whois": "WHOIS", "dns": "DNS", "ssl": "SSL"}.get(name, name.capitalize())


def shown_path(path: tuple[str, ...]) -> str:
    """Return `Blacklisted`, or `Headers › HSTS`, for a path: its last two names."""
    shown = [humanized(name) for name in path if not name.isdecimal()][-2:]
    return " › ".join(filter(None, shown))[:MAX_PATH_CHARS]


def value_text(key: str, value: object) -> str:
    """Return a value as people say it: `yes` and `no` for booleans."""
    is_flag = value in (0, 1) and without_prefix(key) not in NAMES.counts["bad"]
    if is_number(value) and not is_flag:
        return f"{value:,}"[:MAX_COUNT_CHARS]
    if (truth := boolean_of(value)) is not None:
        return "yes" if truth else "no"
    return str(value)[:MAX_WORD_CHARS]


def boolean_of(value: object) -> bool | None:
    """Return the boolean that a value is, as text or 0 and 1 too; else `None`."""
    if isinstance(value, bool):
        return value
    word = normalized(str(value)) if isinstance(value, str | int) else ""
    return True if word in _TRUE else False if word in _FALSE else None


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether a value is a number; JSON's `true` is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_plain(value: object) -> bool:
    return isinstance(value, str) or is_number(value)


def texts_of(given: Mapping[object, object]) -> dict[str, str]:
    """Return the texts and numbers of a record by their normalized names, lists in one line."""
    return {normalized(str(key)): text for key, item in given.items() if (text := _text(item))}


def _text(value: object) -> str:
    values = value if isinstance(value, list) else [value]
    return ", ".join(str(item).strip() for item in values if is_plain(item))[:MAX_TEXT_CHARS]


def severity_name(texts: Mapping[str, str]) -> str | None:
    """Return the name under which the texts of a record rate an issue, `None` if none does."""
    return next((name for name in texts if name in NAMES.severity_names), None)
