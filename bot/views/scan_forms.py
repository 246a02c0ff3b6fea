"""The forms about scans: everything of one section in pages, and which domain to scan. Pure."""

import json
from collections.abc import Iterable

from bot.findings import Finding
from bot.message import Block
from bot.scans import SECTIONS, ScanReport
from bot.views.blocks import (
    actions,
    button,
    context,
    paragraphs,
    plain_text,
    section,
)
from bot.views.finding import finding_lines, section_title
from bot.views.form import field, form, notice
from bot.views.text import (
    code,
    host_shown,
    moment_token,
    plural,
)

SHOW_SECTION = "scan.section.show"
TURN_SECTION = "scan.section.turn"
PICK_FORM = "scan.pick"
PICK_BLOCK = "domain"
PICK_DOMAIN = "scan.domain"
# A form may weigh 250 kB of JSON, in which a character can take twelve bytes (an emoji does).
MAX_FORM_LINES = 40
MAX_FORM_CHARS = 18_000
# Escaped, each may become five, and a section holds 3,000.
MAX_FORM_VALUE_CHARS = 550


def section_form(report: ScanReport, name: str, page: int, metadata: str = "") -> Block:
    """Return the form that shows everything of one section; pages count from 1.

    `metadata` comes back with its buttons.
    """
    shown = report.section(name)
    pages = _pages(shown.findings)
    page = max(1, min(page, len(pages)))
    note = f"{plural(len(shown.findings), 'finding')}, page {page} of {len(pages)}."
    if shown.left_out:
        note += f" {shown.left_out:,} more were too many to keep."
    turns = actions(
        _turn_button(report, name, "Previous page", page - 1) if page > 1 else None,
        _turn_button(report, name, "Next page", page + 1) if page < len(pages) else None,
    )
    blocks = [
        section(f"*{code(host_shown(report.host), 300)}*  ·  {scanned_text(report)}"),
        *(paragraphs(pages[page - 1]) or [section("_Nothing in this section._")]),
        context(note),
        *turns,
    ]
    return notice(section_title(name), blocks, metadata=metadata)


def pick_form(metadata: str) -> Block:
    """Return the form that asks which domain to scan; `metadata` comes back with it."""
    domain = {
        "type": "external_select",
        "action_id": PICK_DOMAIN,
        "min_query_length": 0,
        "placeholder": plain_text("Type a part of the name", 150),
        "focus_on_load": True,
    }
    hint = "A full scan can take up to two minutes."
    blocks = [field(PICK_BLOCK, "Domain", domain, hint=hint)]
    return form(PICK_FORM, "Scan a domain", "Scan", blocks, metadata=metadata)


def section_place(value: str) -> tuple[str, str, int]:
    """Return host, section and page from the value of a button of this module.

    Raises:
        ValueError: the value is none of ours.
    """
    match json.loads(value):
        case [str(host), str(name), int(page)] if name in SECTIONS:
            return host, name, page
    raise ValueError("not the value of a section button")


def scanned_text(report: ScanReport) -> str:
    """Return when a scan was made, as mrkdwn."""
    return f"scanned {moment_token(report.scanned_at)}"


def _turn_button(report: ScanReport, name: str, label: str, page: int) -> Block | None:
    value = json.dumps([report.host, name, page])
    return button(label, f"{TURN_SECTION}.{label.split()[0].lower()}", value)


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
