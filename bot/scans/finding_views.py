"""Draw the findings of a scan as lines: readable labels, readable values. Pure."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import groupby

from bot.blocks.text import day_token, literal, moment_token, outside
from bot.process.redaction import redact
from bot.tracker.changes import Change
from bot.tracker.dates import read_date
from bot.tracker.names import humanized, normalized
from bot.tracker.readings import section_name
from bot.tracker.sections import Finding, Scalar

MAX_LABEL_CHARS = 90
MAX_LINE_VALUE_CHARS = 160
# A record, such as one of DNS, with at most so many findings is shown on one line.
MAX_RECORD_FINDINGS = 8
MAX_RECORD_VALUE_CHARS = 70
MAX_RECORD_CHARS = 1_400
# A number is a moment only if its name says so.
_NAMES_A_MOMENT = re.compile(
    r"([Dd]ate|[Tt]ime|_at|At|[Ee]xpir\w*|[Vv]alid\w*|[Nn]ot[_ ]?([Bb]efore|[Aa]fter)"
    r"|[Cc]reated|[Uu]pdated|[Cc]hanged|[Uu]ntil|[Ss]ince)$"
)
# HTTP headers are named as they are sent.
_HEADERS = {
    normalized(name): name
    for name in (
        *("Content-Security-Policy", "Permissions-Policy", "Referrer-Policy"),
        *("Strict-Transport-Security", "X-Content-Type-Options", "X-Frame-Options"),
        "X-XSS-Protection",
    )
}
_PLURAL = re.compile(r"(?<=[a-z]{2})(?<![aisu])(?<!ie)(?<![sx]e)(?<![cs]he)s$")


def finding_lines(
    findings: Iterable[Finding], *, value_chars: int = MAX_LINE_VALUE_CHARS
) -> Iterator[tuple[str, int]]:
    """Yield lines of safe mrkdwn, each with the number of records that it ends: 1 or 0.

    `*Valid until*  3 Feb 2027`, and for a record of a few findings `*MX 1*  Host …  ·  TTL …`.
    """
    for record, group in groupby(findings, key=_record_of):
        record_findings = list(group)
        line = _record_line(record, record_findings, value_chars) if record else None
        if line:
            yield line, 1
            continue
        for number, finding in enumerate(record_findings, 1):
            ends = record is None or number == len(record_findings)
            yield f"*{label(finding.path)}*  {value_text(finding, value_chars)}", int(ends)


def record_count(findings: Iterable[Finding]) -> int:
    """Return the number of records: items of lists, and values that stand alone."""
    grouped = groupby(findings, key=_record_of)
    return sum(1 if record else len(list(group)) for record, group in grouped)


def change_line(change: Change) -> str:
    """Return a change as mrkdwn: `before → after`, or one of them."""
    shown = change.after or change.before
    path = tuple(part for part in shown.path if not part.isdecimal()) if shown else ()
    where = f"*{' › '.join([section_name(change.section), *([label(path)] if path else [])])}*"
    if change.of:
        where += f"  {literal(', '.join(change.of), 120)}"
    if not (change.before and change.after):
        word = "new:" if change.after else "gone:"
        return f"{where}  {word} {value_text(shown, 160) if shown else ''}"
    line = f"{where}  {value_text(change.before, 80)} → {value_text(change.after, 80)}"
    also = ", ".join(label((name,)) for name in change.also)
    return f"{line} (also {outside(also, 120)})" if change.also else line


def label(path: tuple[str, ...]) -> str:
    """Return `MX 1 › Host` for `("MX", "1", "host")`; a finding without a name is a `Value`."""
    if path and (name := _HEADERS.get(normalized(path[-1]))):
        return name
    words: list[str] = []
    for part in path:
        if part.isdecimal() and words:
            words[-1] = f"{_PLURAL.sub('', words[-1])} {part}"
        else:
            words.append(humanized(redact(part)))  # before a secret changes its form
    # Names are text from outside: markup is removed.
    text = outside(" › ".join(filter(None, words)), 500) or "Value"
    if len(text) > MAX_LABEL_CHARS:
        half = MAX_LABEL_CHARS // 2
        text = f"{text[: half - 1]}…{text[-half:]}"
    return text


def value_text(finding: Finding, limit: int) -> str:
    """Return a value as mrkdwn, clipped to about `limit` characters."""
    name, value = finding.path[-1] if finding.path else "", finding.value
    if isinstance(value, tuple):
        return literal(", ".join(map(_item, value)), limit) if value else "none"
    if value in (None, ""):
        return "missing" if normalized(name) in _HEADERS else "–"
    if isinstance(value, bool):
        return _item(value)
    is_dated = isinstance(value, str) or _NAMES_A_MOMENT.search(name)
    read = read_date(value) if is_dated else None
    if isinstance(read, datetime):  # one without a time zone is no moment
        shown = moment_token(read) if read.tzinfo else ""
    else:
        shown = day_token(read) if read else ""
    return shown or literal(str(value), limit)


def _item(value: Scalar) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else str(value)


def _record_of(finding: Finding) -> tuple[str, ...] | None:
    return finding.path[:-1] if len(finding.path) > 1 and finding.path[-2].isdecimal() else None


def _record_line(
    record: tuple[str, ...], record_findings: list[Finding], value_chars: int
) -> str | None:
    """Return a record as one line, `None` if it has one finding or too many."""
    if not 1 < len(record_findings) <= MAX_RECORD_FINDINGS:
        return None
    limit = max(MAX_RECORD_VALUE_CHARS, value_chars // 2)
    texts = [f"{label(each.path[-1:])} {value_text(each, limit)}" for each in record_findings]
    line = f"*{label(record)}*  " + "  ·  ".join(texts)
    return line if len(line) <= MAX_RECORD_CHARS else None
