"""Recognize issues and end dates in a scan by their shape: its structure is not documented. Pure.

Names are compared without case and punctuation. What is not recognized is left out, never guessed.
"""

import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import StrEnum

from bot.tracker.dates import MAX_EPOCH_MS, read_date

MAX_KEPT_ISSUES = 200
MAX_TEXT_CHARS = 500
MAX_WORD_CHARS = 40
SOON_DAYS = 30
URGENT_DAYS = 8


class Severity(StrEnum):
    """How bad an issue is, worst first; `UNKNOWN` when its word is missing or not known."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    UNKNOWN = "unknown"
    INFO = "info"


SEVERITIES = tuple(Severity)


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue that the service reports. All texts are its own.

    `word` is its word for the severity, "" when there is none; `fix` is what to do, or "".
    """

    section: str
    severity: Severity
    word: str
    title: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class EndDate:
    """The day, in UTC, on which something ends, and the moment where the scan gives its zone.

    `also` are other days under other names in the same record.
    """

    day: date
    moment: datetime | None = None
    also: tuple[date, ...] = ()

    def days_left(self, now: datetime) -> int:
        """Return the number of days in UTC from today to the last one; negative when past."""
        return (self.day - now.astimezone(UTC).date()).days

    def has_ended(self, now: datetime) -> bool:
        """Return whether it is over; a day without a moment ends with the day."""
        return self.moment <= now if self.moment else self.days_left(now) < 0


@dataclass(frozen=True, slots=True)
class ScanFacts:
    """What matters in a scan: its worst issues, worst first, and what ends when.

    `counts` are of all issues, those that are not kept included. `lists_issues` says whether the
    scan holds a list of issues at all, even an empty one.
    """

    issues: tuple[Issue, ...] = ()
    counts: dict[Severity, int] = field(default_factory=dict)
    lists_issues: bool = False
    registration: EndDate | None = None
    certificate: EndDate | None = None


def facts_of(sections: Mapping[str, object]) -> ScanFacts:
    """Return the facts of a scan whose sections are any JSON."""
    issues: list[Issue] = []
    lists_issues = False
    for name, value in sections.items():
        found, is_list = _issues_in(name, value)
        issues += found
        lists_issues = lists_issues or is_list
    issues.sort(key=lambda issue: SEVERITIES.index(issue.severity))
    return ScanFacts(
        issues=tuple(issues[:MAX_KEPT_ISSUES]),
        counts=dict(Counter(issue.severity for issue in issues)),
        lists_issues=lists_issues,
        registration=_end_date(sections.get("whois"), END_NAMES["whois"]),
        certificate=_end_date(sections.get("ssl"), END_NAMES["ssl"]),
    )


def bare(name: str) -> str:
    """Return a name without case and punctuation: `notafter` for `Not_After`."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


# Issues

_LISTS = frozenset(
    (
        *("issues", "vulnerabilities", "warnings", "problems", "findings", "alerts", "errors"),
        "threats",
    )
)
_SEVERITY_NAMES = frozenset({"severity", "level", "risk", "severitylevel", "risklevel"})
_TITLE_NAMES = (
    *("title", "message", "name", "summary", "issue", "problem", "finding", "warning", "text"),
    *("description", "detail", "details", "check", "rule", "cve", "code", "id"),
)
_FIX_NAMES = (
    *("recommendation", "remediation", "fix", "howtofix", "solution", "action", "advice"),
    *("mitigation", "suggestion", "resolution"),
)
_WORDS: dict[str, Severity] = {
    word: severity
    for severity, words in {
        Severity.CRITICAL: ("critical", "crit", "severe", "emergency", "fatal", "blocker"),
        Severity.HIGH: ("high", "major", "error", "danger", "important", "serious"),
        Severity.MEDIUM: ("medium", "moderate", "med", "warning", "warn"),
        Severity.LOW: ("low", "minor"),
        Severity.INFO: ("info", "informational", "information", "notice", "note"),
    }.items()
    for word in words
}
# A list of checks holds the passed ones too.
_FINE = frozenset(
    {"ok", "pass", "passed", "good", "success", "safe", "fixed", "resolved", "clean", "none"}
)
_STATES = frozenset({"status", "state", "result", "outcome"})


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value stands: below a list of issues, as one of its items, below `word`."""

    is_named: bool = False
    is_item: bool = False
    word: str = ""


def _issues_in(section: str, value: object) -> tuple[list[Issue], bool]:
    """Return the issues, and whether there is a list of them; without recursion."""
    found: list[Issue] = []
    lists_issues = False
    stack: list[tuple[_Place, object]] = [(_Place(), value)]
    while stack:
        place, value = stack.pop()
        if isinstance(value, dict):
            found += _from_record(section, value, place)
            items = reversed(value.items())
            stack += [(_place_of(str(key), place), item) for key, item in items]
        elif isinstance(value, list):
            lists_issues = lists_issues or (place.is_named and not place.is_item)
            if place.is_item and value and all(map(_is_plain, value)):
                found += _from_text(section, ", ".join(map(str, value)), place)
            else:
                item_place = _Place(place.is_named, place.is_named, place.word)
                stack += [(item_place, item) for item in reversed(value)]
        elif place.is_item and _is_plain(value):
            found += _from_text(section, str(value), place)
    return found, lists_issues or bool(found)


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _place_of(key: str, place: _Place) -> _Place:
    """Return the place of what stands under `key` of a record at `place`."""
    name = bare(key)
    if name in _LISTS:
        return _Place(is_named=True)
    if not place.is_named or place.is_item:
        return _Place()
    return _Place(is_named=True, word=key if name in _WORDS else place.word)


def _from_text(section: str, text: str, place: _Place) -> Iterator[Issue]:
    if text.strip() and bare(text) not in _FINE:
        severity = _WORDS.get(bare(place.word), Severity.UNKNOWN)
        yield Issue(section, severity, place.word, text[:MAX_TEXT_CHARS])


def _from_record(section: str, record: Mapping[object, object], place: _Place) -> Iterator[Issue]:
    """Yield a record as an issue if it has a severity and a title, or is an item of a list."""
    given = {bare(str(key)): value for key, value in record.items()}
    texts = {name: text for name, value in given.items() if (text := _text(value))}
    rated = next((name for name in texts if name in _SEVERITY_NAMES), None)
    word = texts[rated] if rated else place.word
    title = next((texts[name] for name in _TITLE_NAMES if name in texts), "")
    fix = next((texts[name] for name in _FIX_NAMES if name in texts), "")
    severity = _WORDS.get(bare(word), Severity.UNKNOWN)
    is_rated = severity is not Severity.UNKNOWN or rated == "severity"
    if _is_fine(given, word) or not (texts if place.is_item else is_rated and rated and title):
        return
    if not title:
        others = (text for name, text in texts.items() if name not in {rated, *_FIX_NAMES})
        title = next(others, "")
    yield Issue(section, severity, word[:MAX_WORD_CHARS], title, fix)


def _text(value: object) -> str:
    values = value if isinstance(value, list) else [value]
    return ", ".join(str(item).strip() for item in values if _is_plain(item))[:MAX_TEXT_CHARS]


def _is_fine(given: Mapping[str, object], word: str) -> bool:
    states = (str(value) for name, value in given.items() if name in _STATES)
    return (
        any(given.get(name) is True for name in _FINE)
        or bare(word) in _FINE
        or any(bare(state) in _FINE for state in states)
    )


# End dates

_ENDS = frozenset(
    {
        *("expires", "expiry", "expire", "expireson", "expiresat", "expiresdate", "expirydate"),
        *("expirationdate", "expiration", "validuntil", "validtill", "enddate"),
    }
)
# The names of end dates, by section.
END_NAMES = {
    "whois": _ENDS
    | {
        *("registryexpirydate", "registrarregistrationexpirationdate", "paidtill", "paiduntil"),
        *("registrationexpires", "registrationends", "domainexpires", "registeredtill"),
        *("registereduntil", "renewaldate"),
    },
    "ssl": _ENDS | {"notafter", "validto", "validityend", "certificateexpires"},
}


def _end_date(section: object, names: frozenset[str]) -> EndDate | None:
    """Return the first end date of the least nested record that has one."""
    found_at: int | None = None
    found: list[EndDate] = []
    for depth, parent, record in _records(section):
        if found_at is not None and depth > found_at:
            break
        if dates := _dates_in(parent, record, names):
            found_at = depth
            first = min(dates, key=lambda end: (end.day, end.moment is None))
            also = sorted({end.day for end in dates} - {first.day})
            found.append(EndDate(first.day, first.moment, tuple(also)))
    return min(found, key=lambda end: end.day, default=None)


def _records(value: object) -> Iterator[tuple[int, str, Mapping[object, object]]]:
    """Yield the objects in any JSON, each with its depth and name, the least nested first."""
    queue: deque[tuple[int, str, object]] = deque([(0, "", value)])
    while queue:
        depth, name, value = queue.popleft()
        if isinstance(value, Mapping):
            yield depth, name, value
            queue.extend((depth + 1, bare(str(key)), item) for key, item in value.items())
        elif isinstance(value, list):
            queue.extend((depth + 1, "", item) for item in value)


def _dates_in(
    parent: str, record: Mapping[object, object], names: frozenset[str]
) -> list[EndDate]:
    dates = []
    for key, value in record.items():
        name = bare(str(key))
        if name in names or parent in names or f"{parent}{name}" in names:
            dates += [_as_end(each) for each in (value if isinstance(value, list) else [value])]
    return [end for end in dates if end]


def _as_end(value: object) -> EndDate | None:
    if isinstance(value, str) and value.isdecimal() and len(value) <= len(str(MAX_EPOCH_MS)):
        value = int(value)
    read = read_date(value)
    if isinstance(read, datetime):
        return EndDate(read.date(), read if read.tzinfo else None)
    return EndDate(read) if read else None
