"""Write the outputs of the steps of workflows, and why one failed. Pure.

A workflow puts them into messages. No page of Slack says whether mrkdwn acts there, so they hold
neither markup nor what could be some.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from bot.command_text import unescaped
from bot.health import band_of
from bot.portfolio.end_dates import EndDates
from bot.portfolio.lookup import host_of
from bot.scans import ScanReport
from bot.tracker.findings import ScanFacts
from bot.tracker.models import Domain
from bot.views.scan import scan_message
from bot.views.scan_facts import end_text, ends, issue_words, issues_title, scanned_text
from bot.views.text import clip, escaped, host_text, score_number, without_markup

Outputs = dict[str, Any]
"""By the names in `manifest.workflow.yml`; what is unknown and no text is left out."""

MAX_CHARS = 3_000
NO_ISSUES, NEVER_SCANNED = "No known issues", "Unknown: never scanned"
_INERT = str.maketrans("<>", "‹›")


def scan_outputs(report: ScanReport) -> Outputs:
    """Return the outputs of a scan."""
    text = scan_message(report).text
    return _outputs(report.score_after, report.facts, report.scanned_at, text)


def health_outputs(
    domain: Domain, last: ScanReport | None, row: EndDates | None, now: datetime
) -> Outputs:
    """Return the listed score, and the rest as of the last scan.

    `last` is `None` if its report is not kept, `row` if the domain was never scanned.
    """
    facts = last.facts if last else None
    if facts is None and row:
        facts = ScanFacts(
            counts=dict(row.issues), registration=row.registration, certificate=row.certificate
        )
    text = ". ".join(_health_parts(domain, facts, row, now))
    return _outputs(domain.health_score, facts, now, f"{text}.")


def _outputs(score: float | None, facts: ScanFacts | None, now: datetime, text: str) -> Outputs:
    outputs: Outputs = {
        "band": band_of(score).value,
        "worst_issue": inert_text(_worst_issue(facts)),
        "text": inert_text(text),
    }
    if score is not None:
        outputs["score"] = float(score_number(score))
    if facts and (given := ends(facts)):
        outputs["days_until_expiry"] = given[0][1].days_left(now)
    return outputs


def _worst_issue(facts: ScanFacts | None) -> str:
    if facts is None:
        return NEVER_SCANNED
    if facts.issues:
        return escaped(issue_words(facts.issues[0]), MAX_CHARS)
    return next((severity.value.capitalize() for severity in facts.counts), NO_ISSUES)


def _health_parts(
    domain: Domain, facts: ScanFacts | None, row: EndDates | None, now: datetime
) -> Iterator[str]:
    score = domain.health_score
    rated = "unknown" if score is None else f"{score_number(score)} ({band_of(score).value})"
    yield f"{escaped(host_text(host_of(domain)), 300)}: health {rated}"
    if facts is None:
        yield "It was never scanned: its issues and end dates are unknown"
        return
    yield issues_title(facts) if facts.counts else NO_ISSUES
    if facts.issues:
        yield _worst_issue(facts)
    for name, end in ends(facts):
        yield end_text(name, end, now)
    if row:
        yield scanned_text([row], now).capitalize()


def inert_text(mrkdwn: str) -> str:
    """Return mrkdwn as text without markup, or what could be some."""
    return clip(unescaped(without_markup(mrkdwn)).translate(_INERT), MAX_CHARS)
