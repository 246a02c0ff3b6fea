"""Draw what matters in a scan: the score, issues, when registration and certificate end. Pure."""

import re

from bot.blocks.text import SYMBOLS, outside, plural, score_number
from bot.domains.end_views import CERTIFICATE, REGISTRATION
from bot.scans.service import ScanReport
from bot.tracker.health import Band, band_of
from bot.tracker.scan_facts import Issue, ScanFacts, Severity

SIGNS = {
    Severity.CRITICAL: "🔴",
    Severity.HIGH: "🟠",
    Severity.MEDIUM: "🟡",
    Severity.LOW: "🔵",
    Severity.UNKNOWN: "⚪",
    Severity.INFO: "⚪",
}
MAX_ISSUE_CHARS = 160


def health_text(before: float | None, after: float | None) -> str:
    """Return `Health 38 → 40 ▲`; `None` is not known."""
    if after is None:
        return "No score yet" if before is None else f"Health {score_number(before)} → –"
    if before is None:
        return f"Health {score_number(after)}"
    if score_number(before) == score_number(after):
        return f"Health {score_number(after)}, unchanged"
    return (
        f"Health {score_number(before)} → {score_number(after)} {'▲' if after > before else '▼'}"
    )


def health_mrkdwn(report: ScanReport, shown: float | None = None) -> str:
    """Return `🔴 *Health 38 → 40 ▲*  ·  poor`, its sign and word those of the newest score.

    `shown` is the score that the reader was shown last; else that of the scan before counts, or
    of the list. Where the list has moved in between it says so.
    """
    before = next(
        (each for each in (shown, report.last_score, report.score) if each is not None), None
    )
    band = band_of(report.score_after)
    words = [] if band is Band.UNKNOWN else [band.value]
    known = {score_number(each) for each in (before, report.score_after) if each is not None}
    if report.score is not None and (was := score_number(report.score)) not in known:
        words.append(f"the list said {was} just before this scan")
    return "  ·  ".join([f"{SYMBOLS[band]} *{health_text(before, report.score_after)}*", *words])


def issues_title(facts: ScanFacts) -> str:
    """Return `7 issues: 1 critical, 2 high, 4 low`, or `4 low issues`."""
    named = {
        "without a severity" if severity is Severity.UNKNOWN else severity.value: count
        for severity in Severity
        if (count := facts.counts.get(severity))
    }
    if len(named) == 1:
        [(name, count)] = named.items()
        if facts.counts.get(Severity.UNKNOWN):
            return f"{plural(count, 'issue')} {name}"
        return plural(count, f"{name} issue")
    counted = ", ".join(f"{count:,} {name}" for name, count in named.items())
    return f"{plural(sum(named.values()), 'issue')}: {counted}"


_END = re.compile(r"expir|\bends?\b|\bended\b|valid (until|to|for \d)|days (left|remaining)", re.I)
_END_OF = {
    CERTIFICATE: re.compile(r"certificate|\bssl\b|\btls\b", re.I),
    REGISTRATION: re.compile(r"registration|\bdomain\b|whois", re.I),
}


def end_named_by(issue: Issue) -> str | None:
    """Return which end an issue is about, the name of its column; `None` for any other issue."""
    if not _END.search(issue.title):
        return None
    return next((name for name, about in _END_OF.items() if about.search(issue.title)), None)


def issue_text(issue: Issue, limit: int = MAX_ISSUE_CHARS) -> str:
    """Return `🔴 Critical: Listed on a blacklist – Ask them`, to be shown as plain text.

    One that the service calls `Moderate` is a medium one, as in counts, filters and digests.
    """
    word = issue.severity.capitalize()
    if issue.severity is Severity.UNKNOWN:
        word = outside(issue.word, 40).capitalize()
        word = f"Severity {word}" if word[:1].isdecimal() else word or "No severity"
    fix = outside(issue.fix, limit)
    title = outside(issue.title, limit) or "no title given"
    return f"{SIGNS[issue.severity]} {word}: {title}" + (f" – {fix}" if fix else "")
