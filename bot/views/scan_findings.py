"""Draw the findings of a scan as lines: readable labels, readable values. Pure."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from itertools import groupby

from bot.redaction import redact
from bot.scans import Change, Finding, Scalar
from bot.views.text import code, day_text, moment_token, outside

MAX_LABEL_CHARS = 90
MAX_LINE_VALUE_CHARS = 160
# A record, such as one of DNS, with at most so many parts is shown on one line.
MAX_RECORD_PARTS = 8
MAX_RECORD_VALUE_CHARS = 70
MAX_RECORD_CHARS = 1_400
# Seconds, or milliseconds, between the years 2000 and 2100.
_EPOCH_S = range(946_684_800, 4_102_444_800)
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_ISO_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)")
# How registries and OpenSSL write dates. `%b` is English here: the bot never sets a locale.
_DAY_FORMATS = ("%d-%b-%Y",)
_MOMENT_FORMATS = ("%Y-%m-%d %H:%M:%S UTC", "%b %d %H:%M:%S %Y GMT", "%a, %d %b %Y %H:%M:%S GMT")
# A number is a moment only if its name says so.
_NAMES_A_MOMENT = re.compile(
    r"([Dd]ate|[Tt]ime|_at|At|[Ee]xpir\w*|[Vv]alid\w*|[Nn]ot[_ ]?([Bb]efore|[Aa]fter)"
    r"|[Cc]reated|[Uu]pdated|[Cc]hanged|[Uu]ntil|[Ss]ince)$"
)
_ABBREVIATIONS = re.compile(
    r"a|aaaa|asn|ca|caa|cn|cname|csp|dkim|dmarc|dns|dnssec|hsts|https?|iana|icann|id|ip|ipv[46]"
    r"|mx|ns|ocsp|ptr|rdap|sans?|sha1|sha256|soa|spf|srv|ssl|sts|tls|ttl|txt|uri|url|www|xss"
)


def finding_lines(
    findings: Iterable[Finding], *, value_chars: int = MAX_LINE_VALUE_CHARS
) -> Iterator[tuple[str, int]]:
    """Yield lines of safe mrkdwn, each with its number of findings.

    `*Valid until*  3 Feb 2027`, and for a record of a few parts `*MX 1*  Host …  ·  TTL …`.
    """
    for record, group in groupby(findings, key=_record_of):
        parts = list(group)
        line = _record_line(record, parts, value_chars) if record else None
        if line:
            yield line, len(parts)
        else:
            for finding in parts:
                yield f"*{label(finding.path)}*  {value_text(finding, value_chars)}", 1


def change_line(change: Change) -> str:
    """Return a change as mrkdwn: `before → after`, or one of them."""
    shown = change.after or change.before
    where = f"*{section_title(change.section)} › {label(shown.path) if shown else ''}*"
    if change.before and change.after:
        return f"{where}  {value_text(change.before, 80)} → {value_text(change.after, 80)}"
    word = "new:" if change.after else "gone:"
    return f"{where}  {word} {value_text(shown, 160) if shown else ''}"


def section_title(name: str) -> str:
    """Return the title of a section."""
    return {"whois": "WHOIS", "dns": "DNS", "ssl": "SSL"}.get(name, name.capitalize())


def label(path: tuple[str, ...]) -> str:
    """Return `MX 1 › Host` for `("MX", "1", "host")`; a finding without a name is a `Value`."""
    words: list[str] = []
    for part in path:
        if part.isdecimal() and words:
            words[-1] += f" {part}"
        else:
            words.append(_humanised(redact(part)))  # before a secret changes its form
    # Names are text from outside: markup is removed.
    text = outside(" › ".join(filter(None, words)), 500) or "Value"
    if len(text) > MAX_LABEL_CHARS:
        half = MAX_LABEL_CHARS // 2
        text = f"{text[: half - 1]}…{text[-half:]}"
    return text


def value_text(finding: Finding, limit: int) -> str:
    """Return a value as mrkdwn, clipped to about `limit` characters."""
    if isinstance(finding.value, tuple):
        return code(", ".join(map(_item, finding.value)), limit) if finding.value else "none"
    return _one(finding.value, finding.path, limit)


def _item(value: Scalar) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else str(value)


def _record_of(finding: Finding) -> tuple[str, ...] | None:
    """Return the numbered record of a finding, or `None`."""
    return finding.path[:-1] if len(finding.path) > 1 and finding.path[-2].isdecimal() else None


def _record_line(record: tuple[str, ...], parts: list[Finding], value_chars: int) -> str | None:
    """Return a record as one line, `None` if it has one part or too many."""
    if not 1 < len(parts) <= MAX_RECORD_PARTS:
        return None
    limit = max(MAX_RECORD_VALUE_CHARS, value_chars // 2)
    texts = [f"{label(part.path[-1:])} {value_text(part, limit)}" for part in parts]
    line = f"*{label(record)}*  " + "  ·  ".join(texts)
    return line if len(line) <= MAX_RECORD_CHARS else None


def _one(value: Scalar, path: tuple[str, ...], limit: int) -> str:
    if value == "" or value is None or isinstance(value, bool):
        return _item(value) or "–"
    if isinstance(value, str) and (shown := _moment_or_day(value)):
        return shown
    if isinstance(value, int | float) and path and _NAMES_A_MOMENT.search(path[-1]):
        seconds = value // 1000 if value > _EPOCH_S.stop else value  # `/` fails on huge ones
        if _EPOCH_S.start <= seconds < _EPOCH_S.stop:
            return moment_token(datetime.fromtimestamp(seconds, UTC))
    return code(str(value), limit)


def _moment_or_day(text: str) -> str | None:
    """Return a date or moment as mrkdwn; `None` for other text and for unknown time zones."""
    try:
        if _ISO_DAY.fullmatch(text):
            return day_text(date.fromisoformat(text))
        if _ISO_MOMENT.fullmatch(text):
            return moment_token(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None
    if day := _parsed(text, _DAY_FORMATS):
        return day_text(day.date())
    moment = _parsed(text, _MOMENT_FORMATS)
    return moment_token(moment) if moment else None


def _parsed(text: str, formats: Iterable[str]) -> datetime | None:
    if not 10 <= len(text) <= 32:
        return None
    for each in formats:
        try:
            return datetime.strptime(text, each).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def _humanised(part: str) -> str:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\-.\s]+", " ", part)
    words = re.sub(r"[*~`|<>&]", "", spaced).split()
    shown = [word if word.isupper() else word.lower() for word in words]
    shown = [word.upper() if _ABBREVIATIONS.fullmatch(word) else word for word in shown]
    text = " ".join(shown)
    return text[:1].upper() + text[1:]
