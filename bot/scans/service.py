"""Scan domains: one request for simultaneous calls; compare with the last result."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import datetime

import msgspec
import structlog

from bot.domains.kept_facts import FactsRepository, KnownChange, kept_of
from bot.domains.lookup import host_of
from bot.domains.service import Portfolio, Snapshot
from bot.process.clock import Clock
from bot.process.concurrency import SingleFlight
from bot.process.errors import BotError, log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.store.documents import Document, Documents, StoreError, Write, update
from bot.tracker.changes import Change, changes_between
from bot.tracker.facts import facts_of
from bot.tracker.models import SECTIONS, Domain
from bot.tracker.rate_limit import Purpose
from bot.tracker.scan_facts import ScanFacts
from bot.tracker.sections import Section, section_of

logger = structlog.get_logger()
MAX_KEPT_SCANS = 200
SECONDS_EACH = 40  # about what a scan takes
MAX_KEPT_CHANGES = 100
# The scan has answered: the score that goes with it is not worth a long wait.
LISTED_WITHIN_S = 10.0


class NoDomainIdError(BotError):
    """The service listed the domain without the id that a scan of it needs."""


class NoScanError(BotError):
    """No scan of this domain is kept (any more)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanReport:
    """The findings of one scan, and its changes since the one before it.

    `score` is the health score in the list before the scan, `score_after` the one after it, and
    `last_score` the one after the scan before, `None` when unknown. `since` is the moment of the
    scan before, if there was one. Sections that failed in one of the two are `uncompared`, others
    `too_long` to be; of those in `partly` a look-up failed. `changes_cut`: so many are not kept.
    `sign_changes` say who controls the domain now. `is_owned`: it is, or may be, of that type.
    """

    host: str
    score: float | None
    score_after: float | None = None
    scanned_at: datetime
    facts: ScanFacts
    sections: tuple[Section, ...]
    changes: tuple[Change, ...] = ()
    since: datetime | None = None
    uncompared: tuple[str, ...] = ()
    too_long: tuple[str, ...] = ()
    partly: tuple[str, ...] = ()
    changes_cut: int = 0
    last_score: float | None = None
    sign_changes: tuple[KnownChange, ...] = ()
    is_owned: bool = True
    domain_id: str | None = None

    def section(self, name: str) -> Section:
        return next(section for section in self.sections if section.name == name)


@dataclass(frozen=True, slots=True)
class Scans:
    """Runs scans; keeps the latest 200 reports of a workspace and all its domains' end dates."""

    request_scan: Callable[[WorkspaceId, str, Purpose], Awaitable[dict[str, object]]]
    portfolio: Portfolio
    documents: Documents
    kept_facts: FactsRepository
    _: KW_ONLY
    clock: Clock
    _flights: SingleFlight[tuple[WorkspaceId, str, bool], ScanReport] = field(
        default_factory=SingleFlight, init=False
    )

    async def run(
        self,
        workspace: WorkspaceId,
        domain: Domain,
        *,
        purpose: Purpose = Purpose.PERSON,
        lists: bool = True,
    ) -> ScanReport:
        """Scan `domain` now; simultaneous calls in this process get the same report.

        Without `lists` the list is not asked for the new score; those who want it do not share
        such a scan. After NoDomainIdError, TrackerError and NoKeyError nothing was kept.
        """
        return await self._flights.run(
            (workspace, host_of(domain), lists),
            lambda: self._scan(workspace, domain, purpose, lists=lists),
        )

    async def last(self, workspace: WorkspaceId, host: str) -> ScanReport:
        """Return the last report of `host`, or raise NoScanError."""
        document = await self.documents.get(_key(workspace, host))
        if document is None:
            raise NoScanError("no scan kept")
        try:
            value = document.value.get("report")
            return await asyncio.to_thread(msgspec.convert, value, ScanReport)
        except msgspec.ValidationError as error:
            raise NoScanError("kept in another form") from error

    async def _scan(
        self, workspace: WorkspaceId, domain: Domain, purpose: Purpose, *, lists: bool
    ) -> ScanReport:
        if not domain.domain_id:
            raise NoDomainIdError("listed without domainId")
        result = await self.request_scan(workspace, domain.domain_id, purpose)
        report = await asyncio.to_thread(self._report, domain, result)
        listed = await self.list_again(workspace, purpose) if lists else None
        if listed and (listed_as := listed.by_host.get(report.host)):
            report = replace(report, score_after=listed_as.health_score)
        with log_and_suppress("a scan could not be kept", StoreError):  # the answer needs no store
            with suppress(NoScanError):
                before = await self.last(workspace, report.host)
                report = await asyncio.to_thread(_with_changes, report, before)
            facts = kept_of(report.host, report.facts, self.clock())
            known = listed or await self.portfolio.last_snapshot(workspace)
            hosts = known.by_host if known else None
            changed = await self.kept_facts.keep(workspace, report.host, facts, portfolio=hosts)
            report = replace(report, sign_changes=changed)
            await self._keep(workspace, report, is_background=purpose is Purpose.BACKGROUND)
        return report

    def _report(self, domain: Domain, sections: dict[str, object]) -> ScanReport:
        now = self.clock()
        return ScanReport(
            host=host_of(domain),
            score=domain.health_score,
            is_owned=domain.may_be(self.portfolio.owned_type),
            domain_id=domain.domain_id,
            scanned_at=now,
            facts=facts_of(sections, now),
            sections=tuple(section_of(name, sections) for name in SECTIONS),
        )

    async def list_again(
        self, workspace: WorkspaceId, purpose: Purpose = Purpose.PERSON
    ) -> Snapshot | None:
        """Return a new list, as scores may have changed, `None` if there is no answer."""
        await self.portfolio.invalidate(workspace)
        try:
            async with asyncio.timeout(LISTED_WITHIN_S):
                return await self.portfolio.snapshot(workspace, purpose=purpose)
        except (BotError, TimeoutError) as error:
            logger.warning("the score after a scan is unknown", error=repr(error))
            return None

    async def _keep(
        self, workspace: WorkspaceId, report: ScanReport, *, is_background: bool
    ) -> None:
        """Keep a report, and only the latest ones; one of a night takes no other's place."""
        too_many: list[str] = []

        def noted(document: Document | None) -> Write:
            hosts = list(document.value["hosts"]) if document else []
            if is_background and report.host not in hosts:
                hosts.insert(0, report.host)  # the first to go
            elif not is_background:
                hosts = [*(other for other in hosts if other != report.host), report.host]
            too_many[:] = hosts[:-MAX_KEPT_SCANS]
            return Write({"v": 1, "hosts": hosts[-MAX_KEPT_SCANS:]})

        await update(self.documents, f"{workspace}/scans", noted)
        if report.host in too_many:
            return
        value = {"v": 1, "report": await asyncio.to_thread(msgspec.to_builtins, report)}
        await self.documents.put(_key(workspace, report.host), value)
        for host in too_many:
            await self.documents.delete(_key(workspace, host))


def _with_changes(report: ScanReport, before: ScanReport) -> ScanReport:
    # What a failed section no longer says is not gone, and what it said before is not known.
    failed = {*before.facts.failed, *report.facts.failed}
    old, new = (
        [section for section in each.sections if section.name not in failed]
        for each in (before, report)
    )
    too_long = {section.name for section in (*old, *new) if section.left_out}
    partly = {*before.facts.partly, *report.facts.partly} - failed - too_long
    changes = changes_between(old, new)
    return replace(
        report,
        changes=tuple(changes[:MAX_KEPT_CHANGES]),
        changes_cut=max(0, len(changes) - MAX_KEPT_CHANGES),
        last_score=before.score_after,
        since=before.scanned_at,
        uncompared=tuple(each for each in SECTIONS if each in failed),
        too_long=tuple(each for each in SECTIONS if each in too_long),
        partly=tuple(each for each in SECTIONS if each in partly),
    )


def _key(workspace: WorkspaceId, host: str) -> str:
    return f"{workspace}/scan/{host}"
