"""Draw a scan: head, issues, what ends soon, changes, folded sections. Pure."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from bot.blocks.builders import (
    actions,
    button,
    container,
    context,
    field,
    form,
    header,
    input_element,
    message_of,
    notice,
    paragraphs,
    run_button,
    section,
    text_section,
)
from bot.blocks.links import domain_url, linked_name
from bot.blocks.message import SHARE, Block, Message
from bot.blocks.text import bold, host_text, lines_within, literal, moment_token, outside, plural
from bot.domains.end_views import END_COLUMNS, end_date_text, end_sign, end_text, ends, sign_words
from bot.scans.fact_views import end_named_by, health_mrkdwn, issue_text, issues_title
from bot.scans.finding_views import change_line, finding_lines, record_count
from bot.scans.service import ScanReport
from bot.tracker.changes import Change
from bot.tracker.facts import NOT_INCLUDED
from bot.tracker.readings import section_name
from bot.tracker.scan_facts import Knowledge
from bot.tracker.sections import Section

# The form of a section shows the issues too, under this name.
ISSUES = "issues"
SHOW_SECTION = "scan.section.show"
TURN_SECTION = "scan.section.turn"
PICK_FORM = "scan.pick"
PICK_BLOCK = "domain"
PICK_DOMAIN = "scan.domain"
MAX_PICKED = 20
# A form may have 250 kB of JSON, in which an emoji takes twelve bytes.
MAX_FORM_LINES = 40
MAX_FORM_CHARS = 18_000
# Escaping may turn one character into five, and a section holds 3,000.
MAX_FORM_VALUE_CHARS = 550
SHARE_SCAN = f"{SHARE}.scan"
MAX_LINES = 10
MAX_LINES_CHARS = 1_600
MAX_CHANGES = 8
MAX_ISSUES = 10
MAX_REASON_CHARS = 80


def section_form(report: ScanReport, name: str, page: int, metadata: str = "") -> Block:
    """Return a page, from 1, of the form with all of one section, or with all issues."""
    draw: Callable[[str], Block] = section
    if name == ISSUES:
        issues, draw = report.facts.issues, text_section
        counted = plural(len(issues), "issue")
        left_out = sum(report.facts.counts.values()) - len(issues)
        pages = _pages(issue_text(issue, MAX_FORM_VALUE_CHARS) for issue in issues)
    else:
        shown = report.section(name)
        counted, left_out = plural(record_count(shown.findings), "record"), shown.left_out
        lines = finding_lines(shown.findings, value_chars=MAX_FORM_VALUE_CHARS)
        pages = _pages(line for line, _count in lines)
    more = f" {left_out:,} more are not kept." if left_out > 0 else ""
    page = max(1, min(page, len(pages)))

    def to_page(label: str, number: int) -> Block | None:
        action_id = f"{TURN_SECTION}.{label.split()[0].lower()}"
        value = json.dumps([report.host, name, number])
        return button(label, action_id, value) if 1 <= number <= len(pages) else None

    blocks = [
        section(f"{bold(host_text(report.host), 300)}  ·  {_scanned(report)}"),
        *(paragraphs(pages[page - 1], draw) or [section("_Nothing in this section._")]),
        context(f"{counted}, page {page} of {len(pages)}.{more}"),
        *actions(to_page("Previous page", page - 1), to_page("Next page", page + 1)),
    ]
    return notice(section_name(name), blocks, metadata=metadata)


def pick_form(metadata: str) -> Block:
    domain = input_element(
        "multi_external_select",
        PICK_DOMAIN,
        "Type a part of the name",
        min_query_length=0,
        max_selected_items=MAX_PICKED,
        focus_on_load=True,
    )
    hint = f"One, or up to {MAX_PICKED}. A scan can take up to 2 minutes."
    blocks = [field(PICK_BLOCK, "Domain", domain, hint=hint)]
    return form(PICK_FORM, "Scan a domain", "Scan", blocks, metadata=metadata)


def _scanned(report: ScanReport) -> str:
    return f"scanned {moment_token(report.scanned_at)}"


def _pages(lines: Iterable[str]) -> list[list[str]]:
    pages: list[list[str]] = [[]]
    chars = 0
    for line in lines:
        if len(pages[-1]) == MAX_FORM_LINES or chars + len(line) > MAX_FORM_CHARS:
            pages.append([])
            chars = 0
        pages[-1].append(line)
        chars += len(line)
    return pages


def waiting_message(host: str, ahead: int = 0, *, is_lasting: bool = False) -> Message:
    """Return the message while `ahead` others come first; `is_lasting`: no result replaces it."""
    name = host_text(host)
    others = f"{plural(ahead, 'other scan')} {'comes' if ahead == 1 else 'come'} first."
    if is_lasting:
        first = f" {others}" if ahead else ""
        text = f"Scanning {name}.{first} The result comes as a new message."
    elif ahead:
        text = f"⏳ {name} waits: {others} Each can take up to 2 minutes."
    else:
        text = f"⏳ Scanning {name}. This can take up to 2 minutes."
    return message_of(text_section(text))


def scan_message(
    report: ScanReport, shown: float | None = None, *, shared_by: str | None = None
) -> Message:
    """Return a scan: its head, issues, what ends soon, changes, and every section, folded.

    `shown` is the score that the reader was shown last. `shared_by` is a person's name.
    """
    head = [health_mrkdwn(report, shown), _scanned(report)]
    if domain_url(report.host, report.domain_id):  # a title can hold no link
        head.append(linked_name(report.host, report.domain_id))
    top = [
        header(f"Scan of {host_text(report.host)}"),
        section("  ·  ".join(head)),
        *_signs(report),
        *_issues(report),
        *_failed(report),
        *_ends(report),
        *_changes(report),
    ]
    shared = [context(f"Shared by {bold(shared_by, 80)}.")] if shared_by else []
    bottom = shared or _buttons(report)
    return message_of(*top, *(_folded(report, each) for each in report.sections), *bottom)


def _signs(report: ScanReport) -> list[Block]:
    """Name what changed about who controls the domain: a hijack shows there first."""
    lines = [
        f"{'🚨' if each.is_alarm else '🔀'} {literal(sign_words(each), 400)}"
        for each in report.sign_changes
    ]
    ask = "*Changed since an earlier scan: did your team do this?*"
    return [section("\n".join([ask, *lines]))] if lines else []


def _issues(report: ScanReport) -> list[Block]:
    facts = report.facts
    if not facts.issues:
        return [_no_issues(report)]
    count = sum(facts.counts.values())
    # `and 1 more` would take its line
    most = MAX_ISSUES + (count == len(facts.issues) == MAX_ISSUES + 1)
    lines = [issue_text(issue) for issue in facts.issues[:most]]
    blocks = [section(f"*{issues_title(facts)}*"), text_section("\n".join(lines))]
    if left := count - len(lines):
        blocks.append(section(f"and {left:,} more", _show_all(report, ISSUES, "issues")))
    return blocks


def _no_issues(report: ScanReport) -> Block:
    """Say that there are no issues only where a list of them, or of checks, says so."""
    if report.facts.issue_knowledge is Knowledge.NONE:
        return section("✅ No issues reported.")
    if report.facts.issue_knowledge is Knowledge.FAILED:
        return section("Issues are unknown: Security could not be checked.")
    count = record_count(report.section("security").findings)
    found = f" {plural(count, 'value')} under Security:" if count else ""
    text = f"I can't tell from this scan whether there are issues.{found}"
    return section(text, _show_all(report, "security", "Security") if count else None)


def _failed(report: ScanReport) -> list[Block]:
    lines = [
        f"⚠️ {section_name(name)} {_why_failed(reason)}."
        for name, reason in report.facts.failed.items()
    ]
    return [text_section("\n".join(lines))] if lines else []


def _why_failed(reason: str) -> str:
    if reason == NOT_INCLUDED:
        return f"is {NOT_INCLUDED}"
    return f"could not be checked ({outside(reason, MAX_REASON_CHARS)})"


def _ends(report: ScanReport) -> list[Block]:
    now, given = report.scanned_at, ends(report.facts)
    signed = {end_named_by(issue) for issue in report.facts.issues}  # its sign stands there
    lines = []
    for name, end in given:
        has_sign = report.is_owned and name not in signed
        sign, text = end_sign(end, now, is_owned=has_sign), end_text(name, end, now)
        lines.append(f"{sign} *{text}*" if sign else text)
        lines[-1] += f"  ·  {end_date_text(end)}"
    missing = {each for each in END_COLUMNS if each not in dict(given)}
    for names, more in ((missing - signed, ""), (missing & signed, ", but an issue is about it")):
        if names:
            named = " and ".join(each for each in END_COLUMNS if each in names)
            lines.append(f"{named.capitalize()}: no end date that I can read{more}.")
    return [section("\n".join(lines))]


def _changes(report: ScanReport) -> list[Block]:
    if not report.since:
        return []
    since = f"since the last scan ({moment_token(report.since)})"
    changes = [each for each in report.changes if not _is_in_head(each, report)]
    other = "other " if report.sign_changes else ""
    note = " ".join(_not_compared(report))
    if not changes:
        return [context(" ".join(filter(None, [f"No {other}changes {since}.", note])))]
    most = MAX_CHANGES + (len(changes) == MAX_CHANGES + 1)
    lines = (f"• {change_line(each)}" for each in changes[:most])
    shown = lines_within(lines, MAX_LINES_CHARS)
    count = len(changes) + report.changes_cut
    left_out = count - len(shown)
    shown += [f"• and {left_out:,} more"] if left_out else []
    title = f"*{plural(count, f'{other}change')} {since}*"
    return [section("\n".join(filter(None, [title, *shown, note])))]


def _not_compared(report: ScanReport) -> Iterator[str]:
    """Yield a sentence for each reason why changes may be missing, or be none."""
    for names, text in (
        (report.uncompared, "not compared: one of the two scans says nothing there."),
        (report.too_long, "not compared: too long."),
        (
            report.partly,
            "compared in part: a look-up failed, so a change may be missing, or none.",
        ),
    ):
        if names:
            yield f"{' and '.join(map(section_name, names))} {text}"


def _is_in_head(change: Change, report: ScanReport) -> bool:
    """Return whether the head tells a change, as one of who controls the domain."""
    in_head = {frozenset(sign.after.casefold().split(", ")) for sign in report.sign_changes}
    value = change.after.value if change.after else None
    values = value if isinstance(value, tuple) else (value,)
    return frozenset(str(each).casefold().rstrip(".") for each in values) in in_head


def _folded(report: ScanReport, shown: Section) -> Block:
    first = list(islice(finding_lines(shown.findings), MAX_LINES + 2))
    if len(first) > MAX_LINES + 1 or shown.left_out:  # `and 1 more` would take its line
        first = first[:MAX_LINES]
    lines = lines_within((line for line, _count in first), MAX_LINES_CHARS)
    count = sum(count for _line, count in first[: len(lines)])
    state = _state(report, shown)
    inside = [section("\n".join(lines) or state or "–"), *_more(report, shown, count)]
    return container(_title(report, shown), state, inside, is_folded=bool(shown.findings))


def _title(report: ScanReport, shown: Section) -> str:
    """Return the name of a section, and how many of the issues are in it."""
    title, facts = section_name(shown.name), report.facts
    count = sum(issue.section == shown.name for issue in facts.issues)
    if not count:
        return title
    at_least = "at least " if sum(facts.counts.values()) > len(facts.issues) else ""
    return f"{title}  ·  {at_least}{plural(count, 'issue')}"


def _state(report: ScanReport, shown: Section) -> str:
    if reason := report.facts.failed.get(shown.name):
        return _why_failed(reason)
    return "" if shown.findings or shown.left_out else "empty"


def _more(report: ScanReport, shown: Section, count: int) -> list[Block]:
    left = record_count(shown.findings) - count
    if not left and not shown.left_out:
        return []
    text = f"and {'at least ' if shown.left_out else ''}{left:,} more"
    return [section(text), *actions(_show_all(report, shown.name, section_name(shown.name)))]


def _show_all(report: ScanReport, name: str, title: str) -> Block | None:
    value = json.dumps([report.host, name, 1])
    named = f"Show all of {title}"
    return button("Show all", f"{SHOW_SECTION}.{name}", value, accessibility_label=named)


def _buttons(report: ScanReport) -> list[Block]:
    return actions(
        run_button("Scan again", f"/scan {report.host}"),
        run_button("All domains", "/domains"),
        button("Share", SHARE_SCAN, outside(report.host, 300)),
    )
