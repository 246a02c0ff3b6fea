"""Print what a scan's JSON is read as, and by which rule."""

import json
from collections.abc import Iterator
from pathlib import Path

from bot.ops.backup import opened
from bot.ops.output import OperatingError, printable
from bot.process.clock import utc_now
from bot.tracker.decoding import SCAN_FIELDS
from bot.tracker.facts import Readings, explain
from bot.tracker.models import SECTIONS
from bot.tracker.names import humanized, use_names
from bot.tracker.readings import Reading, Verdict, section_name
from bot.tracker.scan_facts import EndDate, Knowledge, ScanFacts

_WORDS = {
    Knowledge.KNOWN: "known",
    Knowledge.NONE: "none: the scan says that there are none",
    Knowledge.UNRECOGNIZED: "not recognized",
    Knowledge.FAILED: "failed",
}


def explain_file(name: str, names_file: Path | None) -> list[str]:
    """Return lines about a scan as the service answered it; OperatingError: it is no scan."""
    try:
        with opened(name) as file:
            scan = json.load(file)
    except (ValueError, RecursionError) as error:
        raise OperatingError(f"{printable(name)} holds no JSON.") from error
    if not isinstance(scan, dict) or SCAN_FIELDS.isdisjoint(scan):
        raise OperatingError(f"{printable(name)} holds no scan: a JSON object with sections.")
    sections = {section: scan[section] for section in SECTIONS if section in scan}
    try:
        if names_file:
            use_names(names_file)
    except (OSError, ValueError) as error:
        raise OperatingError(f"SCAN_NAMES_FILE: {printable(str(error))}") from error
    return [*_lines(*explain(sections, utc_now()))]


def _lines(facts: ScanFacts, by_section: Readings) -> Iterator[str]:
    yield f"Issues: {_WORDS[facts.issue_knowledge]}"
    yield f"Registration ends: {_end(facts.registration, is_failed='whois' in facts.failed)}"
    yield f"Certificate ends: {_end(facts.certificate, is_failed='ssl' in facts.failed)}"
    for sign, value in facts.signs.items():
        yield f"{humanized(sign)}: {printable(value)}"
    for name in SECTIONS:
        yield f"{section_name(name)}:"
        if reason := facts.failed.get(name):
            yield f"  failed: {printable(reason)}"
        readings = by_section.get(name, ())
        yield from (f"  {_line(each)}" for each in readings)
        if not reason and not readings:
            yield "  no checks or issues recognized"


def _end(end: EndDate | None, *, is_failed: bool) -> str:
    unknown = Knowledge.FAILED if is_failed else Knowledge.UNRECOGNIZED
    return f"{end.day}" if end else _WORDS[unknown]


def _line(reading: Reading) -> str:
    where = printable(".".join(reading.path)) or "the section"
    if reading.verdict is Verdict.ISSUE and reading.issue:
        severity = reading.issue.severity.value
        return f"issue ({severity}) by {reading.rule}: {where}: {printable(reading.issue.title)}"
    by = f" by {reading.rule}" if reading.rule else ""
    return f"{reading.verdict.value}{by}: {where}"
