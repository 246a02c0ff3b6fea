"""Full scans: one request however many people ask, the last result kept to compare with."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

import msgspec
import structlog

from bot.errors import BotError
from bot.findings import Change, Section, changes_between, section_of
from bot.portfolio.lookup import host_of
from bot.portfolio.portfolio import Portfolio
from bot.single_flight import SingleFlight
from bot.store.base import Documents
from bot.store.errors import ConflictError, StoreError
from bot.tracker.models import Domain, ScanResult
from bot.workspace import WorkspaceId

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
    """Whatever asks the service for a scan."""

    async def scan(self, workspace: WorkspaceId, domain_id: str) -> ScanResult:
        """Return the result, or raise a TrackerError or a NoKeyError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanReport:
    """One scan: what it found, and what is different from the one before it.

    `score` is the health score as listed before the scan, `None` when unknown. `since` is
    when the scan was made that `changes` compares with, `None` when there was none.
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
    ) -> None:
        self._service = service
        self._portfolio = portfolio
        self._documents = documents
        self._clock = clock
        self._flights: SingleFlight[tuple[WorkspaceId, str], ScanReport] = SingleFlight()

    async def run(self, workspace: WorkspaceId, domain: Domain) -> ScanReport:
        """Scan `domain` now; everybody who asks meanwhile gets the same report.

        Raises:
            NoDomainIdError: the service did not say by which id.
            TrackerError, NoKeyError: see `Connection.scan`; nothing was kept.
        """
        return await self._flights.run(
            (workspace, host_of(domain)), lambda: self._scan(workspace, domain)
        )

    async def last(self, workspace: WorkspaceId, host: str) -> ScanReport:
        """Return the last report of `host`, or raise NoScanError."""
        document = await self._documents.get(_place(workspace, host))
        if document is None:
            raise NoScanError("no scan kept")
        try:
            return msgspec.convert(document.value.get("report"), ScanReport)
        except msgspec.ValidationError as error:
            raise NoScanError("kept by another version of the bot") from error

    async def _scan(self, workspace: WorkspaceId, domain: Domain) -> ScanReport:
        if not domain.domain_id:
            raise NoDomainIdError("listed without domainId")
        result = await self._service.scan(workspace, domain.domain_id)
        await self._portfolio.outdate(workspace)  # the score may have changed
        report = await asyncio.to_thread(self._report, domain, result)
        try:
            report = await self._compared(workspace, report)
            await self._keep(workspace, report)
        except StoreError as error:
            # The service has done the work: that it cannot be kept must not cost the answer.
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
        changes = [
            change
            for section in report.sections
            for change in changes_between(before.section(section.name), section)
        ]
        return replace(report, changes=tuple(changes[:MAX_KEPT_CHANGES]), since=before.scanned_at)

    async def _keep(self, workspace: WorkspaceId, report: ScanReport) -> None:
        value = {"v": 1, "report": msgspec.to_builtins(report)}
        await self._documents.put(_place(workspace, report.host), value)
        for host in await self._now_latest(workspace, report.host):
            await self._documents.delete(_place(workspace, host))

    async def _now_latest(self, workspace: WorkspaceId, host: str) -> list[str]:
        """Note that `host` was scanned last; return the hosts that are too many now."""
        key = f"{workspace}/scans"
        while True:
            document = await self._documents.get(key)
            known = document.value["hosts"] if document else []
            hosts = [*(other for other in known if other != host), host]
            too_many, kept = hosts[:-MAX_KEPT_SCANS], hosts[-MAX_KEPT_SCANS:]
            try:
                rev = document.rev if document else 0
                await self._documents.put(key, {"v": 1, "hosts": kept}, if_rev=rev)
            except ConflictError:
                continue  # two scans ended at once: look again
            return too_many


def _place(workspace: WorkspaceId, host: str) -> str:
    return f"{workspace}/scan/{host}"
