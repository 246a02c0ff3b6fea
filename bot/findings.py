"""A scan's sections, whatever their shape, as a flat row of findings. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Scalar = str | int | float | bool | None

# More than anybody reads; the rest is counted, not kept.
MAX_FINDINGS = 10_000
MAX_VALUE_CHARS = 2_000
MAX_PATH_PARTS = 12
MAX_PART_CHARS = 200
MAX_LIST_IN_ONE = 12
# Four sections of it are kept for each domain's last scan.
MAX_SECTION_CHARS = 100_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One value and the way to it: `("dns", "MX", "1", "host")` without the section's name.

    A list of plain values is one finding, in its order.
    """

    path: tuple[str, ...]
    value: Scalar | tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a scan. `left_out` findings are past the limit.

    `is_given` is False when the service did not send it at all.
    """

    name: str
    findings: tuple[Finding, ...]
    left_out: int = 0
    is_given: bool = True


@dataclass(frozen=True, slots=True)
class Change:
    """What one finding was and is; `None` in one of them: it is new, or gone."""

    section: str
    before: Finding | None
    after: Finding | None


def section_of(name: str, given: Mapping[str, object]) -> Section:
    """Return the section called `name` of a scan's sections."""
    if name not in given:
        return Section(name, (), is_given=False)
    kept: list[Finding] = []
    left_out = chars = 0
    for finding in _flatten(given[name]):
        chars += len(str(finding.value)) + sum(map(len, finding.path))
        if len(kept) < MAX_FINDINGS and chars <= MAX_SECTION_CHARS:
            kept.append(finding)
        else:
            left_out += 1
    return Section(name, tuple(kept), left_out=left_out)


def changes_between(before: Section, after: Section) -> list[Change]:
    """Return what is new, gone or different in `after`, in its order, gone ones last.

    The order of records says nothing (name servers answer in any): values are compared as
    a whole under their way without its numbers. A section that was cut, or that one of the
    two scans lacks, is not compared: a finding that was merely not sent has not gone.
    """
    if not (before.is_given and after.is_given) or before.left_out or after.left_out:
        return []
    old, new = _by_label(before), _by_label(after)
    changes = []
    for label in {**new, **old}:
        was, now = old.get(label, []), new.get(label, [])
        before_values, after_values = set(map(_value, was)), set(map(_value, now))
        gone = [finding for finding in was if _value(finding) not in after_values]
        come = [finding for finding in now if _value(finding) not in before_values]
        if len(gone) == len(come) == 1:
            changes.append(Change(after.name, gone[0], come[0]))
        else:
            changes += [Change(after.name, None, finding) for finding in come]
            changes += [Change(after.name, finding, None) for finding in gone]
    return changes


def _by_label(section: Section) -> dict[tuple[str, ...], list[Finding]]:
    grouped: dict[tuple[str, ...], list[Finding]] = {}
    for finding in section.findings:
        label = tuple(part for part in finding.path if not part.isdecimal())
        grouped.setdefault(label, []).append(finding)
    return grouped


def _value(finding: Finding) -> Scalar | tuple[str, ...]:
    if isinstance(finding.value, tuple):
        return tuple(sorted(map(str, finding.value)))
    return finding.value


def _flatten(value: object) -> Iterator[Finding]:
    """Walk without recursion: a scan may be nested deeper than Python's stack."""
    stack: list[tuple[tuple[str, ...], object]] = [((), value)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, Mapping) and value:
            children = [((*path, str(key)[:MAX_PART_CHARS]), item) for key, item in value.items()]
            stack.extend((_bounded(way), item) for way, item in reversed(children))
        elif isinstance(value, list) and not _is_one_finding(value):
            numbered = [((*path, str(number)), item) for number, item in enumerate(value, 1)]
            stack.extend((_bounded(way), item) for way, item in reversed(numbered))
        elif isinstance(value, list):
            yield Finding(path, tuple(_clipped(item) for item in value))
        else:
            yield Finding(path, None if isinstance(value, Mapping) else _clipped(value))


def _is_one_finding(values: list[object]) -> bool:
    is_plain = not any(isinstance(item, list | Mapping) for item in values)
    return is_plain and len(values) <= MAX_LIST_IN_ONE


def _bounded(path: tuple[str, ...]) -> tuple[str, ...]:
    """Keep the way readable at any depth: its beginning, a gap, its end."""
    if len(path) <= MAX_PATH_PARTS:
        return path
    return (*path[: MAX_PATH_PARTS // 2], "…", *path[-(MAX_PATH_PARTS // 2 - 1) :])


def _clipped(value: object) -> Scalar:
    if isinstance(value, bool | int | float) or value is None:
        return value
    text = str(value)
    return text if len(text) <= MAX_VALUE_CHARS else f"{text[: MAX_VALUE_CHARS - 1]}…"
