"""The record of a bulk scan, and how each event changes it. Pure: one document of a workspace."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import msgspec

from bot.domains.kept_facts import KnownChange
from bot.domains.lookup import index_by_host
from bot.domains.service import Snapshot
from bot.keys.failures import FailureReason, service_failure
from bot.keys.key_record import NoKeyError
from bot.process.errors import BotError
from bot.process.workspace import WorkspaceId
from bot.scans.service import ScanReport
from bot.store.documents import Document
from bot.tracker.client import outcome_of
from bot.tracker.models import Domain, ReserveReachedError, TooBusyError
from bot.tracker.scan_facts import ScanFacts

KIND = "bulk-scan"
# Below the reserve each try costs a request of it.
RESERVE_PAUSE = timedelta(minutes=10)
BUSY_PAUSE = timedelta(minutes=1)
FAILURES_IN_ROW = 5
MAX_DOMAINS = 200  # as many as reports of a workspace are kept
INTERRUPTED = "interrupted"
KEPT_ISSUES = 3


class End(StrEnum):
    """Why a bulk scan has ended."""

    DONE = "done"
    STOPPED = "stopped"  # by a person
    FAILING = "failing"  # FAILURES_IN_ROW scans failed
    KEY = "key"  # its key is refused
    REMOVED = "removed"  # its key was removed
    SCOPE = "scope"  # its key may not scan


_KEY_ENDS = {
    FailureReason.KEY: End.KEY,
    FailureReason.ADDRESS: End.KEY,
    FailureReason.SCOPE: End.SCOPE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One domain. `trouble` says why its scan failed, in a word of `outcome_of` or INTERRUPTED.

    `facts` hold its worst issues only. Scores are `None` when unknown. `signs` are the changes of
    who controls it.
    """

    host: str
    domain_id: str
    score: float | None = None
    score_after: float | None = None
    facts: ScanFacts | None = None
    domain_type: str | None = None
    signs: tuple[KnownChange, ...] = ()
    is_owned: bool = True
    trouble: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkScan:
    """A bulk scan: its domains, `done` and `left`, who asked, and where its message is.

    `what` is the filter, empty for named domains. `begun_at` is when the scan of `left[0]` began,
    `None` between scans. `stopped_by` is who asked that it ends after its present domain, `holder`
    the process that works on it. `end` is set after its last scan.
    """

    run_id: str
    asked_by: str
    what: str = ""
    left: tuple[Item, ...] = ()
    done: tuple[Item, ...] = ()
    begun_at: datetime | None = None
    waits_until: datetime | None = None
    failed_in_row: int = 0
    stopped_by: str = ""
    end: End | None = None
    holder: str = ""
    channel_id: str = ""
    ts: str = ""
    tries: int = 0

    @property
    def is_stopped_by_another(self) -> bool:
        return self.stopped_by not in {"", self.asked_by}

    @property
    def count(self) -> int:
        return len(self.left) + len(self.done)

    @property
    def scanned(self) -> list[Item]:
        return [item for item in self.done if item.trouble is None]

    @property
    def failed(self) -> list[Item]:
        return [item for item in self.done if item.trouble]


class BulkScanRunsError(BotError):
    """The workspace has a bulk scan already, which is `run`."""

    def __init__(self, run: BulkScan) -> None:
        self.run = run
        super().__init__("one bulk scan at a time")


class BulkScanOverError(BotError):
    """The bulk scan has ended, or another one has begun."""


def items_of(domains: Iterable[Domain]) -> list[Item]:
    """Return the domains that can be scanned, each once."""
    return [
        Item(
            host=host,
            domain_id=each.domain_id,
            score=each.health_score,
            domain_type=each.domain_type,
        )
        for host, each in index_by_host(domains).items()
        if each.domain_id
    ]


def after_scan(run: BulkScan, report: ScanReport) -> BulkScan:
    facts = replace(report.facts, issues=report.facts.issues[:KEPT_ISSUES])
    item = replace(run.left[0], facts=facts, signs=report.sign_changes, is_owned=report.is_owned)
    return replace(_with_next_done(run, item), failed_in_row=0)


def after_failure(run: BulkScan, trouble: str) -> BulkScan:
    """Return the bulk scan after a scan that failed; it ends when too many did in a row."""
    in_row = run.failed_in_row + 1
    end = End.FAILING if in_row >= FAILURES_IN_ROW else None
    after = _with_next_done(run, replace(run.left[0], trouble=trouble))
    return replace(after, failed_in_row=in_row, end=end)


def _with_next_done(run: BulkScan, item: Item) -> BulkScan:
    return replace(run, left=run.left[1:], done=(*run.done, item), begun_at=None)


def after_error(run: BulkScan, error: BotError, now: datetime) -> BulkScan:
    """Return the bulk scan after an error: it waits, ends, or goes on with the next domain."""
    reason, wait = service_failure(error)
    if reason is FailureReason.RATE or isinstance(error, TooBusyError):  # nothing was scanned
        pause = RESERVE_PAUSE if isinstance(error, ReserveReachedError) else wait or BUSY_PAUSE
        waits_until = None if run.stopped_by else now + pause
        return replace(run, begun_at=None, waits_until=waits_until)
    if reason in _KEY_ENDS:
        end = End.REMOVED if isinstance(error, NoKeyError) else _KEY_ENDS[reason]
        return replace(run, begun_at=None, end=end)
    return after_failure(run, outcome_of(error))


def ended(run: BulkScan) -> BulkScan:
    return replace(run, end=End.STOPPED if run.left else End.DONE)


def with_scores(run: BulkScan, listed: Snapshot) -> BulkScan:
    done = tuple(
        replace(item, score_after=known.health_score)
        if (known := listed.by_host.get(item.host)) and item.trouble is None
        else item
        for item in run.done
    )
    return replace(run, done=done)


def key_of(workspace: WorkspaceId) -> str:
    return f"{workspace}/{KIND}"


def encode(run: BulkScan) -> dict[str, Any]:
    return {"v": 1, "run": msgspec.to_builtins(run)}


def decode(document: Document | None) -> BulkScan | None:
    return msgspec.convert(document.value["run"], BulkScan) if document else None
