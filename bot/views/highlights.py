"""What most services agree on in a scan, lifted out when it is there. Pure; never a verdict."""

import re
from collections.abc import Iterable, Iterator

from bot.findings import Finding
from bot.scans import ScanReport
from bot.views.finding import value_text
from bot.views.text import plural

# The structure of a scan is not documented: these are names that such services commonly use,
# without case and punctuation. What is not found is simply not lifted.
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
# An issuer or registrar may be an object of its own; then this is what it is called.
_NAMES = frozenset({"name", "organization", "organisation", "o", "commonname", "cn"})
_ISSUES = frozenset({"issues", "vulnerabilities", "warnings", "problems"})


def highlights(report: ScanReport) -> list[tuple[str, str]]:
    """Return label and mrkdwn value of what could be lifted, in a fixed order."""
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
    """The shallowest finding with such a name; an empty one says nothing."""
    matching = [
        found for found in findings if found.value not in (None, "", ()) and _is(found, names)
    ]
    return min(matching, key=lambda found: len(found.path), default=None)


def _is(finding: Finding, names: frozenset[str]) -> bool:
    *before, last = [_bare(part) for part in finding.path if not part.isdecimal()] or [""]
    return last in names or (bool(before) and before[-1] in names and last in _NAMES)


def _issue_count(findings: Iterable[Finding]) -> int | None:
    """How many issues the service itself lists at the top of its section, or `None`."""
    counted: set[str] = set()
    for finding in findings:
        if finding.path and _bare(finding.path[0]) in _ISSUES:
            if isinstance(finding.value, tuple) and len(finding.path) == 1:
                return len(finding.value)
            counted.update(_numbers(finding))
    return len(counted) or None


def _numbers(finding: Finding) -> Iterator[str]:
    if len(finding.path) > 1 and finding.path[1].isdecimal():
        yield finding.path[1]


def _bare(part: str) -> str:
    return re.sub(r"[^a-z0-9]", "", part.lower())
