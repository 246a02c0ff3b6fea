"""Compare a section of a scan with that of the scan before, record by record. Pure.

One changed record is one change. What moves by itself is none: counters, serials, the times of
what has been done.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bot.tracker.dates import read_date
from bot.tracker.ends import is_end_name
from bot.tracker.names import normalized
from bot.tracker.sections import Finding, Scalar, Section

# Names of values that move by themselves. A date is one of them unless it is an end date.
_MOVING = re.compile(
    r"(soa)?(ttl|serial|serialnumber|age)|(days|hours|seconds)(to|until|till|since|left)\w*"
    r"|\w*(remaining|daysleft|latency|timestamp|responsetime|duration|timems|durationms)"
    r"|age(days|inseconds|s)|(last)?(checked|scanned|seen|updated|fetched|queried)(at|on)?"
    r"|(scan|request|trace|check)id"
)
_DATED = re.compile(r"\w*(date|time|at|on|since|before|created|changed|modified|from)")
# Another certificate has another of each: they say no more than its end date.
_FOLLOWS_END = re.compile(r"\w*(fingerprint|thumbprint|sha1|sha256|signature)\w*")
# By these names a record is known again.
_IDENTITY = frozenset({"type", "name", "host", "hostname", "title", "id"})
COUNTED_TIME = re.compile(r"(?<!\d)\d+(?= (?:second|minute|hour|day|week)s?\b)")
_SOA = re.compile(r"^(\S+ \S+) \d+(?= \d+ \d+ \d+ \d+$)")
MIN_TELLING_CHARS = 8
# Texts that are new (`True`) or gone by a change.
Texts = set[tuple[bool, str]]


@dataclass(frozen=True, slots=True)
class Change:
    """A finding before and after; one of them is `None` when it is new, or gone.

    Of a changed record it is the most telling one; `of` names the record, `also` the others.
    """

    section: str
    before: Finding | None
    after: Finding | None
    of: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


def changes_between(before: Iterable[Section], after: Iterable[Section]) -> list[Change]:
    """Return what is new, gone and different in the sections of `after`, in their order.

    A section that was cut, or is missing in one scan, is not compared. The same value new in two
    places, as a name server in WHOIS and DNS, is one change.
    """
    old = {section.name: section for section in before}
    seen: Texts = set()
    changes = []
    for new in after:
        for found in _compared(old.get(new.name, new), new):
            for change, texts in found:
                is_telling = any(len(text) >= MIN_TELLING_CHARS for _, text in texts)
                if not (is_telling and texts <= seen):
                    changes.append(change)
            # Afterwards: two records of one list are two changes, also with the same value.
            seen.update(*(texts for _, texts in found))
    return changes


@dataclass(frozen=True, slots=True)
class _Record:
    """The findings of one record, by their names in it. `path` has no numbers."""

    path: tuple[str, ...]
    is_listed: bool
    values: dict[tuple[str, ...], Finding] = field(default_factory=dict)

    def content(self) -> frozenset[tuple[tuple[str, ...], object]]:
        return frozenset((name, _value(part)) for name, part in self.values.items())

    def identity(self) -> tuple[str, ...]:
        named = (part for name, part in self.values.items() if _is_identity(name))
        return tuple(COUNTED_TIME.sub("", str(part.value)) for part in named)

    def whole(self) -> Finding:
        """Return the record as one finding: its only one, its title, or the list of its values."""
        if len(self.values) == 1:
            return next(iter(self.values.values()))
        if titled := self.values.get(("title",)):
            return Finding(self.path, titled.value)
        values = (value for part in self.values.values() for value in _values(part))
        return Finding(self.path, tuple(values))

    def texts(self) -> set[str]:
        """Return what tells most: of several parts the longest text but those of the identity."""
        texts = _texts_of(each for name, each in self.values.items() if not _is_identity(name))
        return texts if len(self.values) == 1 else set(sorted(sorted(texts), key=len)[-1:])


Changed = tuple[Change, Texts]


def _changed(change: Change, *, new: set[str], gone: set[str]) -> Changed:
    return change, {(True, text) for text in new - gone} | {(False, text) for text in gone - new}


def _compared(before: Section, after: Section) -> list[list[Changed]]:
    """Return the changes of a section, those of each path together."""
    if not (before.is_given and after.is_given) or before.left_out or after.left_out:
        return []
    old, new = _by_path(before), _by_path(after)
    found = [
        list(_at_path(after.name, old.get(path, []), new.get(path, []))) for path in {**new, **old}
    ]
    if not any(_is_end_date(change) for group in found for change, _ in group):
        return found
    return [[each for each in group if not _follows_end(each[0])] for group in found]


def _by_path(section: Section) -> dict[tuple[str, ...], list[_Record]]:
    records: dict[tuple[str, ...], _Record] = {}
    for finding in section.findings:
        # A null says as much as a value that is missing, and an empty list as a missing one.
        if finding.value not in (None, ()) and not _moves_by_itself(section.name, finding):
            path = _record_path(finding.path)
            names = tuple(part for part in path if not part.isdecimal())
            record = records.setdefault(path, _Record(names, len(names) < len(path)))
            record.values[finding.path[len(path) :]] = finding
    grouped: dict[tuple[str, ...], list[_Record]] = {}
    for record in records.values():
        grouped.setdefault(record.path, []).append(record)
    return grouped


def _record_path(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the path up to the item of a list, or else to the object that holds the value."""
    numbered = [place for place, part in enumerate(path, 1) if part.isdecimal()]
    if numbered:
        return path[: numbered[-1]]
    return path[:-1] if len(path) > 1 else path


def _moves_by_itself(section: str, finding: Finding) -> bool:
    names = [normalized(part) for part in finding.path if not part.isdecimal()]
    if not names or _is_end_name(section, finding):
        return False
    is_dated = _DATED.fullmatch(names[-1]) and not isinstance(finding.value, tuple)
    return bool(_MOVING.fullmatch(names[-1]) or (is_dated and read_date(finding.value)))


def _at_path(section: str, was: list[_Record], now: list[_Record]) -> Iterator[Changed]:
    """Yield the changes among records of one path: name servers answer in any order."""
    if any(record.is_listed for record in was) != any(record.is_listed for record in now):
        was, now = _items(was), _items(now)
    before, after = ({record.content() for record in records} for records in (was, now))
    gone = [record for record in was if record.content() not in after]
    come = [record for record in now if record.content() not in before]
    waiting: dict[tuple[str, ...], list[_Record]] = {}
    for old in reversed(gone):
        waiting.setdefault(old.identity(), []).append(old)
    for new in come:
        # Without an identity it is known again only if nothing else can be meant.
        is_single = len(gone) == len(come) == 1
        identity = new.identity() if new.is_listed or not is_single else gone[0].identity()
        if (identity or is_single) and waiting.get(identity):
            yield _pair(section, waiting[identity].pop(), new)
        else:
            yield _changed(Change(section, None, new.whole()), new=new.texts(), gone=set())
    for old in (old for olds in waiting.values() for old in reversed(olds)):
        yield _changed(Change(section, old.whole(), None), new=set(), gone=old.texts())


def _items(records: list[_Record]) -> list[_Record]:
    """Return the values of short lists, which are one finding each, as records of their own."""
    found = []
    for record in records:
        values = _values(record.values[()]) if () in record.values else ()
        for value in values:
            part = Finding(record.path, value)
            found.append(_Record(record.path, is_listed=True, values={(): part}))
        found += [] if values else [record]
    return found


def _pair(section: str, old: _Record, new: _Record) -> Changed:
    pairs = {
        name: (old.values.get(name), new.values.get(name)) for name in {**new.values, **old.values}
    }
    names = [name for name, (was, now) in pairs.items() if _value(was) != _value(now)]
    main = max(names, key=lambda name: _weight(section, *pairs[name]))
    before, after = pairs[main]
    change = Change(
        section,
        before,
        after,
        of=new.identity() if new.is_listed else (),
        also=tuple(" ".join(name) for name in names if name != main),
    )
    return _changed(change, new=_texts_of([after]), gone=_texts_of([before]))


def _weight(section: str, *parts: Finding | None) -> tuple[bool, int]:
    """Return a key by which parts sort: an end date tells most, then the longest text."""
    given = [part for part in parts if part]
    texts = [str(part.value) for part in given if isinstance(part.value, str | tuple)]
    return any(_is_end_name(section, part) for part in given), max(map(len, texts), default=0)


def _is_end_name(section: str, part: Finding) -> bool:
    return bool(part.path) and is_end_name(section, part.path[-1])


def _values(part: Finding) -> tuple[Scalar, ...]:
    return part.value if isinstance(part.value, tuple) else (part.value,)


def _texts_of(parts: Iterable[Finding | None]) -> set[str]:
    values = (value for part in parts if part for value in _values(part))
    return {value for value in values if isinstance(value, str)}


def _is_identity(name: tuple[str, ...]) -> bool:
    return bool(name) and normalized(name[-1]) in _IDENTITY


def _is_end_date(change: Change) -> bool:
    shown = change.after or change.before
    return shown is not None and _is_end_name(change.section, shown)


def _follows_end(change: Change) -> bool:
    shown = change.after or change.before
    return bool(shown and shown.path and _FOLLOWS_END.fullmatch(normalized(shown.path[-1])))


def _value(finding: Finding | None) -> object:
    """Return what is compared: lists in any order, texts without what counts by itself."""
    if finding is None:
        return None
    if isinstance(finding.value, tuple):
        return tuple(sorted(map(str, finding.value)))
    if isinstance(finding.value, str):
        return _SOA.sub(r"\1 ", COUNTED_TIME.sub("", finding.value))
    return finding.value
