"""Flatten the sections of a scan, any JSON, into findings. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Scalar = str | int | float | bool | None
# Further findings are counted, not kept.
MAX_FINDINGS = 10_000
MAX_VALUE_CHARS = 2_000
MAX_PATH_PARTS = 12
MAX_PART_CHARS = 200
MAX_LIST_IN_ONE = 12
# Four sections are kept for each domain's last scan.
MAX_SECTION_CHARS = 100_000


@dataclass(frozen=True, slots=True)
class Finding:
    """A value, or a list of plain ones in its order, and its path without the section's name."""

    path: tuple[str, ...]
    value: Scalar | tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a scan; `left_out` findings are past the limit. `is_given`: it was sent."""

    name: str
    findings: tuple[Finding, ...]
    left_out: int = 0
    is_given: bool = True


def section_of(name: str, given: Mapping[str, object]) -> Section:
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


def _flatten(value: object) -> Iterator[Finding]:
    """Yield the findings, without recursion: a scan may be nested deeper than Python's stack."""
    stack: list[tuple[tuple[str, ...], object]] = [((), value)]
    while stack:
        path, value = stack.pop()
        children: list[tuple[object, object]] = []
        if isinstance(value, Mapping):
            children = list(value.items())
        elif isinstance(value, list):
            is_plain = not any(isinstance(item, list | Mapping) for item in value)
            is_one_finding = is_plain and len(value) <= MAX_LIST_IN_ONE
            children = [] if is_one_finding else list(enumerate(value, 1))
        if children:
            for key, item in reversed(children):
                below = (*path, str(key)[:MAX_PART_CHARS])
                if len(below) > MAX_PATH_PARTS:  # its beginning, a gap, its end
                    below = (*below[: MAX_PATH_PARTS // 2], "…", *below[1 - MAX_PATH_PARTS // 2 :])
                stack.append((below, item))
        elif isinstance(value, list):
            yield Finding(path, tuple(_clipped(item) for item in value))
        else:
            yield Finding(path, None if isinstance(value, Mapping) else _clipped(value))


def _clipped(value: object) -> Scalar:
    if isinstance(value, bool | int | float) or value is None:
        return value
    text = str(value)
    return text if len(text) <= MAX_VALUE_CHARS else f"{text[: MAX_VALUE_CHARS - 1]}…"
