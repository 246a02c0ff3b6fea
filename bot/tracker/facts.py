"""Read the facts of a scan, and how each is known. Pure."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from bot.tracker.ends import end_in
from bot.tracker.failed_lookups import failure_of
from bot.tracker.hijack_signs import registered_name, signs_of
from bot.tracker.issues import readings_in
from bot.tracker.models import SECTIONS
from bot.tracker.names import NAMES, without_prefix
from bot.tracker.readings import LISTED, Reading, Verdict
from bot.tracker.scan_facts import MAX_KEPT_ISSUES, SEVERITIES, Issue, Knowledge, ScanFacts

# One check that passes is not yet a list of checks.
MIN_PASSED = 2
# Rules of values that tools fill in where they found nothing.
_DEFAULTS = frozenset({"boolean", "protection", "state", "threat", "flag of a failure", "count"})
_READ = frozenset({Verdict.ISSUE, Verdict.PASSED, Verdict.EMPTY})
NOT_INCLUDED = "not included in this scan"


Readings = dict[str, tuple[Reading, ...]]


def facts_of(sections: Mapping[str, object], scanned: datetime) -> ScanFacts:
    """Return the facts of a scan at `scanned` whose sections are any JSON."""
    return explain(sections, scanned)[0]


def explain(sections: Mapping[str, object], scanned: datetime) -> tuple[ScanFacts, Readings]:
    """Return the facts of a scan, and what each section's values were read as."""
    registration = end_in("whois", sections.get("whois"), scanned)
    certificate = end_in("ssl", sections.get("ssl"), scanned)
    ends = {"whois": registration, "ssl": certificate}
    readings: Readings = {}
    failed: dict[str, str] = {}
    for name in SECTIONS:
        if name not in sections:
            failed[name] = NOT_INCLUDED
            continue
        found = tuple(readings_in(name, sections[name]))
        is_known = bool(ends.get(name)) or any(_is_certain(each) for each in found)
        is_read = any(each.verdict in _READ for each in found)
        if reason := failure_of(name, sections[name], is_known=is_known, is_read=is_read):
            failed[name] = reason
            found = ()
        readings[name] = found
    issues = _issues(readings)
    facts = ScanFacts(
        issues=tuple(issues[:MAX_KEPT_ISSUES]),
        counts=dict(Counter(issue.severity for issue in issues)),
        issue_knowledge=_issue_knowledge(issues, readings, failed),
        registration=registration,
        certificate=certificate,
        failed=failed,
        signs=signs_of({n: value for n, value in sections.items() if n not in failed}),
        registered=registered_name(sections.get("whois")),
        partly=tuple(
            name
            for name, some in readings.items()
            if name != "security" and any(each.verdict is Verdict.NOT_CHECKED for each in some)
        ),
    )
    return facts, readings


def _is_certain(reading: Reading) -> bool:
    """Return whether a reading says something beside a failed lookup."""
    # "Not trusted" and "no HSTS" is what tools also say of a server that they did not reach.
    if reading.rule not in _DEFAULTS:
        return reading.verdict in {Verdict.ISSUE, Verdict.PASSED}
    is_named_bad = bool(reading.path) and without_prefix(reading.path[-1]) in NAMES.bad_if_true
    return reading.verdict is Verdict.ISSUE and is_named_bad


def _issues(readings: Readings) -> list[Issue]:
    """Return the issues, the worst first; what is named by its place is said once."""
    found: list[Issue] = []
    named: set[tuple[str, str]] = set()
    for reading in (each for some in readings.values() for each in some):
        issue = reading.issue
        if issue and (reading.rule in LISTED or (issue.section, issue.title) not in named):
            found.append(issue)
            if reading.rule not in LISTED:
                named.add((issue.section, issue.title))
    return sorted(found, key=lambda issue: SEVERITIES.index(issue.severity))


def _issue_knowledge(
    issues: list[Issue], readings: Readings, failed: Mapping[str, str]
) -> Knowledge:
    """Return how the issues are known: a value that is not recognized may be one.

    `NONE` needs a list of issues in `security` that is empty, or checks there that all passed.
    """
    if issues:
        return Knowledge.KNOWN
    if "security" in failed:
        return Knowledge.FAILED
    verdicts = [each.verdict for each in readings.get("security", ())]
    is_proven = Verdict.EMPTY in verdicts or verdicts.count(Verdict.PASSED) >= MIN_PASSED
    is_unknown = Verdict.NOT_CHECKED in verdicts or any(
        each.verdict is Verdict.UNREAD for some in readings.values() for each in some
    )
    return Knowledge.NONE if is_proven and not is_unknown else Knowledge.UNRECOGNIZED
