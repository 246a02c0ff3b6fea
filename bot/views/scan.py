"""Draw a scan: head, highlights, folded sections. Pure."""

import json
import re
from collections.abc import Callable, Iterable
from datetime import datetime
from itertools import islice

from bot.message import SHARE, Block, Message
from bot.scans import SECTIONS, Finding, ScanReport, Section
from bot.views.blocks import (
    actions,
    button,
    context,
    field,
    fields,
    form,
    header,
    input_element,
    notice,
    paragraphs,
    plain_text,
    run_button,
    section,
)
from bot.views.domains import score_mrkdwn, score_text
from bot.views.scan_findings import change_line, finding_lines, section_title, value_text
from bot.views.text import (
    MAX_CONTAINER_TITLE_CHARS,
    code,
    escaped,
    host_text,
    moment_text,
    moment_token,
    outside,
    plural,
    without_markup,
)

# The structure of a scan is not documented: these are common names, without case and punctuation.
_WANTED: tuple[tuple[str, str, frozenset[str]], ...] = (
    ("Registrar", "whois", frozenset({"registrar", "registrarname"})),
    (
        "Registered until",
        "whois",
        frozenset(
            {
                "expires", "expiry", "expireson", "expiresat", "expirydate", "expirationdate",
                "expiresdate", "registryexpirydate", "registrarregistrationexpirationdate",
            }
        ),
    ),
    ("Name servers", "whois", frozenset({"nameservers", "nameserver"})),
    ("Certificate from", "ssl", frozenset({"issuer", "issuername", "issuedby"})),
    (
        "Certificate until",
        "ssl",
        frozenset({"notafter", "validto", "validuntil", "expires", "expiry", "expirydate"}),
    ),
)  # fmt: skip
# An issuer or registrar may be an object: these are the keys of its name.
_NAMES = frozenset({"name", "organization", "organisation", "o", "commonname", "cn"})
_ISSUES = frozenset({"issues", "vulnerabilities", "warnings", "problems"})


def highlights(report: ScanReport) -> list[tuple[str, str]]:
    """Return the label and mrkdwn value of each known finding, in a fixed order."""
    lifted = [
        (label, value_text(found, 100))
        for label, section, names in _WANTED
        if (found := _first(report.section(section).findings, names))
    ]
    security = report.section("security")
    count = _issue_count(security.findings)
    if count is None:
        return lifted
    at_least = "at least " if security.left_out else ""
    return [*lifted, ("Issues reported", f"{at_least}{plural(count, 'issue')}")]


def _first(findings: Iterable[Finding], names: frozenset[str]) -> Finding | None:
    """Return the finding with such a name that is least nested and not empty."""
    given = (found for found in findings if found.value not in (None, "", ()))
    matching = (found for found in given if _is(found, names))
    return min(matching, key=lambda found: len(found.path), default=None)


def _is(finding: Finding, names: frozenset[str]) -> bool:
    *before, last = [_bare(part) for part in finding.path if not part.isdecimal()] or [""]
    return last in names or (bool(before) and before[-1] in names and last in _NAMES)


def _issue_count(findings: Iterable[Finding]) -> int | None:
    """Return the number of issues at the top of a section, or `None`."""
    numbers: set[str] = set()
    for finding in findings:
        path = finding.path
        if path and _bare(path[0]) in _ISSUES:
            if isinstance(finding.value, tuple) and len(path) == 1:
                return len(finding.value)
            if len(path) > 1 and path[1].isdecimal():
                numbers.add(path[1])
    return len(numbers) or None


def _bare(part: str) -> str:
    return re.sub(r"[^a-z0-9]", "", part.lower())


SHOW_SECTION = "scan.section.show"
TURN_SECTION = "scan.section.turn"
PICK_FORM = "scan.pick"
PICK_BLOCK = "domain"
PICK_DOMAIN = "scan.domain"
# A form may have 250 kB of JSON, in which an emoji takes twelve bytes.
MAX_FORM_LINES = 40
MAX_FORM_CHARS = 18_000
# Escaping may turn one character into five, and a section holds 3,000.
MAX_FORM_VALUE_CHARS = 550


def section_form(report: ScanReport, name: str, page: int, metadata: str = "") -> Block:
    """Return a page, from 1, of the form with all findings of one section."""
    shown = report.section(name)
    pages = _pages(shown.findings)
    page = max(1, min(page, len(pages)))
    note = f"{plural(len(shown.findings), 'finding')}, page {page} of {len(pages)}."
    if shown.left_out:
        note += f" {shown.left_out:,} more were too many to keep."

    def to_page(label: str, number: int) -> Block | None:
        action_id = f"{TURN_SECTION}.{label.split()[0].lower()}"
        value = json.dumps([report.host, name, number])
        return button(label, action_id, value) if 1 <= number <= len(pages) else None

    blocks = [
        section(f"*{code(host_text(report.host), 300)}*  ·  {scanned_text(report)}"),
        *(paragraphs(pages[page - 1]) or [section("_Nothing in this section._")]),
        context(note),
        *actions(to_page("Previous page", page - 1), to_page("Next page", page + 1)),
    ]
    return notice(section_title(name), blocks, metadata=metadata)


def pick_form(metadata: str) -> Block:
    """Return the form to choose a domain to scan."""
    domain = input_element(
        "external_select",
        PICK_DOMAIN,
        "Type a part of the name",
        min_query_length=0,
        focus_on_load=True,
    )
    hint = "A full scan can take up to two minutes."
    blocks = [field(PICK_BLOCK, "Domain", domain, hint=hint)]
    return form(PICK_FORM, "Scan a domain", "Scan", blocks, metadata=metadata)


def section_place(value: str) -> tuple[str, str, int]:
    """Return host, section and page from a button's value; raise ValueError."""
    match json.loads(value):
        case [str(host), str(name), int(page)] if name in SECTIONS:
            return host, name, page
    raise ValueError("not the value of a section button")


def scanned_text(report: ScanReport) -> str:
    """Return the time of a scan as mrkdwn."""
    return f"scanned {moment_token(report.scanned_at)}"


def _pages(findings: Iterable[Finding]) -> list[list[str]]:
    pages: list[list[str]] = [[]]
    chars = 0
    for line, _count in finding_lines(findings, value_chars=MAX_FORM_VALUE_CHARS):
        if len(pages[-1]) == MAX_FORM_LINES or chars + len(line) > MAX_FORM_CHARS:
            pages.append([])
            chars = 0
        pages[-1].append(line)
        chars += len(line)
    return pages


SHARE_SCAN = f"{SHARE}.scan"
MAX_LINES = 10
MAX_LINES_CHARS = 1_600
MAX_PLAIN_LINES = 6
MAX_CHANGES = 8


def waiting_message(host: str, *, is_long: bool = False) -> Message:
    """Return the message during a scan; `is_long` after the first 20 seconds."""
    state = "is being scanned. A full scan can take up to two minutes"
    if is_long:
        state = "is still being scanned. That is normal for a full scan"
    text, name = f"{state}: I will answer here.", host_text(host)
    return Message(f"{escaped(name, 300)} {text}", (section(f"⏳ {code(name, 300)} {text}"),))


def scan_message(report: ScanReport, *, shared_by: str | None = None) -> Message:
    """Return a scan: its highlights, its changes and every section, folded.

    `shared_by` is the name of the person who shares it with a channel.
    """
    lifted = highlights(report)
    top = [
        header(f"Scan of {host_text(report.host)}"),
        context(f"{score_mrkdwn(report.score)} before this scan  ·  {scanned_text(report)}"),
        *([fields(lifted)] if lifted else []),
        *_changes(report),
    ]
    shared = [context(f"Shared by {code(shared_by, 80)}.")] if shared_by else []
    bottom = shared or _buttons(report)
    plain = [block for each in report.sections for block in _plain_section(report, each)]
    return Message(
        text=_text(report),
        blocks=(*top, *(_folded(report, each) for each in report.sections), *bottom),
        plain=(*top, *plain, *bottom),
    )


def _text(report: ScanReport) -> str:
    counts = ", ".join(
        f"{section_title(each.name)} {_findings_text(each, 'not given')}"
        for each in report.sections
    )
    text = f"Scan of {escaped(host_text(report.host), 300)}, {moment_text(report.scanned_at)}: "
    text += f"health {score_text(report.score)} before this scan; {counts}."
    if report.since:
        lines = [without_markup(change_line(change)) for change in report.changes[:MAX_CHANGES]]
        text += f" {'. '.join([_changes_title(report, moment_text), *lines])}."
    lifted = "; ".join(f"{name}: {without_markup(shown)}" for name, shown in highlights(report))
    return f"{text} {lifted}".strip()


def _findings_text(shown: Section, not_given: str) -> str:
    count = len(shown.findings) + shown.left_out
    return plural(count, "finding") if shown.is_given else not_given


def _changes_title(report: ScanReport, shown: Callable[[datetime], str]) -> str:
    since = shown(report.since) if report.since else ""
    if not report.changes:
        return f"Nothing has changed since the scan of {since}"
    return f"{plural(len(report.changes), 'change')} since the scan of {since}"


def _changes(report: ScanReport) -> list[Block]:
    if not report.since:
        return []
    if not report.changes:
        return [context(f"{_changes_title(report, moment_token)}.")]
    every = ((f"• {change_line(change)}", 1) for change in report.changes)
    lines, count = _fitting(every, MAX_CHANGES)
    left_out = len(report.changes) - count
    lines += [f"• and {left_out:,} more"] if left_out else []
    return [section("\n".join([f"*{_changes_title(report, moment_token)}*", *lines]))]


def _folded(report: ScanReport, shown: Section) -> Block:
    """https://docs.slack.dev/reference/block-kit/blocks/container-block.

    Its children are sections and actions only: Slack refuses rich text in it, which that page
    allows (https://docs.rs/slack-morphism, `SlackContainerBlock`).
    """
    lines, count = _fitting(finding_lines(shown.findings), MAX_LINES)
    return {
        "type": "container",
        "title": plain_text(section_title(shown.name), MAX_CONTAINER_TITLE_CHARS),
        "subtitle": plain_text(_state(shown), MAX_CONTAINER_TITLE_CHARS),
        "is_collapsible": True,
        "default_collapsed": bool(shown.findings),
        "child_blocks": [section("\n".join(lines) or _state(shown)), *_more(report, shown, count)],
    }


def _plain_section(report: ScanReport, shown: Section) -> list[Block]:
    lines, count = _fitting(finding_lines(shown.findings), MAX_PLAIN_LINES)
    title = f"*{section_title(shown.name)}*  ·  {_state(shown)}"
    return [section("\n".join([title, *lines])), *_more(report, shown, count)]


def _state(shown: Section) -> str:
    if shown.is_given and not shown.findings and not shown.left_out:
        return "empty"
    return _findings_text(shown, "Domain Tracker gave no such section")


def _fitting(counted: Iterable[tuple[str, int]], most: int) -> tuple[list[str], int]:
    """Return the first lines within the limits, and the sum of their counts."""
    lines: list[str] = []
    chars = total = 0
    for line, count in islice(counted, most):
        chars += len(line) + 1
        if chars > MAX_LINES_CHARS:
            break
        lines.append(line)
        total += count
    return lines, total


def _more(report: ScanReport, shown: Section, count: int) -> list[Block]:
    left_out = len(shown.findings) + shown.left_out - count
    if not left_out:
        return []
    value = json.dumps([report.host, shown.name, 1])
    named = f"Show all of {section_title(shown.name)}"
    everything = button(
        "Show all", f"{SHOW_SECTION}.{shown.name}", value, accessibility_label=named
    )
    return [section(f"and {left_out:,} more"), *actions(everything)]


def _buttons(report: ScanReport) -> list[Block]:
    return actions(
        run_button("Scan again", f"/scan {report.host}"),
        run_button("All domains", "/domains"),
        button("Share", SHARE_SCAN, outside(report.host, 300)),
    )
