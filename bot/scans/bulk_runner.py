"""Run bulk scans: one of each workspace, kept in one document; its domains in turn.

The document is due when a process is to go on with it. The process that scans moves that moment
a minute ahead again and again, so another process goes on when it dies. A domain is noted before
its scan: one whose scan was cut off is reported, and not scanned twice.
"""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import structlog

from bot.blocks.message import Message
from bot.keys.failures import of_service
from bot.process.clock import Clock
from bot.process.errors import BotError, log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.scans import bulk_record
from bot.scans.bulk_record import (
    BulkScan,
    BulkScanOverError,
    BulkScanRunsError,
    Item,
    decode,
    encode,
    key_of,
)
from bot.scans.bulk_summary import summary_message
from bot.scans.bulk_views import progress_message
from bot.scans.service import ScanReport, Scans
from bot.slack.client import SentMessage
from bot.slack.errors import SlackError
from bot.slack.posting import Posting, retry_after
from bot.store import documents
from bot.store.documents import Document, Documents, Write, update
from bot.store.due_work import DueWork
from bot.tracker.models import Domain
from bot.tracker.rate_limit import Purpose

logger = structlog.get_logger()
LEASE = timedelta(seconds=60)
SHOWN_EVERY_S = 3.0


@dataclass(slots=True)
class _Lease:
    """The bulk scan that this process works on, as last stored, and what was last shown of it."""

    documents: Documents
    workspace: WorkspaceId
    run: BulkScan
    clock: Clock
    shown: Message | None = None
    shown_at: float = 0.0

    async def change(
        self, change: Callable[[BulkScan], BulkScan], *, due_in: timedelta | None = LEASE
    ) -> None:
        """Store a change. The document is due after its wait, else after `due_in`; `None`: never.

        Raise ConflictError if another process works on it, or it is gone.
        """
        now, holder = self.clock(), self.run.holder

        def changed(document: Document | None) -> Write:
            before = decode(document)
            if before is None or before.holder != holder:
                raise documents.ConflictError("another process works on it, or it is gone")
            after = change(before)
            due_at = None if due_in is None else now + due_in
            return Write(encode(after), after.waits_until or due_at)

        stored = await update(self.documents, key_of(self.workspace), changed)
        self.run = decode(stored) or self.run


@dataclass(slots=True)
class BulkScans(DueWork):
    """Starts, runs and stops bulk scans."""

    kind = bulk_record.KIND
    at_once = 2  # people need the other slots for scans
    scans: Scans
    posting: Posting

    async def last(self, workspace: WorkspaceId) -> BulkScan | None:
        return decode(await self.documents.get(key_of(workspace)))

    async def start(
        self, workspace: WorkspaceId, asked_by: str, items: Sequence[Item], what: str
    ) -> BulkScan:
        """Store a bulk scan, and send its message to the person.

        Raise BulkScanRunsError, also until the last summary is sent; SlackError: nothing begins.
        """
        key, now = key_of(workspace), self.clock()
        run = BulkScan(
            run_id=secrets.token_hex(4),
            asked_by=asked_by,
            what=what,
            left=tuple(items[: bulk_record.MAX_DOMAINS]),
        )

        def claimed(document: Document | None) -> Write:
            before = decode(document)
            if before and not (before.end and document and document.due_at is None):
                raise BulkScanRunsError(before)
            return Write(encode(run), now + LEASE)

        claim = await update(self.documents, key, claimed)
        rev = claim.rev if claim else 0
        try:
            sent = await self.posting.send_dm(workspace, asked_by, progress_message(run, now))
        except SlackError:
            await self.documents.delete(key, if_rev=rev)
            raise
        run = replace(run, channel_id=sent.channel_id, ts=sent.ts)
        await self.documents.put(key, encode(run), due_at=now, if_rev=rev)
        return run

    async def stop(self, workspace: WorkspaceId, run_id: str, by: str) -> None:
        """Let a bulk scan end after the present domain; raise BulkScanOverError."""

        def stopping(document: Document | None) -> Write:
            run = decode(document)
            if document is None or run is None or run.run_id != run_id or run.end:
                raise BulkScanOverError("no such bulk scan is under way")
            due_at = self.clock() if run.waits_until else document.due_at
            return Write(encode(replace(run, stopped_by=run.stopped_by or by)), due_at)

        if run := decode(await update(self.documents, key_of(workspace), stopping)):
            await self._edit(workspace, run, progress_message(run, self.clock()))

    async def work(self, workspace: WorkspaceId) -> None:
        if (lease := await self._take(workspace)) is None:
            return
        if lease.run.begun_at:  # by a process that died
            await lease.change(lambda run: bulk_record.after_failure(run, bulk_record.INTERRUPTED))
        while not lease.run.end and not self.tasks.is_stopping:
            if lease.run.stopped_by or not lease.run.left:
                await lease.change(bulk_record.ended)
            elif not await self._scan_next(lease):
                return
            elif self.has_waiting:  # bulk scans that are due for longer come first
                break
        if lease.run.end:
            await self._finish(lease)
        else:
            await lease.change(lambda run: run, due_in=timedelta())

    async def _take(self, workspace: WorkspaceId) -> _Lease | None:
        """Take a bulk scan that is due, `None` if another process was faster."""
        now, holder = self.clock(), secrets.token_hex(8)

        def taken(document: Document | None) -> Write | documents.Delete | None:
            run = decode(document)
            if document is None or document.due_at is None or document.due_at > now or not run:
                return None
            if not run.ts:  # its start was cut off, and the person was notified
                return documents.DELETE
            return Write(encode(replace(run, holder=holder, waits_until=None)), now + LEASE)

        run = decode(await update(self.documents, key_of(workspace), taken))
        if run is None or run.holder != holder:
            return None
        return _Lease(self.documents, workspace, run, self.clock)

    async def _scan_next(self, lease: _Lease) -> bool:
        """Scan the next domain; return whether to go on at once."""
        now = self.clock()
        await lease.change(lambda run: replace(run, begun_at=now))
        await self._show_progress(lease)
        try:
            report = await self._scan(lease)
        except BotError as error:
            failure, at = of_service(error), self.clock()
            await lease.change(lambda run: bulk_record.after_error(run, failure, at))
        else:
            await lease.change(lambda run: bulk_record.after_scan(run, report))
        if lease.run.waits_until is None:
            return True
        await self._edit(lease.workspace, lease.run, progress_message(lease.run, self.clock()))
        return False

    async def _scan(self, lease: _Lease) -> ScanReport:
        item = lease.run.left[0]
        domain = Domain(
            domain=item.host,
            domain_id=item.domain_id,
            health_score=item.score,
            domain_type=item.domain_type,
        )
        scanning = self.scans.run(lease.workspace, domain, purpose=Purpose.BULK, lists=False)
        scan = asyncio.ensure_future(scanning)
        try:
            while not (await asyncio.wait({scan}, timeout=SHOWN_EVERY_S))[0]:
                await self._show_progress(lease)
                try:
                    await lease.change(lambda run: run)  # which renews it
                except documents.ConflictError:
                    raise  # another process has it
                except documents.StoreError as error:  # costs no scan: the next look renews
                    logger.warning("lease not renewed", error=repr(error))
            return await scan
        finally:
            scan.cancel()  # others may wait for the same scan: they still get it

    async def _show_progress(self, lease: _Lease) -> None:
        """Show the progress, unless that was done just now or nothing is new."""
        message, now = progress_message(lease.run, self.clock()), asyncio.get_running_loop().time()
        is_recent = lease.shown is not None and now - lease.shown_at < SHOWN_EVERY_S
        if not is_recent and message != lease.shown:
            lease.shown, lease.shown_at = message, now
            await self._edit(lease.workspace, lease.run, message)

    async def _edit(self, workspace: WorkspaceId, run: BulkScan, message: Message) -> None:
        with log_and_suppress("progress not shown", SlackError):
            await self.posting.edit(workspace, SentMessage(run.channel_id, run.ts), message)

    async def _finish(self, lease: _Lease) -> None:
        """Send the summary: in a message of its own, as Slack notifies of no edit."""
        workspace, scores = lease.workspace, [item.score_after for item in lease.run.scanned]
        if None in scores and (listed := await self.scans.list_again(workspace)):
            await lease.change(lambda run: bulk_record.with_scores(run, listed))
        run, due_in = lease.run, None
        await self._edit(workspace, run, progress_message(run, self.clock()))
        message = summary_message(run, self.clock())
        try:
            await self.posting.send_dm(workspace, run.asked_by, message)
        except SlackError as error:
            logger.warning("summary not sent", error=repr(error))
            if error.is_outcome_unknown:  # it may be there already: no second one
                await self._edit(workspace, run, message)
            else:
                due_in = retry_after(error, run.tries)
        await lease.change(lambda run: replace(run, tries=run.tries + 1), due_in=due_in)
