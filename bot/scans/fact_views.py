"""Draw what matters in a scan: the score, issues, when registration and certificate end. Pure."""

from bot.blocks.text import SYMBOLS, outside, plural, score_words
from bot.scans.service import ScanReport
from bot.tracker.findings import Issue, ScanFacts, Severity
from bot.tracker.health import band_of

SIGNS = {
    Severity.CRITICAL: "🔴",
    Severity.HIGH: "🟠",
    Severity.MEDIUM: "🟡",
    Severity.LOW: "🔵",
    Severity.UNKNOWN: "⚪",
    Severity.INFO: "⚪",
}
MAX_ISSUE_CHARS = 160


def health_text(report: ScanReport) -> str:
    """Return `Health 38 → 40 ▲`."""
    before, after = score_words(report.score), score_words(report.score_after)
    if before == after:
        return f"Health {after}" + ("" if report.score is None else ", unchanged")
    arrow = ""
    if report.score is not None and report.score_after is not None:
        arrow = " ▲" if report.score_after > report.score else " ▼"
    return f"Health {before} → {after}{arrow}"


def health_mrkdwn(report: ScanReport) -> str:
    """Return `🔴 *Health 38 → 40 ▲*  ·  poor`, its sign and word those of the newest score."""
    band = band_of(report.score_after)
    word = "" if band.value == "unknown" else f"  ·  {band.value}"
    return f"{SYMBOLS[band]} *{health_text(report)}*{word}"


def issues_title(facts: ScanFacts) -> str:
    """Return `7 issues: 1 critical, 2 high, 4 low`, or `4 low issues`."""
    named = {
        "unrated" if severity is Severity.UNKNOWN else severity.value: count
        for severity in Severity
        if (count := facts.counts.get(severity))
    }
    if len(named) == 1:
        [(name, count)] = named.items()
        return plural(count, f"{name} issue")
    counted = ", ".join(f"{count:,} {name}" for name, count in named.items())
    return f"{plural(sum(named.values()), 'issue')}: {counted}"


def issue_text(issue: Issue, limit: int = MAX_ISSUE_CHARS) -> str:
    """Return `🔴 Critical: Listed on a blacklist – Ask them`, to be shown as plain text."""
    return f"{SIGNS[issue.severity]} {issue_words(issue, limit)}"


def issue_words(issue: Issue, limit: int = MAX_ISSUE_CHARS) -> str:
    """Return the same without its sign."""
    word = outside(issue.word, 40).capitalize()
    if issue.severity is Severity.UNKNOWN:
        word = f"Severity {word}" if word[:1].isdecimal() else word or "Unrated"
    fix = outside(issue.fix, limit)
    title = outside(issue.title, limit) or "no title given"
    return f"{word}: {title}" + (f" – {fix}" if fix else "")
