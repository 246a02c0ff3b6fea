"""Draw the summary of a bulk scan, and each of its lists. Pure."""

import json
from collections.abc import Sequence
from datetime import datetime

from bot.blocks.builders import (
    actions,
    button,
    header,
    message_of,
    notice,
    paragraphs,
    run_button,
    section,
)
from bot.blocks.message import Block, Message
from bot.blocks.text import SYMBOLS, lines_within, literal, plural, score_number
from bot.domains.end_views import END_COLUMNS, end_sign, ends, sign_words, soon_words
from bot.scans.bulk_record import INTERRUPTED, BulkScan, End, Item
from bot.scans.bulk_views import item_name, selection_text
from bot.scans.fact_views import SIGNS, end_named_by, issues_title
from bot.tracker.health import band_of
from bot.tracker.readings import section_name
from bot.tracker.scan_facts import SEVERITIES, SOON_DAYS, ScanFacts, issues_are_known

SHOW_LIST, SCAN_REST = "bulk.show", "bulk.rest"
SIGNS_CHANGED = "Did your team change this?"
MIN_POINTS = 5  # as in digests
MAX_FORM_BLOCKS = 98  # of 100, without the title
MAX_LINES = 5  # of each list: a summary should fit a phone
MAX_LIST_CHARS = 2_500
_FAILURES = {
    INTERRUPTED: "the app was interrupted, so the result is unknown",
    "rejected": "Domain Tracker declined it",
    "timed_out": "no answer in time; it may still have been scanned",
    "unavailable": "Domain Tracker was unavailable",
}
_UNEXPECTED = "Domain Tracker returned an unexpected response"
_KEY_ENDS = {
    End.KEY: "the API key can't be used for scans. Admins see why with `/domainkey`.",
    End.REMOVED: "the API key was removed. Admins set one with `/domainkey`.",
    End.SCOPE: "the API key has no scope for scans. Admins set another with `/domainkey`.",
}


def summary_message(run: BulkScan, now: datetime) -> Message:
    of_all = "" if len(run.scanned) == run.count else f"{len(run.scanned):,} of "
    stopped = "Stopped: " if run.left else ""
    head = f"{stopped}{of_all}{plural(run.count, 'domain')} scanned"
    head += f", {len(run.failed):,} failed" if run.failed else ""
    about = "  ·  ".join(filter(None, [selection_text(run), _why_ended(run)]))
    return message_of(
        header(head),
        *map(section, filter(None, [about, _nothing_found(run, now)])),
        *(_short_list(run, title, lines) for title, lines in _lists(run, now).items() if lines),
        *actions(_rest_button(run), run_button("All domains", "/domains")),
    )


def list_form(run: BulkScan, title: str, now: datetime) -> Block:
    lines = _lists(run, now).get(title) or ["Nothing."]
    blocks = paragraphs([f"• {line}" for line in lines])
    return notice("Bulk scan", [section(f"*{title}*"), *blocks[:MAX_FORM_BLOCKS]])


def _lists(run: BulkScan, now: datetime) -> dict[str, list[str]]:
    """Return the lines of each list of a summary, by its title."""
    scanned = run.scanned
    return {
        SIGNS_CHANGED: [
            f"{item_name(item)}: {literal(sign_words(change), 200)}"
            for item in scanned
            for change in item.signs
        ],
        "Worst issues first": _issue_lines(scanned, now),
        f"Expires within {SOON_DAYS} days": _end_lines(scanned, now),
        "Health changed": _move_lines(scanned),
        "Could not be checked": [
            f"{item_name(item)}: {', '.join(map(section_name, item.facts.failed))}"
            for item in scanned
            if item.facts and item.facts.failed
        ],
        "Failed": [
            f"{item_name(item)}: {_FAILURES.get(item.trouble or '', _UNEXPECTED)}"
            for item in run.failed
        ],
    }


def _short_list(run: BulkScan, title: str, lines: Sequence[str]) -> Block:
    most = MAX_LINES + (len(lines) == MAX_LINES + 1)  # `and 1 more` would take its line
    shown = lines_within(lines[:most], MAX_LIST_CHARS)
    left = len(lines) - len(shown)
    more = [f"• and {left:,} more"] if left else []
    value = json.dumps([run.run_id, title])
    show_all = button("Show all", SHOW_LIST, value, accessibility_label=f"Show all: {title}")
    text = "\n".join([f"*{title}*", *(f"• {line}" for line in shown), *more])
    return section(text, show_all if left else None)


def _rest_button(run: BulkScan) -> Block | None:
    """Return the button that scans what was not; too many names for its value are asked for."""
    hosts = [item.host for item in (*run.left, *run.failed)]
    label, line = "Scan the rest", f"/scan {' '.join(hosts)}"
    return (run_button(label, line) or button(label, SCAN_REST, run.run_id)) if hosts else None


def _nothing_found(run: BulkScan, now: datetime) -> str:
    """Return what is not there, and for how many domains that is not known."""
    facts = [item.facts for item in run.scanned if item.facts]
    issues = sum(issues_are_known(each.issue_knowledge, each.failed) for each in facts)
    dates = sum(len(ends(each)) == len(END_COLUMNS) for each in facts)
    sentences = []
    if issues == len(facts) and not any(each.issues for each in facts):
        sentences.append("No issues reported.")
    if dates == len(facts) and not any(soon_words(each, now) for each in facts):
        sentences.append(f"Nothing expires within {SOON_DAYS} days.")
    if issues < len(facts) or dates < len(facts):
        count = plural(len(facts), "domain")
        sentences.append(f"Both dates known for {dates:,} of {count}, issues for {issues:,}.")
    return " ".join(sentences) if run.scanned else ""


def _why_ended(run: BulkScan) -> str:
    if run.end in _KEY_ENDS:
        return f"I stopped: {_KEY_ENDS[run.end]}"
    if run.end is End.FAILING:
        return "I stopped because several scans in a row failed."
    is_by_another = run.end is End.STOPPED and run.is_stopped_by_another
    return f"<@{run.stopped_by}> stopped it." if is_by_another else ""


def _issue_lines(items: Sequence[Item], now: datetime) -> list[str]:
    """Return the worst issues of each domain, but for ends, which have their own list.

    The sign is that of the worst that is counted, ends too.
    """
    rated = []
    for item in items:
        facts = item.facts or ScanFacts()
        soon = {name for name, end in ends(facts) if end.days_left(now) <= SOON_DAYS}
        worst = [issue for issue in facts.issues if end_named_by(issue) not in soon]
        if worst:
            counts = tuple(facts.counts.get(severity, 0) for severity in SEVERITIES)
            severity = next(each for each in SEVERITIES if facts.counts.get(each))
            titles = "; ".join(literal(issue.title, 80) for issue in worst)
            line = f"{SIGNS[severity]} {item_name(item)}: {titles} ({issues_title(facts)})"
            rated.append((tuple(-count for count in counts), item.host, line))
    return [line for *_rank, line in sorted(rated)]


def _end_lines(items: Sequence[Item], now: datetime) -> list[str]:
    lines = []
    for item in items:
        if item.facts and (text := soon_words(item.facts, now)):
            end = ends(item.facts)[0][1]
            sign = end_sign(end, now, is_owned=item.is_owned)
            lines.append((end.day, f"{sign} {item_name(item)}: {text}".strip()))
    return [line for _day, line in sorted(lines)]


def _move_lines(items: Sequence[Item]) -> list[str]:
    """Return the changes of the score that digests tell, another rating first, then falls."""
    moves = []
    for item in items:
        before, after = item.score, item.score_after
        if before is None or after is None:
            continue
        change, is_same_band = after - before, band_of(before) is band_of(after)
        if not is_same_band or abs(change) >= MIN_POINTS:
            arrow = "▲" if change > 0 else "▼"
            line = f"{item_name(item)}: {_dotted(before)} → {_dotted(after)} {arrow}"
            moves.append((is_same_band, change, item.host, line))
    return [line for *_rank, line in sorted(moves)]


def _dotted(score: float) -> str:
    return f"{SYMBOLS[band_of(score)]} {score_number(score)}"
