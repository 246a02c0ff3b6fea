"""Find the end of a registration or a certificate in a section of any shape. Pure."""

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from bot.tracker.dates import MAX_EPOCH_MS, read_date
from bot.tracker.failed_lookups import has_error_text, reports_failure
from bot.tracker.names import NAMES, normalized, words_of
from bot.tracker.scan_facts import EndDate

_DAYS = frozenset({"day", "days"})
_LEFT = frozenset(
    {"left", "remaining", "until", "till", "to", "in", "expiry", "expires", "expire", "expiration"}
)
_DAY_COUNT = re.compile(r"-?\d{1,5}")
_RAW_LINE = re.compile(
    r"^[\s%*]*\[?(?P<name>[A-Za-z][A-Za-z .\-/]{2,60}?)\]?\s*[:=.\]]+\s*(?P<value>\S.*)$"
)
_NAME_KEYS = ("eventaction", "action", "id", "name", "event")
_VALUE_KEYS = ("eventdate", "date", "finding", "value", "timestamp")
_HOST = re.compile(r"(?<![\w.])(?:\*\.|www\.)?(?P<host>[\w-]+(?:\.[\w-]+)+)")
_WRAPPED = ("$date", "$numberLong", "_seconds", "seconds")
_DOTNET = re.compile(r"/Date\((-?\d{9,14})(?:[+-]\d{4})?\)/")
_REMARK = re.compile(r" \((?!UTC|GMT)[^)]*\)$")
_WORDED = re.compile(
    r"(?P<year>\d{4})[- .](?P<month>[A-Za-z]{3})[- .](?P<day>\d\d?)"
    r"|\w{3} (?P<m>[A-Z][a-z]{2}) (?P<d>\d\d) (?P<y>\d{4})(?P<rest> [\d:]+ \+\d{4})"
)
MAX_RAW_LINES = 500
MAX_DATE_CHARS = 80
# What is before or after is a placeholder, or of another calendar. The last year means never.
PLAUSIBLE_YEARS = (*range(1990, 2127), 9999)


class _Record(NamedTuple):
    """A record, its server and its certificate's subject, which may stand above its `validity`."""

    depth: int
    parent: str
    given: Mapping[object, object]
    server: str
    subject: str


Read = Callable[[str, _Record, datetime], Iterator[EndDate]]


def end_in(section: str, value: object, scanned: datetime) -> EndDate | None:
    """Return the end that a section gives, or `None`: a date, else the days left at `scanned`.

    The record nearest to the top counts; for certificates a name that only they have comes first.
    """
    if isinstance(value, str):
        return min(_in_raw_text(section, value), key=lambda end: end.day, default=None)
    reads: list[Read] = [_certificate_dates] * (section == "ssl") + [_dates, _days]
    # A chain counts where nothing else has an end.
    others = (
        NAMES.ends["elsewhere"]
        | NAMES.ends["issuers"]
        | NAMES.ends.get(f"{section}not", frozenset())
    )
    for skipped in (others | NAMES.ends["chains"], others):
        for read in reads:
            found_at: int | None = None
            found: list[tuple[_Record, EndDate]] = []
            for record in _records(value, skipped):
                if found_at is not None and record.depth > found_at:
                    break
                if ends := list(read(section, record, scanned)):
                    found_at = record.depth
                    found.append((record, _merged(ends)))
            if found:
                return _first_of(found, scanned)
    return None


def _first_of(found: list[tuple[_Record, EndDate]], scanned: datetime) -> EndDate:
    """Return the first end of certificates that are in use.

    Of those for one subject at one server the newest is; logs list earlier ones, too. So one that
    has ended counts only if it is the newest of the first subject, or has no subject, and not for
    a host below that of one which has not.
    """
    are_of_one = len({record.server for record, _ in found}) < 2
    newest: dict[tuple[str, str], EndDate] = {}
    for number, (record, end) in enumerate(found):
        server = "" if are_of_one else record.server
        key = (record.subject, server) if record.subject or server else (str(number), "")
        newest[key] = max(newest.get(key, end), end, key=lambda each: each.day)
    first = next(iter(newest))
    current = {_host_of(key[0]) for key, end in newest.items() if not end.has_ended(scanned)}
    is_old = not first[1] and newest[first].has_ended(scanned)
    if is_old and any(f".{_host_of(first[0])}".endswith(f".{host}") for host in current if host):
        del newest[first]
    used = [
        end
        for key, end in newest.items()
        if key == first or key[1] or key[0].isdecimal() or not end.has_ended(scanned)
    ]
    return min(used, key=lambda end: end.day)


def _host_of(subject: str) -> str:
    found = _HOST.search(subject.lower())
    return found["host"] if found else ""


def _text_under(wanted: frozenset[str], given: Mapping[object, object]) -> str:
    """Return the first value under one of these names as JSON, "" if there is none."""
    for key, value in given.items():
        if normalized(str(key)) in wanted:
            with suppress(RecursionError):
                return json.dumps(value, sort_keys=True, default=str)
    return ""


def _merged(ends: list[EndDate]) -> EndDate:
    first = min(ends, key=lambda end: (end.day, end.moment is None))
    also = sorted({end.day for end in ends} - {first.day})
    return EndDate(first.day, first.moment, tuple(also))


def _records(value: object, skipped: frozenset[str]) -> Iterator[_Record]:
    """Yield the records in any JSON, the least nested first.

    Without those that have ended, of issuers, whose lookup failed, or below a skipped word.
    """
    queue: deque[tuple[int, str, object, str, str]] = deque([(0, "", value, "", "")])
    while queue:
        depth, name, value, server, above = queue.popleft()
        if isinstance(value, Mapping):
            if reports_failure(value) or any(
                (normalized(str(key)) == "ended" and each)
                or (normalized(str(key)) == "isca" and str(each).lower() == "true")
                for key, each in value.items()
            ):
                continue
            server = _text_under(NAMES.ends["servers"], value) or server
            inherited = above if "validity" in words_of(name) else ""
            subject = _text_under(NAMES.ends["subjects"], value) or inherited
            yield _Record(depth, name, value, server, subject)
            queue.extend(
                (depth + 1, str(key), each, server, subject)
                for key, each in value.items()
                if normalized(str(key)) not in NAMES.ignored
                and not skipped & {*words_of(str(key))}
            )
        elif isinstance(value, list):
            queue.extend((depth + 1, "", each, server, "") for each in value)


def _certificate_dates(section: str, record: _Record, _scanned: datetime) -> Iterator[EndDate]:
    """Yield the ends under names that only certificates have: `notAfter`."""
    given = record.given.items()
    yield from _ends(value for key, value in given if normalized(str(key)) in NAMES.ends[section])


def _dates(section: str, record: _Record, _scanned: datetime) -> Iterator[EndDate]:
    is_end_below = is_end_name(section, record.parent)
    plain = NAMES.ends["behind"] | {"date", "value", "text", "raw"}
    for key, value in record.given.items():
        is_part = normalized(f"{record.parent}{key}") in NAMES.ends.get(section, frozenset())
        is_plain = is_end_below and plain.issuperset(words_of(str(key)))
        # `notAfter=Dec 1 ...`
        if isinstance(value, str) and ("\n" in value.strip() or "=" in value):
            yield from _in_raw_text(section, value)
        elif is_end_name(section, str(key)) or is_plain or is_part:
            yield from _ends(value if isinstance(value, list) else [value])
    given = {normalized(str(key)): value for key, value in record.given.items()}
    name = next((given[key] for key in _NAME_KEYS if isinstance(given.get(key), str)), "")
    if is_end_name(section, str(name)):  # RDAP: RFC 9083, section 10.2.3
        yield from _ends(given.get(key) for key in _VALUE_KEYS)


def _days(section: str, record: _Record, scanned: datetime) -> Iterator[EndDate]:
    is_end_below = is_end_name(section, record.parent)
    for key, value in record.given.items():
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            continue
        words = frozenset(words_of(str(key)))
        text = str(value).removeprefix("in ").removesuffix("days").strip().split(".")[0]
        is_days = (
            _counts_days(section, words)
            or (str(value).endswith("days") and is_end_name(section, str(key)))
            or (is_end_below and words <= _DAYS)
            or (section == "whois" and normalized(str(key)) in NAMES.ends["days"])
        )
        if is_days and _DAY_COUNT.fullmatch(text) and not _is_default(int(text), section, record):
            end = scanned.date() + timedelta(days=int(text))
            if end.year in PLAUSIBLE_YEARS:
                yield EndDate(end)


def _counts_days(section: str, words: frozenset[str]) -> bool:
    """Return whether a name is of the days that are left: `days_until_expiry`, `daysLeft`."""
    others = words - _DAYS - _LEFT - NAMES.ends["before"] - NAMES.ends["behind"]
    is_of_other = words & NAMES.ends.get(f"{section}not", frozenset())
    return bool(words & _DAYS and words & _LEFT) and not others and not is_of_other


def _is_default(days: int, section: str, record: _Record) -> bool:
    """Return whether `-1` or 0 stand for nothing: a date or an error beside it says so."""
    if days not in {0, -1}:
        return False
    if has_error_text(record.given):
        texts = (value for value in record.given.values() if isinstance(value, str))
        return not any(map(NAMES.certificate_text.search, texts))
    given = record.given.items()
    return any(value is None and is_end_name(section, str(key)) for key, value in given)


def is_end_name(section: str, name: str) -> bool:
    """Return whether a name says that what stands there is an end: `domain_expires_at`."""
    words = list(words_of(name))
    if not words or NAMES.ends.get(f"{section}not", frozenset()).intersection(words):
        return False
    known = NAMES.ends["both"] | NAMES.ends.get(section, frozenset())
    if normalized(name) in known:
        return True
    while words and words[0] in NAMES.ends["before"]:
        words.pop(0)
    while words and words[-1] in NAMES.ends["behind"]:
        words.pop()
    joined = "".join(words)
    return joined in known or any(
        joined == f"{each}{tail}" for each in known for tail in ("date", "at", "on")
    )


def _in_raw_text(section: str, text: str) -> Iterator[EndDate]:
    lines = filter(None, map(_RAW_LINE.match, text.splitlines()[:MAX_RAW_LINES]))
    ends = (found for found in lines if is_end_name(section, found["name"]))
    yield from _ends(found["value"].strip() for found in ends)


def _plain(value: object) -> object:
    """Return a date without what programs put around it."""
    if isinstance(value, Mapping):  # as databases export it
        inner = next((value[key] for key in _WRAPPED if key in value), None)
        return inner if inner is None else _plain(inner)
    if not isinstance(value, str) or len(value) > MAX_DATE_CHARS:
        return value
    if found := _DOTNET.fullmatch(value):
        return int(found[1])
    text = _REMARK.sub("", value.strip()).replace("GMT+", "+").rstrip(".")
    if found := _WORDED.fullmatch(text):  # `2026-Dec-10`, and `Dec 10 2026 ...` as browsers do
        parts = found.groupdict(default="")
        month = parts["month"] or parts["m"]
        day, year = parts["day"] or parts["d"], parts["year"] or parts["y"]
        return f"{day} {month} {year} {parts['rest']}".strip()
    return re.sub(r"(?<=\d\.) (?=\d)", "", text)


def _ends(values: Iterable[object]) -> Iterator[EndDate]:
    """Yield the ends that values are; what cannot be read, or is not plausible, is left out."""
    for value in map(_plain, values):
        if isinstance(value, str) and value.isdecimal() and len(value) <= len(str(MAX_EPOCH_MS)):
            value = value if len(value) == 8 else int(value)
        read = read_date(value)
        if isinstance(read, datetime) and read.year in PLAUSIBLE_YEARS:
            yield EndDate(read.date(), read if read.tzinfo else None)
        elif read and read.year in PLAUSIBLE_YEARS:
            yield EndDate(read)
