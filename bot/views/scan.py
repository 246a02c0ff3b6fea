"""A scan as a message, its sections folded. Pure."""

import json
import re
from collections.abc import Callable, Iterable
from datetime import datetime
from itertools import islice

from bot.findings import Section
from bot.message import SHARE, Block, Message
from bot.scans import ScanReport
from bot.views.blocks import (
    actions,
    button,
    context,
    fields,
    header,
    plain_text,
    run_button,
    section,
)
from bot.views.finding import change_line, finding_lines, section_title
from bot.views.health import score_text, score_words
from bot.views.highlights import highlights
from bot.views.scan_forms import SHOW_SECTION, scanned_text
from bot.views.text import (
    MAX_CONTAINER_TITLE_CHARS,
    code,
    escaped,
    host_shown,
    moment_text,
    moment_token,
    outside,
    plural,
)

SHARE_SCAN = f"{SHARE}.scan"

MAX_LINES = 10
MAX_LINES_CHARS = 1_600
MAX_PLAIN_LINES = 6
MAX_CHANGES = 8


def waiting_message(host: str, *, is_long: bool = False) -> Message:
    """Return what a person reads while a scan runs; `is_long` after the first 20 seconds."""
    if is_long:
        text = "is still being scanned. That is normal for a full scan: I will answer here"
    else:
        text = "is being scanned. A full scan can take up to two minutes: I will answer here"
    shown = host_shown(host)
    return Message(
        text=f"{escaped(shown, 300)} {text}.",
        blocks=(section(f"⏳ {code(shown, 300)} {text}."),),
    )


def scan_message(report: ScanReport, *, shared_by: str | None = None) -> Message:
    """Return the message that shows a scan: the essence, what changed, every section folded.

    `shared_by` is the name of whoever shows it to a channel.
    """
    lifted = highlights(report)
    top = [
        header(f"Scan of {host_shown(report.host)}"),
        context(f"{score_text(report.score)} before this scan  ·  {scanned_text(report)}"),
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
    counts = ", ".join(_count_text(each) for each in report.sections)
    said = f"Scan of {escaped(host_shown(report.host), 300)}, {moment_text(report.scanned_at)}: "
    said += f"health {score_words(report.score)} before this scan; {counts}."
    if report.since:
        lines = [_without_marks(change_line(change)) for change in report.changes[:MAX_CHANGES]]
        said += f" {'. '.join([_changes_title(report, moment_text), *lines])}."
    lifted = "; ".join(f"{name}: {_without_marks(shown)}" for name, shown in highlights(report))
    return f"{said} {lifted}".strip()


def _count_text(shown: Section) -> str:
    title = section_title(shown.name)
    if not shown.is_given:
        return f"{title} not given"
    return f"{title} {plural(len(shown.findings) + shown.left_out, 'finding')}"


def _without_marks(mrkdwn: str) -> str:
    """A screen reader gets the fallback of a date, not its token, and no marks."""
    return re.sub(r"<!date[^|>]*\|([^>]*)>", r"\1", mrkdwn).replace("`", "").replace("*", "")


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
    told = ((f"• {change_line(change)}", 1) for change in report.changes)
    lines, count = _fitting(told, MAX_CHANGES)
    left_out = len(report.changes) - count
    lines += [f"• and {left_out:,} more"] if left_out else []
    return [section("\n".join([f"*{_changes_title(report, moment_token)}*", *lines]))]


def _folded(report: ScanReport, shown: Section) -> Block:
    """https://docs.slack.dev/reference/block-kit/blocks/container-block.

    Its children are sections and actions only: the live validator is said to refuse rich text,
    which that page allows (https://docs.rs/slack-morphism, `SlackContainerBlock`).
    """
    lines, told = _fitting(finding_lines(shown.findings), MAX_LINES)
    return {
        "type": "container",
        "title": plain_text(section_title(shown.name), MAX_CONTAINER_TITLE_CHARS),
        "subtitle": plain_text(_state(shown), MAX_CONTAINER_TITLE_CHARS),
        "is_collapsible": True,
        "default_collapsed": bool(shown.findings),
        "child_blocks": [section("\n".join(lines) or _state(shown)), *_more(report, shown, told)],
    }


def _plain_section(report: ScanReport, shown: Section) -> list[Block]:
    lines, told = _fitting(finding_lines(shown.findings), MAX_PLAIN_LINES)
    title = f"*{section_title(shown.name)}*  ·  {_state(shown)}"
    return [section("\n".join([title, *lines])), *_more(report, shown, told)]


def _state(shown: Section) -> str:
    if not shown.is_given:
        return "Domain Tracker gave no such section"
    if not shown.findings and not shown.left_out:
        return "empty"
    return plural(len(shown.findings) + shown.left_out, "finding")


def _fitting(counted: Iterable[tuple[str, int]], most: int) -> tuple[list[str], int]:
    """The first of many lines, each with what it counts for, and what they count for together."""
    lines: list[str] = []
    chars = told = 0
    for line, count in islice(counted, most):
        chars += len(line) + 1
        if chars > MAX_LINES_CHARS:
            break
        lines.append(line)
        told += count
    return lines, told


def _more(report: ScanReport, shown: Section, told: int) -> list[Block]:
    left_out = len(shown.findings) + shown.left_out - told
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
