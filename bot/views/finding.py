"""One finding of a scan as a line: a readable label, a readable value. Pure."""

import re
from datetime import UTC, date, datetime

from bot.findings import Change, Finding, Scalar
from bot.views.text import code, day_text, moment_token, outside

MAX_LABEL_CHARS = 90
MAX_LINE_VALUE_CHARS = 160
# Seconds, or milliseconds, between the years 2000 and 2100.
_EPOCH_S = range(946_684_800, 4_102_444_800)
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_ISO_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)")
# A number is only taken for a moment where its own name says so.
_NAMES_A_MOMENT = re.compile(
    r"(date|time|_at|At|[Ee]xpir\w*|[Vv]alid\w*|[Nn]ot[_ ]?([Bb]efore|[Aa]fter)"
    r"|[Cc]reated|[Uu]pdated|[Cc]hanged|[Uu]ntil|[Ss]ince)$"
)


def finding_line(finding: Finding, limit: int = MAX_LINE_VALUE_CHARS) -> str:
    """Return `*Valid until*  3 Feb 2027` as mrkdwn in which nothing from outside acts."""
    return f"*{label(finding.path)}*  {value_text(finding, limit)}"


def change_line(change: Change) -> str:
    """Return what has changed as mrkdwn: `was → is`, or which of the two there is."""
    shown = change.after or change.before
    where = f"*{section_title(change.section)} › {label(shown.path) if shown else ''}*"
    if change.before and change.after:
        return f"{where}  {value_text(change.before, 80)} → {value_text(change.after, 80)}"
    word = "new:" if change.after else "gone:"
    return f"{where}  {word} {value_text(shown, 160) if shown else ''}"


def section_title(name: str) -> str:
    """Return a section's name as people write it."""
    return {"whois": "WHOIS", "dns": "DNS", "ssl": "SSL"}.get(name, name.capitalize())


def label(path: tuple[str, ...]) -> str:
    """Return `MX 1 › Host` for `("MX", "1", "host")`; a finding without a name is a `Value`."""
    words: list[str] = []
    for part in path:
        if part.isdecimal() and words:
            words[-1] += f" {part}"
        else:
            words.append(_humanised(part))
    # Names are text from outside too: what could format or link is taken out.
    text = outside(" › ".join(filter(None, words)) or "Value", 500)
    if len(text) > MAX_LABEL_CHARS:
        half = MAX_LABEL_CHARS // 2
        text = f"{text[: half - 1]}…{text[-half:]}"
    return text


def value_text(finding: Finding, limit: int) -> str:
    """Return the value as mrkdwn, at most about `limit` characters of it."""
    if isinstance(finding.value, tuple):
        return _several(finding, limit)
    return _one(finding.value, finding.path, limit)


def _several(finding: Finding, limit: int) -> str:
    assert isinstance(finding.value, tuple)  # noqa: S101  # told by the caller, for the type checker
    if not finding.value:
        return "none"
    return code(", ".join("–" if item is None else str(item) for item in finding.value), limit)


def _one(value: Scalar, path: tuple[str, ...], limit: int) -> str:
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) and (shown := _moment_or_day(value)):
        return shown
    if isinstance(value, int | float) and path and _NAMES_A_MOMENT.search(path[-1]):
        seconds = value / 1000 if value > _EPOCH_S.stop else value
        if _EPOCH_S.start <= seconds < _EPOCH_S.stop:
            return moment_token(datetime.fromtimestamp(seconds, UTC))
    return code(f"{value:,}" if isinstance(value, int) and value >= 10_000 else str(value), limit)


def _moment_or_day(text: str) -> str | None:
    """Return a date as people read it; `None` for what is none, or has no zone to be sure of."""
    try:
        if _ISO_DAY.fullmatch(text):
            return day_text(date.fromisoformat(text))
        if _ISO_MOMENT.fullmatch(text):
            return moment_token(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None
    return None


def _humanised(part: str) -> str:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\-.\s]+", " ", part).strip()
    words = re.sub(r"[*~`|<>&]", "", words)
    if re.search(r"[A-Z]{2}", words) or words.isupper():
        return words  # an abbreviation: MX, TTL, DNSKEY
    return words[:1].upper() + words[1:].lower()
