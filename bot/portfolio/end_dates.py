"""Keep, for each domain, when its registration and certificate end, and its worst issues.

One small row per domain, as of its last scan, apart from the reports of scans: those are few and
large. The rows of a workspace are spread over a few documents, so that a scan of one of 10,000
domains does not write them all.
"""

import asyncio
import zlib
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, NamedTuple

from cachetools import TTLCache

from bot.concurrency import BoundedWait
from bot.errors import warned
from bot.store.documents import Document, Documents, StoreError, Write, update
from bot.tracker.changes import COUNTED_TIME
from bot.tracker.findings import (
    SEVERITIES,
    SOON_DAYS,
    EndDate,
    Knowledge,
    ScanFacts,
    Severity,
)
from bot.workspace import WorkspaceId

KIND = "ends"
DOCUMENTS = 16
# Of a domain's issues the worst are kept, for digests; all of them are in its last report.
MAX_WORST_ISSUES = 8
MAX_TITLE_CHARS = 80
# After this time an answer is sent without the dates.
ANSWERED_WITHIN_S = 1.0
KNOWN_FOR_S = 5.0
MAX_KNOWN = 100


class KnownIssue(NamedTuple):
    """An issue of a domain, as it is stored: short, as a workspace has many.

    `level` is the value of its severity. A scan found it at `since`, in seconds since 1970, and
    the scan before that did not.
    """

    level: str
    title: str
    since: float

    @property
    def severity(self) -> Severity:
        return Severity(self.level)

    @property
    def rank(self) -> int:
        """The place of its severity, the worst is 0."""
        return SEVERITIES.index(self.severity)


@dataclass(frozen=True, slots=True)
class EndDates:
    """What the last scan of a domain said. `issues` are counted by severity, worst first.

    `worst` are the worst of the issues, worst first. `issue_knowledge` says how the issues are
    known, `failed` names the sections that tell nothing.
    """

    scanned_at: datetime
    registration: EndDate | None = None
    certificate: EndDate | None = None
    issues: Mapping[Severity, int] = field(default_factory=dict)
    worst: tuple[KnownIssue, ...] = ()
    issue_knowledge: Knowledge = Knowledge.UNRECOGNIZED
    failed: tuple[str, ...] = ()

    @property
    def ends_are_known(self) -> bool:
        """Whether both ends are known, so that "nothing expires" may be said."""
        return self.registration is not None and self.certificate is not None

    @property
    def issues_are_known(self) -> bool:
        """Whether the scan lists issues or checks, so that "no issues" may be said without any."""
        return self.issue_knowledge in {Knowledge.KNOWN, Knowledge.NONE}

    @property
    def first(self) -> EndDate | None:
        """The end that comes first, `None` when none is known."""
        given = [end for end in (self.registration, self.certificate) if end]
        return min(given, key=lambda end: end.day, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """For how many of `domains` the last scan told both end dates, and issues or checks."""

    domains: int
    scanned: int
    dates: int
    issues: int

    @property
    def is_complete(self) -> bool:
        return self.dates == self.issues == self.domains


@dataclass(frozen=True, slots=True)
class KnownEnds:
    """The end dates of a workspace's domains by host name, as they are at `now`."""

    by_host: Mapping[str, EndDates]
    now: datetime

    def soon(self, hosts: Iterable[str]) -> list[tuple[str, EndDates]]:
        """Return those of `hosts` that end within 30 days or have ended, the first one first."""
        near = [
            (first.day, host, ends)
            for host in hosts
            if (ends := self.by_host.get(host))
            and (first := ends.first)
            and first.days_left(self.now) <= SOON_DAYS
        ]
        return [(host, ends) for _day, host, ends in sorted(near, key=lambda each: each[:2])]

    def issues(
        self, hosts: Iterable[str], since: datetime | None
    ) -> list[tuple[str, EndDates, KnownIssue]]:
        """Return the issues of `hosts` that were found after `since`, the worst first."""
        after = since.timestamp() if since else 0
        found = [
            (host, ends, issue)
            for host in hosts
            if (ends := self.by_host.get(host))
            for issue in ends.worst
            if issue.since > after
        ]
        return sorted(found, key=lambda each: (each[2].rank, each[0]))

    def coverage(self, hosts: Iterable[str]) -> "Coverage":
        """Return for how many of `hosts` the last scans tell dates and issues."""
        rows = [self.by_host.get(host) for host in hosts]
        scanned = [row for row in rows if row]
        return Coverage(
            domains=len(rows),
            scanned=len(scanned),
            dates=sum(row.ends_are_known for row in scanned),
            issues=sum(row.issues_are_known for row in scanned),
        )

    def never_scanned(self, hosts: Iterable[str]) -> int:
        """Return how many of `hosts` have no kept scan."""
        return sum(host not in self.by_host for host in hosts)


class KeptEndDates:
    """The end dates of every domain that was scanned and is still in its portfolio."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._patience = BoundedWait(ANSWERED_WITHIN_S)
        self._known: TTLCache[WorkspaceId, dict[str, EndDates]] = TTLCache(MAX_KNOWN, KNOWN_FOR_S)
        self._kept = 0  # how often something was: what was read before is not cached after

    async def known(self, workspace: WorkspaceId, now: datetime) -> KnownEnds | None:
        """Return them as they are at `now`; `None` if the store does not answer in time.

        A scan by another process may be unknown for 5 s.
        """
        with warned("end dates are unknown", StoreError, TimeoutError):
            by_host = self._known.get(workspace)
            if by_host is None:
                by_host = await self._patience.wait(self.get(workspace))
            return KnownEnds(by_host, now)
        return None

    async def recent(self, workspace: WorkspaceId) -> dict[str, EndDates]:
        """Return them as `get` did at most 5 s ago; raise StoreError."""
        known = self._known.get(workspace)
        return await self.get(workspace) if known is None else known

    async def get(self, workspace: WorkspaceId) -> dict[str, EndDates]:
        """Return them by host name, of scanned domains only; raise StoreError."""
        kept = self._kept
        documents = await self._documents.list_prefix(f"{workspace}/{KIND}/")
        known = await asyncio.to_thread(_all_of, documents)  # 10,000 rows take about 90 ms
        if kept == self._kept:
            self._known[workspace] = known
        return known

    async def keep(
        self,
        workspace: WorkspaceId,
        host: str,
        ends: EndDates,
        *,
        portfolio: Container[str] | None = None,
    ) -> None:
        """Replace those of `host`; forget hosts that are not in `portfolio`; raise StoreError."""

        def noted(document: Document | None) -> Write:
            rows = {
                other: row
                for other, row in _rows(document).items()
                if portfolio is None or other in portfolio
            }
            before = _decoded(_rows(document).get(host))
            return Write({"v": 1, "hosts": rows | {host: _encoded(_after(before, ends))}})

        number = zlib.crc32(host.encode()) % DOCUMENTS
        await update(self._documents, f"{workspace}/{KIND}/{number}", noted)
        self._kept += 1
        self._known.pop(workspace, None)


def end_dates_of(facts: ScanFacts, scanned_at: datetime, now: datetime) -> EndDates:
    """Return what is kept of a scan; its issues are known from now on."""
    worst = tuple(
        KnownIssue(issue.severity.value, issue.title[:MAX_TITLE_CHARS], now.timestamp())
        for issue in facts.issues[:MAX_WORST_ISSUES]
    )
    return EndDates(
        scanned_at,
        facts.registration,
        facts.certificate,
        facts.counts,
        worst,
        facts.issue_knowledge,
        tuple(facts.failed),
    )


def _after(before: EndDates | None, ends: EndDates) -> EndDates:
    """Return the result of a scan; issues that the scan before found keep their `since`.

    An issue is the same if its title is, unless its severity has risen. If the scan before had
    more issues than were kept, one no worse than those counts as found by it.
    """
    if before is None:
        return ends
    known = {_name(issue): issue for issue in reversed(before.worst)}
    has_more = sum(before.issues.values()) > len(before.worst)
    last_rank = before.worst[-1].rank if before.worst else 0

    def dated(issue: KnownIssue) -> KnownIssue:
        then = known.get(_name(issue))
        if then and then.rank <= issue.rank:
            return issue._replace(since=then.since)
        is_doubtful = has_more and issue.rank >= last_rank
        return issue._replace(since=before.scanned_at.timestamp()) if is_doubtful else issue

    return replace(ends, worst=tuple(map(dated, ends.worst)))


def _name(issue: KnownIssue) -> str:
    return COUNTED_TIME.sub("", issue.title)


def _all_of(documents: Iterable[Document]) -> dict[str, EndDates]:
    return {
        host: ends
        for document in documents
        for host, row in _rows(document).items()
        if (ends := _decoded(row))
    }


def _rows(document: Document | None) -> dict[str, Any]:
    rows = document.value.get("hosts") if document else None
    return rows if isinstance(rows, dict) else {}


def _encoded(ends: EndDates) -> list[object]:
    issues = {severity.value: count for severity, count in ends.issues.items()}
    dates = ends.scanned_at.isoformat(), _text(ends.registration), _text(ends.certificate)
    worst = [list(issue) for issue in ends.worst]
    return [*dates, issues, worst, ends.issue_knowledge.value, list(ends.failed)]


def _text(end: EndDate | None) -> str | None:
    return (end.moment or end.day).isoformat() if end else None


def _decoded(row: Any) -> EndDates | None:
    """Return a row, `None` if it is none."""
    try:
        match row:
            case [
                str(scanned),
                str() | None as registration,
                str() | None as certificate,
                dict(n),
                list(worst),
                str(issue_knowledge),
                list(failed),
            ]:
                return EndDates(
                    datetime.fromisoformat(scanned),
                    _end(registration),
                    _end(certificate),
                    {severity: n[severity] for severity in SEVERITIES if severity in n},
                    tuple(KnownIssue(*each) for each in worst),
                    Knowledge(issue_knowledge),
                    tuple(map(str, failed)),
                )
    except (TypeError, ValueError):
        return None
    return None


def _end(text: str | None) -> EndDate | None:
    if text is None:
        return None
    if "T" in text:
        moment = datetime.fromisoformat(text)
        return EndDate(moment.date(), moment)
    return EndDate(date.fromisoformat(text))
