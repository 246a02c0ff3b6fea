"""Find when a registration or a certificate ends in a section of any shape. Pure."""

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import NamedTuple

from bot.tracker.dates import MAX_EPOCH_MS, read_date
from bot.tracker.failures import is_failed_probe
from bot.tracker.findings import EndDate
from bot.tracker.names import Names, bare, words_of

_DAYS = frozenset({"day", "days"})
_LEFT = frozenset(
    {"left", "remaining", "until", "till", "to", "in", "expiry", "expires", "expire", "expiration"}
)
_DAY_COUNT = re.compile(r"-?\d{1,5}")
_RAW_LINE = re.compile(
    r"^[\s%*]*\[?(?P<name>[A-Za-z][A-Za-z .\-/]{2,60}?)\]?\s*[:.\]]+\s*(?P<value>\S.*)$"
)
_NAME_KEYS = ("eventaction", "action", "id", "name", "event")
_VALUE_KEYS = ("eventdate", "date", "finding", "value", "timestamp")
MAX_RAW_LINES = 500


class _Record(NamedTuple):
    depth: int
    parent: str
    given: Mapping[object, object]


def end_in(section: str, value: object, names: Names, scanned: datetime) -> EndDate | None:
    """Return the end that a section gives: a date, else the days left, counted from `scanned`.

    The record nearest to the top counts; of a list of certificates for one subject the newest.
    """
    own = names.ignored | names.ends["issuers"]
    tries = [(read, skipped) for skipped in (own, names.ignored) for read in (_dates, _days)]
    for read, skipped in tries:  # a chain counts where nothing else has an end
        records = _records(value, skipped)
        found_at: int | None = None
        found: list[tuple[_Record, EndDate]] = []
        for record in records:
            if found_at is not None and record.depth > found_at:
                break
            if ends := list(read(section, record, names, scanned)):
                found_at = record.depth
                found.append((record, _together(ends)))
        if found:
            is_list = section == "ssl" and skipped is own
            return _of_one_subject(found, names) if is_list else _first(found)
    return None


def _first(found: list[tuple[_Record, EndDate]]) -> EndDate:
    return min((end for _record, end in found), key=lambda end: end.day)


def _of_one_subject(found: list[tuple[_Record, EndDate]], names: Names) -> EndDate:
    """Return the newest end among the records about the first one's subject."""
    first = _subject(found[0][0], names)
    return max(
        (end for record, end in found if _subject(record, names) == first),
        key=lambda end: end.day,
    )


def _subject(record: _Record, names: Names) -> str:
    for key, value in record.given.items():
        if bare(str(key)) in names.ends["subjects"]:
            with suppress(RecursionError):
                return json.dumps(value, sort_keys=True, default=str)
    return ""


def _together(ends: list[EndDate]) -> EndDate:
    first = min(ends, key=lambda end: (end.day, end.moment is None))
    also = sorted({end.day for end in ends} - {first.day})
    return EndDate(first.day, first.moment, tuple(also))


def _records(value: object, skipped: frozenset[str]) -> Iterator[_Record]:
    """Yield the records in any JSON, the least nested first, without those that have ended."""
    queue: deque[tuple[int, str, object]] = deque([(0, "", value)])
    while queue:
        depth, name, value = queue.popleft()
        if isinstance(value, Mapping):
            if any(bare(str(k)) == "ended" and v for k, v in value.items()):
                continue
            yield _Record(depth, name, value)
            given = ((bare(str(key)), str(key), item) for key, item in value.items())
            queue.extend((depth + 1, key, item) for k, key, item in given if k not in skipped)
        elif isinstance(value, list):
            queue.extend((depth + 1, "", item) for item in value)


def _dates(section: str, record: _Record, names: Names, _scanned: datetime) -> Iterator[EndDate]:
    is_end_below = is_end_name(section, record.parent, names)
    for key, value in record.given.items():
        if is_end_name(section, str(key), names) or (is_end_below and _is_plain_name(key, names)):
            for each in value if isinstance(value, list) else [value]:
                if end := _as_end(each):
                    yield end
        elif section == "whois" and isinstance(value, str) and "\n" in value:
            yield from _in_raw_text(section, value, names)
    given = {bare(str(key)): value for key, value in record.given.items()}
    name = next((given[key] for key in _NAME_KEYS if isinstance(given.get(key), str)), "")
    if is_end_name(section, str(name), names):  # RDAP: RFC 9083, section 10.2.3
        for end in (_as_end(given.get(key)) for key in _VALUE_KEYS):
            if end:
                yield end


def _days(section: str, record: _Record, names: Names, scanned: datetime) -> Iterator[EndDate]:
    is_end_below = is_end_name(section, record.parent, names)
    if is_failed_probe(record.given, names):
        return
    for key, value in record.given.items():
        words = frozenset(words_of(str(key)))
        is_count = words & _DAYS and words & _LEFT and not words & names.ends["never"]
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            continue
        text = str(value).removesuffix("days").strip()
        is_text_of_days = str(value).endswith("days") and is_end_name(section, str(key), names)
        if (is_count or is_text_of_days or (is_end_below and words <= _DAYS)) and (
            _DAY_COUNT.fullmatch(text.removesuffix(".0"))
        ):
            yield EndDate(scanned.date() + timedelta(days=int(float(text))))


def is_end_name(section: str, name: str, names: Names) -> bool:
    """Return whether a name says that what stands there is an end: `domain_expires_at`."""
    words = list(words_of(name))
    if not words or names.ends["never"].intersection(words):
        return False
    known = names.ends["both"] | names.ends.get(section, frozenset())
    if bare(name) in known:
        return True
    while words and words[0] in names.ends["before"]:
        words.pop(0)
    while words and words[-1] in names.ends["behind"]:
        words.pop()
    joined = "".join(words)
    return joined in known or any(
        joined == f"{each}{tail}" for each in known for tail in ("date", "at", "on")
    )


def _is_plain_name(key: object, names: Names) -> bool:
    return all(
        word in names.ends["behind"] or word in {"date", "value", "text", "raw"}
        for word in words_of(str(key))
    )


def _in_raw_text(section: str, text: str, names: Names) -> Iterator[EndDate]:
    for line in text.splitlines()[:MAX_RAW_LINES]:
        found = _RAW_LINE.match(line)
        is_end = found is not None and is_end_name(section, found["name"], names)
        if found and is_end and (end := _as_end(found["value"].strip())):
            yield end


def _as_end(value: object) -> EndDate | None:
    if isinstance(value, str) and value.isdecimal() and len(value) <= len(str(MAX_EPOCH_MS)):
        value = value if len(value) == 8 else int(value)
    read = read_date(value)
    if isinstance(read, datetime):
        return EndDate(read.date(), read if read.tzinfo else None)
    return EndDate(read) if isinstance(read, date) else None
