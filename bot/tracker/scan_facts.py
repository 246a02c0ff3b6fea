"""Model the facts of a scan: its issues, what ends when, and how each is known."""

from collections.abc import Container
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import StrEnum

MAX_KEPT_ISSUES = 200
MAX_TEXT_CHARS = 500
MAX_WORD_CHARS = 40
SOON_DAYS = 30
URGENT_DAYS = 8


class Severity(StrEnum):
    """How bad an issue is, worst first. An unrated one may be as bad as any."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    UNKNOWN = "unknown"
    LOW = "low"
    INFO = "info"


SEVERITIES = tuple(Severity)


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue, in the service's texts: `word` for the severity, or "", and what to do, or ""."""

    section: str
    severity: Severity
    word: str
    title: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class EndDate:
    """The day, in UTC, on which something ends, and the moment where the scan gives its zone.

    `also` are other days under other names in the same record.
    """

    day: date
    moment: datetime | None = None
    also: tuple[date, ...] = ()

    def days_left(self, now: datetime) -> int:
        """Return the number of days in UTC from today to the last one; negative when past."""
        return (self.day - now.astimezone(UTC).date()).days

    def has_ended(self, now: datetime) -> bool:
        """Return whether it is over; a day without a moment ends with the day."""
        return self.moment <= now if self.moment else self.days_left(now) < 0


class Knowledge(StrEnum):
    """How a fact of a scan is known. A domain without a scan has no facts at all."""

    KNOWN = "known"
    NONE = "none"  # the scan says that there is none
    UNRECOGNIZED = "unrecognized"  # something is there that cannot be read
    FAILED = "failed"  # the section was not there, said nothing, or only an error


def issues_are_known(knowledge: Knowledge, failed: Container[str]) -> bool:
    """Return whether a scan lists issues or checks, and could check security."""
    return knowledge in (Knowledge.KNOWN, Knowledge.NONE) and "security" not in failed


@dataclass(frozen=True, slots=True)
class ScanFacts:
    """What matters in a scan: its issues, worst first, what ends when, and what is not known.

    `counts` are of all issues, also those not kept. `failed`: why a section tells nothing, by its
    name; `partly` names sections, but security, of which some look-ups failed. `signs`: see
    `hijack_signs.py`. `registered`: the name of the registration, or "".
    """

    issues: tuple[Issue, ...] = ()
    counts: dict[Severity, int] = field(default_factory=dict)
    issue_knowledge: Knowledge = Knowledge.UNRECOGNIZED
    registration: EndDate | None = None
    certificate: EndDate | None = None
    failed: dict[str, str] = field(default_factory=dict)
    signs: dict[str, str] = field(default_factory=dict)
    registered: str = ""
    partly: tuple[str, ...] = ()
