"""Scan many domains one after the other, from one stored document of each workspace.

The document comes due when somebody is to go on with it. A process that scans puts it off by a
minute, again and again: so another one goes on when this one dies. A domain is noted before its
scan: one whose scan was cut off is reported, and not scanned twice.
"""

import asyncio
import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import msgspec
import structlog

from bot.concurrency import Tasks
from bot.digests.failure_policy import of_service, service_failure
from bot.digests.models import FailureReason
from bot.errors import BotError
from bot.jobs.due_work import DueWork
from bot.message import Message
from bot.portfolio.query import host_of
from bot.portfolio.service import Snapshot
from bot.scans import NoScanError, ScanReport, Scans
from bot.slack.client import SentMessage
from bot.slack.direct_messages import DirectMessages, retry_after
from bot.slack.errors import SlackError
from bot.store.documents import (
    DELETE,
    ConflictError,
    Delete,
    Document,
    Documents,
    Write,
    update,
)
from bot.tracker.client import outcome_of
from bot.tracker.findings import ScanFacts
from bot.tracker.models import Domain, ReserveReachedError, TooBusyError
from bot.tracker.slots import giving_way
from bot.workspace import WorkspaceId, caller_context, person

logger = structlog.get_logger()
KIND = "bulk-scan"
VERSION = 1
# So many reports of a workspace are kept.
MAX_DOMAINS = 200
# As scans take, more or less.
SECONDS_EACH = 40
LEASE = timedelta(seconds=60)
RENEWED_AFTER = timedelta(seconds=20)
SHOWN_EVERY_S = 3.0
# Below the reserve each try costs a request of it.
RESERVE_PAUSE = timedelta(minutes=10)
BUSY_PAUSE = timedelta(minutes=1)
FAILURES_IN_ROW = 5
INTERRUPTED = "interrupted"
_ENDS = {FailureReason.KEY, FailureReason.SCOPE, FailureReason.ADDRESS}


class End(StrEnum):
    """Why a bulk scan has ended."""

    DONE = "done"
    STOPPED = "stopped"  # by a person
    FAILING = "failing"  # so many scans in a row failed
    KEY = "key"  # there is none that may scan


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One domain. `trouble` says why its scan failed, in a word of `outcome_of` or INTERRUPTED.

    `facts` hold its worst issue only. Scores are `None` when unknown.
    """

    host: str
    domain_id: str
    score: float | None = None
    score_after: float | None = None
    facts: ScanFacts | None = None
    changes: int = 0
    trouble: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkScan:
    """A bulk scan: its domains, `done` and `left`, who asked, and where its message is.

    `what` is the filter, empty for named domains. `begun_at` is when the scan of `left[0]` began,
    `None` between scans. `stopped_by` is who asked for its end, `holder` who works on it. `end`
    is set after its last scan. `is_sent`: its summary was sent, perhaps without Slack's answer.
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
    is_sent: bool = False

    @property
    def is_stopping(self) -> bool:
        """Whether it ends after its present domain."""
        return bool(self.stopped_by)

    @property
    def count(self) -> int:
        """The number of its domains."""
        return len(self.left) + len(self.done)

    @property
    def scanned(self) -> list[Item]:
        """The domains that were scanned."""
        return [item for item in self.done if item.trouble is None]

    @property
    def failed(self) -> list[Item]:
        """The domains whose scan failed, or has an unknown outcome."""
        return [item for item in self.done if item.trouble]


class BulkScanRunsError(BotError):
    """The workspace has a bulk scan already, which is `run`."""

    def __init__(self, run: BulkScan | None = None) -> None:
        self.run = run
        super().__init__("one bulk scan at a time")


class BulkScanOverError(BotError):
    """The bulk scan has ended, or another one has taken its place."""


def items_of(domains: Iterable[Domain]) -> list[Item]:
    """Return the domains that can be scanned, each once."""
    known = {host_of(each): each for each in domains if each.domain_id}
    return [
        Item(host=host, domain_id=each.domain_id or "", score=each.health_score)
        for host, each in known.items()
    ]


def scanned(run: BulkScan, report: ScanReport) -> BulkScan:
    """Return the bulk scan after the scan of its next domain."""
    facts = report.facts and replace(report.facts, issues=report.facts.issues[:1])
    item = replace(run.left[0], facts=facts, changes=len(report.changes))
    return replace(_went_on(run, item), failed_in_row=0)


def failed(run: BulkScan, trouble: str) -> BulkScan:
    """Return the bulk scan after a scan that failed; it ends when too many did in a row."""
    in_row = run.failed_in_row + 1
    end = End.FAILING if in_row >= FAILURES_IN_ROW else None
    after = _went_on(run, replace(run.left[0], trouble=trouble))
    return replace(after, failed_in_row=in_row, end=end)


def _went_on(run: BulkScan, item: Item) -> BulkScan:
    return replace(run, left=run.left[1:], done=(*run.done, item), begun_at=None)


def after_failure(run: BulkScan, error: BotError, now: datetime) -> BulkScan:
    """Return the bulk scan after an error: it waits, ends, or goes on with the next domain."""
    reason, wait = service_failure(error)
    if reason is FailureReason.RATE or isinstance(error, TooBusyError):  # nothing was scanned
        pause = RESERVE_PAUSE if isinstance(error, ReserveReachedError) else wait or BUSY_PAUSE
        waits_until = None if run.is_stopping else now + pause
        return replace(run, begun_at=None, waits_until=waits_until)
    if reason in _ENDS:
        return replace(run, begun_at=None, end=End.KEY)
    return failed(run, outcome_of(error))


def ended(run: BulkScan) -> BulkScan:
    """Return the bulk scan at its end: the last domain is scanned, or the person stopped it."""
    return replace(run, end=End.STOPPED if run.left else End.DONE)


def with_scores(run: BulkScan, listed: Snapshot) -> BulkScan:
    """Return the bulk scan with the scores that the list shows after it."""
    done = tuple(
        replace(item, score_after=known.health_score)
        if (known := listed.by_host.get(item.host)) and item.trouble is None
        else item
        for item in run.done
    )
    return replace(run, done=done)


def _decoded(document: Document | None) -> BulkScan | None:
    """Return the bulk scan of a document, `None` if another version of the bot wrote it."""
    try:
        return msgspec.convert(document.value["run"], BulkScan) if document else None
    except (msgspec.ValidationError, LookupError):
        return None


def _encoded(run: BulkScan) -> dict[str, Any]:
    return {"v": VERSION, "run": msgspec.to_builtins(run)}


def _place(workspace: WorkspaceId) -> str:
    return f"{workspace}/{KIND}"


@dataclass(slots=True)
class _Hold:
    """The bulk scan of this process, as it was last stored, and what was last shown of it."""

    documents: Documents
    workspace: WorkspaceId
    run: BulkScan
    clock: Callable[[], datetime]
    renewed_at: datetime = field(init=False)
    shown: Message | None = None
    shown_at: float = 0.0

    def __post_init__(self) -> None:
        self.renewed_at = self.clock()

    async def change(
        self, change: Callable[[BulkScan], BulkScan], *, due_in: timedelta | None = LEASE
    ) -> None:
        """Change it. It comes due after its wait, else after `due_in`; `None`: never.

        Raise ConflictError if another process works on it, or it is gone.
        """
        now, holder = self.clock(), self.run.holder

        def changed(document: Document | None) -> Write:
            before = _decoded(document)
            if before is None or before.holder != holder:
                raise ConflictError("another process works on it, or it is gone")
            after = change(before)
            due_at = None if due_in is None else now + due_in
            return Write(_encoded(after), after.waits_until or due_at)

        stored = await update(self.documents, _place(self.workspace), changed)
        self.run, self.renewed_at = _decoded(stored) or self.run, now


class BulkScans:
    """Starts, runs and stops bulk scans. `progress` and `summary` draw their messages."""

    def __init__(
        self,
        documents: Documents,
        scans: Scans,
        messages: DirectMessages,
        tasks: Tasks,
        *,
        progress: Callable[[BulkScan, datetime], Message],
        summary: Callable[[BulkScan, datetime], Message],
        clock: Callable[[], datetime],
        shown_every_s: float = SHOWN_EVERY_S,
    ) -> None:
        self._documents = documents
        self._scans = scans
        self._messages = messages
        self._progress = progress
        self._summary = summary
        self._clock = clock
        self._shown_every_s = shown_every_s
        self._due = DueWork(documents, KIND, self._work, tasks, clock=clock)
        self.run_due = self._due.run_due
        self.stop_all = self._due.stop

    async def last(self, workspace: WorkspaceId) -> BulkScan | None:
        """Return the last bulk scan of a workspace; raise StoreError."""
        return _decoded(await self._documents.get(_place(workspace)))

    async def start(
        self,
        workspace: WorkspaceId,
        asked_by: str,
        items: Sequence[Item],
        what: str,
        *,
        after: str = "",
    ) -> BulkScan:
        """Store a bulk scan, and send its message to the person.

        `after` is the id of the one whose summary they have read.

        Raises:
            BulkScanRunsError: there is one already, or its summary is not sent yet.
            SlackError: the message could not be sent; nothing will be scanned.
        """
        key, now = _place(workspace), self._clock()
        run = BulkScan(
            run_id=secrets.token_hex(4),
            asked_by=asked_by,
            what=what,
            left=tuple(items[:MAX_DOMAINS]),
        )

        def claimed(document: Document | None) -> Write:
            before = _decoded(document)
            has_summary = document is None or document.due_at is None
            if before and not (before.end and (has_summary or before.run_id == after)):
                raise BulkScanRunsError(before)
            return Write(_encoded(run), now + LEASE)

        claim = await update(self._documents, key, claimed)
        rev = claim.rev if claim else 0
        try:
            sent = await self._messages.send_dm(workspace, asked_by, self._progress(run, now))
        except SlackError:
            await self._documents.delete(key, if_rev=rev)
            raise
        run = replace(run, channel_id=sent.channel_id, ts=sent.ts)
        await self._documents.put(key, _encoded(run), due_at=now, if_rev=rev)
        return run

    async def stop(self, workspace: WorkspaceId, run_id: str, by: str) -> None:
        """Let a bulk scan end after the present domain; raise BulkScanOverError."""

        def stopping(document: Document | None) -> Write:
            run = _decoded(document)
            if document is None or run is None or run.run_id != run_id or run.end:
                raise BulkScanOverError("no such bulk scan is under way")
            due_at = self._clock() if run.waits_until else document.due_at
            return Write(_encoded(replace(run, stopped_by=run.stopped_by or by)), due_at)

        run = _decoded(await update(self._documents, _place(workspace), stopping))
        if run:
            await self._edit(workspace, run)

    async def _work(self, workspace: WorkspaceId) -> None:
        if (hold := await self._take(workspace)) is None:
            return
        with caller_context(workspace, person(hold.run.asked_by)), giving_way():
            await self._recover(hold)
            while not hold.run.end and not self._due.is_stopped:
                if hold.run.is_stopping or not hold.run.left:
                    await hold.change(ended)
                elif not await self._scan_next(hold):
                    return
                elif self._due.has_waiting:  # they are due for longer, and so come first
                    break
            if hold.run.end:
                await self._finish(hold)
            else:
                await hold.change(lambda run: run, due_in=timedelta())

    async def _take(self, workspace: WorkspaceId) -> _Hold | None:
        """Take a bulk scan that is due, `None` if another process was faster."""
        now, holder = self._clock(), secrets.token_hex(8)

        def taken(document: Document | None) -> Write | Delete | None:
            run = _decoded(document)
            if document is None or document.due_at is None or document.due_at > now or not run:
                return None
            if not run.ts:  # its start was cut off, and the person knows
                return DELETE
            return Write(_encoded(replace(run, holder=holder, waits_until=None)), now + LEASE)

        run = _decoded(await update(self._documents, _place(workspace), taken))
        if run is None or run.holder != holder:
            return None
        return _Hold(self._documents, workspace, run, self._clock)

    async def _recover(self, hold: _Hold) -> None:
        """Note how the scan ended that a process before this one has begun, if one was."""
        if (begun_at := hold.run.begun_at) is None:
            return
        with suppress(NoScanError):
            report = await self._scans.last(hold.workspace, hold.run.left[0].host)
            if report.scanned_at >= begun_at:
                await hold.change(lambda run: scanned(run, report))
                return
        await hold.change(lambda run: failed(run, INTERRUPTED))

    async def _scan_next(self, hold: _Hold) -> bool:
        """Scan the next domain; return whether to go on at once."""
        now = self._clock()
        await hold.change(lambda run: replace(run, begun_at=now))
        await self._show(hold)
        try:
            report = await self._scan(hold)
        except BotError as error:
            failure, at = of_service(error), self._clock()
            await hold.change(lambda run: after_failure(run, failure, at))
        else:
            await hold.change(lambda run: scanned(run, report))
        if hold.run.waits_until is None:
            return True
        await self._edit(hold.workspace, hold.run)
        return False

    async def _scan(self, hold: _Hold) -> ScanReport:
        """Scan the next domain, and hold the document and show the progress until its end."""
        item = hold.run.left[0]
        domain = Domain(domain=item.host, domain_id=item.domain_id, health_score=item.score)
        scan = asyncio.ensure_future(self._scans.run(hold.workspace, domain, lists=False))
        try:
            while not (await asyncio.wait({scan}, timeout=self._shown_every_s))[0]:
                await self._show(hold)
                if self._clock() - hold.renewed_at > RENEWED_AFTER:
                    await hold.change(lambda run: run)
            return await scan
        finally:
            scan.cancel()  # others may wait for the same scan

    async def _show(self, hold: _Hold) -> None:
        """Show the progress, unless that was done just now or nothing is new."""
        message, now = self._progress(hold.run, self._clock()), asyncio.get_running_loop().time()
        is_recent = hold.shown is not None and now - hold.shown_at < self._shown_every_s
        if not is_recent and message != hold.shown:
            hold.shown, hold.shown_at = message, now
            await self._edit(hold.workspace, hold.run)

    async def _edit(self, workspace: WorkspaceId, run: BulkScan) -> None:
        """Show a bulk scan in its message; a failure is only logged."""
        sent = SentMessage(run.channel_id, run.ts)
        try:
            await self._messages.edit_dm(workspace, sent, self._progress(run, self._clock()))
        except SlackError as error:
            logger.warning("progress not shown", error=repr(error))

    async def _finish(self, hold: _Hold) -> None:
        """Send the summary: in a message of its own, as Slack notifies of no edit."""
        workspace = hold.workspace
        hosts = [item.host for item in hold.run.scanned if item.score_after is None]
        if hosts and (listed := await self._scans.note_scores(workspace, hosts)):
            await hold.change(lambda run: with_scores(run, listed))
        was_sent, is_sent, due_in = hold.run.is_sent, True, None
        try:
            await self._send_summary(hold)
        except SlackError as error:
            logger.warning("summary not sent", error=repr(error))
            is_sent = was_sent or error.is_outcome_unknown
            due_in = retry_after(error, hold.run.tries, is_repeatable=True)
            if is_sent and not was_sent:  # to be shown in place of the progress
                due_in = timedelta()
        await hold.change(
            lambda run: replace(run, tries=run.tries + 1, is_sent=is_sent), due_in=due_in
        )

    async def _send_summary(self, hold: _Hold) -> None:
        """Send the summary once; where it may be there already, show it in place of the progress.

        An edit that is repeated changes nothing, a message that is repeated comes twice.
        """
        run, message = hold.run, self._summary(hold.run, self._clock())
        if run.is_sent:
            sent = SentMessage(run.channel_id, run.ts)
            await self._messages.edit_dm(hold.workspace, sent, message)
            return
        await self._edit(hold.workspace, run)
        await hold.change(lambda run: replace(run, is_sent=True))
        await self._messages.send_dm(hold.workspace, run.asked_by, message)
