"""Keep, for each domain, when its registration and certificate end, and its worst issues.

One small row per domain, as of its last scan; the reports of scans are few and large. The rows of
a workspace are spread over a few documents: a scan of one domain does not write all 10,000.
"""

import asyncio
import zlib
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

import msgspec
from cachetools import TTLCache

from bot.process.concurrency import compute
from bot.process.errors import log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.store.documents import Document, Documents, StoreError, Write, update
from bot.tracker.changes import COUNTED_TIME
from bot.tracker.hijack_signs import KINDS, is_same, is_worse, kind_of
from bot.tracker.scan_facts import (
    SEVERITIES,
    SOON_DAYS,
    EndDate,
    Knowledge,
    ScanFacts,
    Severity,
    issues_are_known,
)

KIND = "ends"
DOCUMENTS = 16
# Of a domain's issues the worst are kept, for digests; all of them are in its last report.
MAX_WORST_ISSUES = 8
MAX_TITLE_CHARS = 80
MAX_CHANGES = 8
# A list may lack domains for once: only what it has lacked for long is forgotten.
KEPT_OUTSIDE_FOR = timedelta(days=30)
# After this time an answer is sent without the dates.
ANSWERED_WITHIN_S = 1.0
KNOWN_FOR_S = 5.0
MAX_KNOWN = 100


class KnownIssue(NamedTuple):
    """An issue of a domain, as it is stored: short, as a workspace has many.

    A scan found it at `since`, in seconds since 1970, and the scan before that did not. `section`
    is that of the scan, "" where an earlier version stored it.
    """

    severity: Severity
    title: str
    since: float
    section: str = ""

    @property
    def rank(self) -> int:
        """The index of its severity, the worst is 0."""
        return SEVERITIES.index(self.severity)


class KnownChange(NamedTuple):
    """A sign of who controls the domain (see `bot.tracker.hijack_signs`) that changed.

    A scan found it at `since`, in seconds since 1970; the last scan that said it said `before`.
    `expected_by` is the id of the person who knew of it, "" for none.
    """

    sign: str
    before: str
    after: str
    since: float
    expected_by: str = ""

    @property
    def is_alarm(self) -> bool:
        """Whether it may be a hijack, as far as anybody said."""
        return is_worse(self.sign, self.after) and not self.expected_by

    def expected_if_in(self, known: Iterable["KnownChange"]) -> "KnownChange":
        """Return it as expected where one of `known` is of its kind, as late, and expected."""
        by = (
            each.expected_by
            for each in known
            if kind_of(each.sign) == kind_of(self.sign) and each.since >= self.since
        )
        return self._replace(expected_by=self.expected_by or next(filter(None, by), ""))


@dataclass(frozen=True, slots=True)
class KeptFacts:
    """What the last scan of a domain said. `issues` are counted by severity, worst first.

    `worst` are the worst of them. `failed` names the sections that tell nothing; `unconfirmed` are
    the issues that those had before. `signs` show who controls the domain, each by the last scan
    that named it; `changes` are their latest, oldest first. `registered` is the registered name
    above the domain, "" if that is not known.
    """

    scanned_at: datetime
    registration: EndDate | None = None
    certificate: EndDate | None = None
    issues: Mapping[Severity, int] = field(default_factory=dict)
    worst: tuple[KnownIssue, ...] = ()
    issue_knowledge: Knowledge = Knowledge.UNRECOGNIZED
    failed: tuple[str, ...] = ()
    signs: Mapping[str, str] = field(default_factory=dict)
    changes: tuple[KnownChange, ...] = ()
    registered: str = ""
    unconfirmed: tuple[KnownIssue, ...] = ()

    @property
    def issues_are_known(self) -> bool:
        """Whether the scan lists issues or checks, and could check security."""
        return issues_are_known(self.issue_knowledge, self.failed)

    @property
    def first(self) -> EndDate | None:
        """The end that comes first, `None` when none is known."""
        ends = [end for end in (self.registration, self.certificate) if end]
        return min(ends, key=lambda end: end.day, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """For how many of `domains` the last scan gave both end dates, and issues or checks.

    `age` is that of the oldest of these scans, `None` without any.
    """

    domains: int
    scanned: int
    dates: int
    issues: int
    age: timedelta | None = None

    @property
    def is_complete(self) -> bool:
        return self.dates == self.issues == self.domains


class Ending(NamedTuple):
    """A domain that ends soon; `hosts_under` more hosts are under the same registration.

    `ends` has no registration where the line of another host tells it.
    """

    host: str
    ends: KeptFacts
    hosts_under: int = 0
    within: int = SOON_DAYS


@dataclass(frozen=True, slots=True)
class KnownFacts:
    """The facts of domains by host name, at `now`; what ends `within` so many days ends soon."""

    by_host: Mapping[str, KeptFacts]
    now: datetime
    within: int = SOON_DAYS

    def soon(self, hosts: Iterable[str]) -> list[Ending]:
        """Return those of `hosts` that end soon or have ended, the first one first.

        A registration stands once, at the shortest of the hosts that it is for.
        """
        near = {
            host: ends
            for host in hosts
            if (ends := self.by_host.get(host)) and self._is_soon(ends.first)
        }
        counts = self._by_registration(near)
        soon: dict[tuple[date, str], Ending] = {}
        for host, ends in near.items():
            count = counts.get(host, 1)
            told = ends if count else replace(ends, registration=None)
            if told.first and self._is_soon(told.first):
                soon[told.first.day, host] = Ending(host, told, max(0, count - 1), self.within)
        return [soon[key] for key in sorted(soon)]

    def _is_soon(self, end: EndDate | None) -> bool:
        return end is not None and end.days_left(self.now) <= self.within

    def _by_registration(self, near: Mapping[str, KeptFacts]) -> dict[str, int]:
        """Return how many hosts each one tells the registration of: 0 where another one does.

        It is named as WHOIS does, or else as a host above that has the same end.
        """
        counts: dict[str, int] = {}
        first_host: dict[tuple[str, date], str] = {}
        for host in sorted(near, key=lambda each: (len(each), each)):
            end = near[host].registration
            if end is None or not self._is_soon(end):
                continue
            labels = host.split(".")
            above = (".".join(labels[start:]) for start in range(1, len(labels)))
            names = (near[host].registered or host, *above)
            known = (first_host[name, end.day] for name in names if (name, end.day) in first_host)
            first = next(known, host)
            first_host.setdefault((names[0], end.day), first)
            first_host.setdefault((host, end.day), first)
            counts.setdefault(host, 0)
            counts[first] += 1
        return counts

    def changes(
        self, hosts: Iterable[str], since: datetime
    ) -> list[tuple[str, KeptFacts, KnownChange]]:
        """Return the changes of signs of `hosts` after `since`, name servers first.

        Each stands once, from its first value to its last; one that came back does not.
        """
        found = [
            (host, ends, change)
            for host in hosts
            if (ends := self.by_host.get(host))
            for change in _joined(ends.changes, since.timestamp())
        ]
        return sorted(found, key=lambda each: (KINDS.index(kind_of(each[2].sign)), each[0]))

    def issues(
        self, hosts: Iterable[str], since: datetime | None
    ) -> list[tuple[str, KeptFacts, KnownIssue]]:
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
        rows = [self.by_host.get(host) for host in hosts]
        scanned = [row for row in rows if row]
        return Coverage(
            domains=len(rows),
            scanned=len(scanned),
            dates=sum(bool(row.registration and row.certificate) for row in scanned),
            issues=sum(row.issues_are_known for row in scanned),
            age=max((self.now - row.scanned_at for row in scanned), default=None),
        )


class FactsRepository:
    """The facts of every domain that was scanned and is still in its portfolio."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._known: TTLCache[WorkspaceId, dict[str, KeptFacts]] = TTLCache(MAX_KNOWN, KNOWN_FOR_S)

    async def known(
        self, workspace: WorkspaceId, now: datetime, *, is_needed: bool = False
    ) -> KnownFacts | None:
        """Return them as they are at `now`; `None` if the store does not answer in time.

        A scan by another process may be unknown for 5 s. With `is_needed` they are the newest, and
        a store that does not answer raises StoreError.
        """
        if is_needed:
            return KnownFacts(await self.get(workspace), now)
        with log_and_suppress("facts are unknown", StoreError, TimeoutError):
            async with asyncio.timeout(ANSWERED_WITHIN_S):
                by_host = self._known.get(workspace)
                return KnownFacts(await self.get(workspace) if by_host is None else by_host, now)
        return None

    async def get(self, workspace: WorkspaceId) -> dict[str, KeptFacts]:
        """Return them by host name, of scanned domains only; raise StoreError."""
        documents = await self._documents.list_prefix(f"{workspace}/{KIND}/")
        count = sum(map(len, map(_rows, documents)))
        known = self._known[workspace] = await compute(count, _all_of, documents)
        return known

    async def keep(
        self,
        workspace: WorkspaceId,
        host: str,
        ends: KeptFacts,
        *,
        portfolio: Container[str] | None = None,
    ) -> tuple[KnownChange, ...]:
        """Replace those of `host`; raise StoreError.

        Forget hosts that are not in `portfolio` and were last scanned long ago. Return the signs
        that this scan shows to have changed.
        """
        after = ends

        def noted(document: Document | None) -> Write:
            nonlocal after
            rows = _rows(document)
            after = _after(_decoded(rows.get(host)), ends)
            kept = {
                each: row
                for each, row in rows.items()
                if portfolio is None or each in portfolio or _is_recent(row, ends.scanned_at)
            }
            return Write({"v": 1, "hosts": kept | {host: msgspec.to_builtins(after)}})

        await self._update(workspace, host, noted)
        now = ends.scanned_at.timestamp()
        return tuple(change for change in after.changes if change.since == now)

    async def expect(
        self, workspace: WorkspaceId, host: str, changes: Iterable[KnownChange]
    ) -> None:
        """Note which changes of `host`, up to these, a person knew of; raise StoreError."""

        def noted(document: Document | None) -> Write | None:
            rows = _rows(document)
            if not (row := _decoded(rows.get(host))):
                return None
            known = tuple(each.expected_if_in(changes) for each in row.changes)
            after = msgspec.to_builtins(replace(row, changes=known))
            return Write({"v": 1, "hosts": rows | {host: after}})

        await self._update(workspace, host, noted)

    async def _update(
        self, workspace: WorkspaceId, host: str, change: Callable[[Document | None], Write | None]
    ) -> None:
        number = zlib.crc32(host.encode()) % DOCUMENTS
        await update(self._documents, f"{workspace}/{KIND}/{number}", change)
        self._known.pop(workspace, None)


def kept_of(host: str, facts: ScanFacts, now: datetime) -> KeptFacts:
    """Return what is kept of a scan of `host` that has just ended."""
    worst = tuple(
        KnownIssue(issue.severity, issue.title[:MAX_TITLE_CHARS], now.timestamp(), issue.section)
        for issue in facts.issues[:MAX_WORST_ISSUES]
    )
    return KeptFacts(
        now,
        facts.registration,
        facts.certificate,
        facts.counts,
        worst,
        facts.issue_knowledge,
        tuple(facts.failed),
        facts.signs,
        registered=facts.registered if host.endswith(f".{facts.registered}") else "",
    )


def _after(before: KeptFacts | None, ends: KeptFacts) -> KeptFacts:
    """Return the result of a scan; issues that the scan before found keep their `since`.

    An issue is the same if its title is, unless its severity has risen; those of a section that
    fails are unconfirmed until it is read again. If the scan before had more issues than were
    kept, one no worse than those counts as found by it.
    """
    if before is None:
        return ends
    ends = _with_changes(before, ends)
    found = (*before.worst, *before.unconfirmed)
    known = {issue_name(issue): issue for issue in reversed(found)}
    has_more = sum(before.issues.values()) > len(before.worst)
    last_rank = before.worst[-1].rank if before.worst else 0

    def dated(issue: KnownIssue) -> KnownIssue:
        then = known.get(issue_name(issue))
        if then and then.rank <= issue.rank:
            return issue._replace(since=then.since)
        is_doubtful = has_more and issue.rank >= last_rank
        return issue._replace(since=before.scanned_at.timestamp()) if is_doubtful else issue

    unconfirmed = [issue for issue in found if issue.section in ends.failed]
    return replace(
        ends,
        worst=tuple(map(dated, ends.worst)),
        unconfirmed=tuple(unconfirmed[:MAX_WORST_ISSUES]),
    )


def _with_changes(before: KeptFacts, ends: KeptFacts) -> KeptFacts:
    """Return the result of a scan with what changed; what it does not say stays as it was."""
    latest = {kind_of(each.sign): each.after for each in before.changes}
    found: dict[str, KnownChange] = {}
    for sign, after in ends.signs.items():
        then, kind = before.signs.get(sign, after), kind_of(sign)
        # WHOIS and DNS say the same, not always in the same scan.
        if not is_same(sign, then, after) and not is_same(sign, latest.get(kind, then), after):
            found.setdefault(kind, KnownChange(sign, then, after, ends.scanned_at.timestamp()))
    changes = (*before.changes, *found.values())[-MAX_CHANGES:]
    return replace(ends, signs={**before.signs, **ends.signs}, changes=changes)


def _joined(changes: Iterable[KnownChange], after: float) -> list[KnownChange]:
    joined: dict[str, KnownChange] = {}
    for change in (each for each in changes if each.since > after):
        kind = kind_of(change.sign)
        first = joined.get(kind, change)
        joined[kind] = change._replace(sign=first.sign, before=first.before)
    return [each for each in joined.values() if not is_same(each.sign, each.before, each.after)]


def issue_name(issue: KnownIssue) -> str:
    """Return what an issue is called in every scan."""
    return COUNTED_TIME.sub("", issue.title)


def _all_of(documents: Iterable[Document]) -> dict[str, KeptFacts]:
    return {
        host: ends
        for document in documents
        for host, row in _rows(document).items()
        if (ends := _decoded(row))
    }


def _rows(document: Document | None) -> dict[str, Any]:
    return document.value["hosts"] if document else {}


def _is_recent(row: Any, now: datetime) -> bool:
    known = _decoded(row)
    return known is not None and now - known.scanned_at < KEPT_OUTSIDE_FOR


def _decoded(row: Any) -> KeptFacts | None:
    try:
        return msgspec.convert(row, KeptFacts)
    except msgspec.ValidationError:  # none, or of another version
        return None
