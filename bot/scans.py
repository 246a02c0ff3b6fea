"""Scan domains: one request for simultaneous calls; compare with the last result."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

import msgspec
import structlog

from bot.claims import Claims
from bot.concurrency import SingleFlight
from bot.errors import BotError
from bot.portfolio.query import host_of
from bot.portfolio.service import Portfolio
from bot.store.documents import Document, Documents, StoreError, Write, update
from bot.tracker.models import Domain, ScanResult
from bot.workspace import WorkspaceId

Scalar = str | int | float | bool | None
# Further findings are counted, not kept.
MAX_FINDINGS = 10_000
MAX_VALUE_CHARS = 2_000
MAX_PATH_PARTS = 12
MAX_PART_CHARS = 200
MAX_LIST_IN_ONE = 12
# Four sections are kept for each domain's last scan.
MAX_SECTION_CHARS = 100_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One value and its path: `("dns", "MX", "1", "host")` without the section's name.

    A list of plain values is one finding, in its order.
    """

    path: tuple[str, ...]
    value: Scalar | tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a scan. `left_out` findings are past the limit.

    `is_given` is False when the service did not send it at all.
    """

    name: str
    findings: tuple[Finding, ...]
    left_out: int = 0
    is_given: bool = True


@dataclass(frozen=True, slots=True)
class Change:
    """A finding before and after; one of them is `None` when it is new, or gone."""

    section: str
    before: Finding | None
    after: Finding | None


def section_of(name: str, given: Mapping[str, object]) -> Section:
    """Return the section called `name` of a scan's sections."""
    if name not in given:
        return Section(name, (), is_given=False)
    kept: list[Finding] = []
    left_out = chars = 0
    for finding in _flatten(given[name]):
        chars += len(str(finding.value)) + sum(map(len, finding.path))
        if len(kept) < MAX_FINDINGS and chars <= MAX_SECTION_CHARS:
            kept.append(finding)
        else:
            left_out += 1
    return Section(name, tuple(kept), left_out=left_out)


def changes_between(before: Section, after: Section) -> list[Change]:
    """Return the new, gone and different findings of `after`, in its order, gone ones last.

    Name servers answer in any order: values are compared as a set under their path without its
    numbers. A section that was cut, or is missing in one of the scans, is not compared.
    """
    if not (before.is_given and after.is_given) or before.left_out or after.left_out:
        return []
    old, new = _by_label(before), _by_label(after)
    changes = []
    for label in {**new, **old}:
        was, now = old.get(label, []), new.get(label, [])
        before_values, after_values = set(map(_value, was)), set(map(_value, now))
        gone = [finding for finding in was if _value(finding) not in after_values]
        come = [finding for finding in now if _value(finding) not in before_values]
        if len(gone) == len(come) == 1:
            changes.append(Change(after.name, gone[0], come[0]))
        else:
            changes += [Change(after.name, None, finding) for finding in come]
            changes += [Change(after.name, finding, None) for finding in gone]
    return changes


def _by_label(section: Section) -> dict[tuple[str, ...], list[Finding]]:
    grouped: dict[tuple[str, ...], list[Finding]] = {}
    for finding in section.findings:
        label = tuple(part for part in finding.path if not part.isdecimal())
        grouped.setdefault(label, []).append(finding)
    return grouped


def _value(finding: Finding) -> Scalar | tuple[str, ...]:
    if isinstance(finding.value, tuple):
        return tuple(sorted(map(str, finding.value)))
    return finding.value


def _flatten(value: object) -> Iterator[Finding]:
    """Yield the findings, without recursion: a scan may be nested deeper than Python's stack."""
    stack: list[tuple[tuple[str, ...], object]] = [((), value)]
    while stack:
        path, value = stack.pop()
        children: list[tuple[object, object]] = []
        if isinstance(value, Mapping):
            children = list(value.items())
        elif isinstance(value, list) and not _is_one_finding(value):
            children = list(enumerate(value, 1))
        if children:
            stack.extend(
                (_bounded((*path, str(key)[:MAX_PART_CHARS])), item)
                for key, item in reversed(children)
            )
        elif isinstance(value, list):
            yield Finding(path, tuple(_clipped(item) for item in value))
        else:
            yield Finding(path, None if isinstance(value, Mapping) else _clipped(value))


def _is_one_finding(values: list[object]) -> bool:
    is_plain = not any(isinstance(item, list | Mapping) for item in values)
    return is_plain and len(values) <= MAX_LIST_IN_ONE


def _bounded(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return a path that is readable at any depth: its beginning, a gap, its end."""
    if len(path) <= MAX_PATH_PARTS:
        return path
    return (*path[: MAX_PATH_PARTS // 2], "…", *path[-(MAX_PATH_PARTS // 2 - 1) :])


def _clipped(value: object) -> Scalar:
    if isinstance(value, bool | int | float) or value is None:
        return value
    text = str(value)
    return text if len(text) <= MAX_VALUE_CHARS else f"{text[: MAX_VALUE_CHARS - 1]}…"


logger = structlog.get_logger()
# The sections of a scan: service document, section 2.3.
SECTIONS = ("whois", "dns", "ssl", "security")
MAX_KEPT_SCANS = 200
MAX_KEPT_CHANGES = 100


class NoDomainIdError(BotError):
    """The service listed the domain without the id that a scan of it needs."""


class NoScanError(BotError):
    """No scan of this domain is kept (any more)."""


class ScansDomains(Protocol):
    """Asks the service for a scan."""

    async def scan(self, workspace: WorkspaceId, domain_id: str) -> ScanResult:
        """Return the result, or raise a TrackerError or a NoKeyError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanReport:
    """The findings of one scan, and its changes since the one before it.

    `score` is the health score as listed before the scan, `None` when unknown. `since` is the
    moment of the scan before, `None` when there was none.
    """

    host: str
    score: float | None
    scanned_at: datetime
    sections: tuple[Section, ...]
    changes: tuple[Change, ...] = ()
    since: datetime | None = None

    def section(self, name: str) -> Section:
        """Return the section called `name`, one of SECTIONS."""
        return next(section for section in self.sections if section.name == name)


class Scans:
    """Runs scans and keeps the last report of each domain, of the latest 200 per workspace."""

    def __init__(
        self,
        service: ScansDomains,
        portfolio: Portfolio,
        documents: Documents,
        *,
        clock: Callable[[], datetime],
        claims: Claims | None = None,
    ) -> None:
        self._service = service
        self._portfolio = portfolio
        self._documents = documents
        self._clock = clock
        self._claims = claims or Claims()
        self._flights: SingleFlight[tuple[WorkspaceId, str], ScanReport] = SingleFlight()

    async def run(self, workspace: WorkspaceId, domain: Domain) -> ScanReport:
        """Scan `domain` now; simultaneous calls get the same report, in all processes.

        Raises:
            NoDomainIdError: the service lists it without an id.
            TrackerError, NoKeyError: the scan failed; nothing was kept.
        """
        host = host_of(domain)

        async def read(_wish: Any) -> ScanReport:
            return await self.last(workspace, host)

        return await self._flights.run(
            (workspace, host),
            lambda: self._claims.run(
                workspace, f"scan/{host}", lambda: self._scan(workspace, domain), read
            ),
        )

    async def last(self, workspace: WorkspaceId, host: str) -> ScanReport:
        """Return the last report of `host`, or raise NoScanError."""
        document = await self._documents.get(_place(workspace, host))
        if document is None:
            raise NoScanError("no scan kept")
        try:
            return await asyncio.to_thread(
                msgspec.convert, document.value.get("report"), ScanReport
            )
        except msgspec.ValidationError as error:
            raise NoScanError("kept by another version of the bot") from error

    async def _scan(self, workspace: WorkspaceId, domain: Domain) -> ScanReport:
        if not domain.domain_id:
            raise NoDomainIdError("listed without domainId")
        result = await self._service.scan(workspace, domain.domain_id)
        await self._portfolio.invalidate(workspace)  # the score may have changed
        report = await asyncio.to_thread(self._report, domain, result)
        try:
            report = await self._compared(workspace, report)
            await self._keep(workspace, report)
        except StoreError as error:
            # The answer does not depend on the store.
            logger.warning("a scan could not be kept", error=repr(error))
        return report

    def _report(self, domain: Domain, result: ScanResult) -> ScanReport:
        return ScanReport(
            host=host_of(domain),
            score=domain.health_score,
            scanned_at=self._clock(),
            sections=tuple(section_of(name, result.sections) for name in SECTIONS),
        )

    async def _compared(self, workspace: WorkspaceId, report: ScanReport) -> ScanReport:
        try:
            before = await self.last(workspace, report.host)
        except NoScanError:
            return report
        return await asyncio.to_thread(_with_changes, report, before)

    async def _keep(self, workspace: WorkspaceId, report: ScanReport) -> None:
        value = {"v": 1, "report": await asyncio.to_thread(msgspec.to_builtins, report)}
        await self._documents.put(_place(workspace, report.host), value)
        for host in await self._now_latest(workspace, report.host):
            await self._documents.delete(_place(workspace, host))

    async def _now_latest(self, workspace: WorkspaceId, host: str) -> list[str]:
        """Record that `host` was scanned last; return the hosts beyond the limit."""
        too_many: list[str] = []

        def noted(document: Document | None) -> Write:
            known = document.value["hosts"] if document else []
            hosts = [*(other for other in known if other != host), host]
            too_many[:] = hosts[:-MAX_KEPT_SCANS]
            return Write({"v": 1, "hosts": hosts[-MAX_KEPT_SCANS:]})

        await update(self._documents, f"{workspace}/scans", noted)
        return too_many


def _with_changes(report: ScanReport, before: ScanReport) -> ScanReport:
    changes = [
        change
        for section in report.sections
        for change in changes_between(before.section(section.name), section)
    ]
    return replace(report, changes=tuple(changes[:MAX_KEPT_CHANGES]), since=before.scanned_at)


def _place(workspace: WorkspaceId, host: str) -> str:
    return f"{workspace}/scan/{host}"
