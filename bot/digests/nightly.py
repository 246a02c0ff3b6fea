"""Scan the domains of digests at night, the oldest scan first: see `Plan.scans_a_night`.

Each workspace has one document, which comes due when somebody is to look whether a scan is
wanted. The process that looks holds it back for as long as a scan may take: so a workspace has
one such scan at a time, and another process goes on when this one dies. A domain is noted before
its scan, and none is scanned within `FRESH_FOR` of its last scan, a person's scan included.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial

import msgspec

from bot.digests.failure_policy import of_service, service_failure
from bot.digests.models import Digest, FailureReason, Night, UnknownDigestError
from bot.digests.repository import NIGHTLY, VERSION, DigestRepository
from bot.digests.zones import is_zone, zone_of
from bot.errors import BotError
from bot.jobs.due_work import DueWork
from bot.portfolio.end_dates import KeptEndDates, KnownEnds
from bot.portfolio.lookup import host_of
from bot.portfolio.query import parse_query, select
from bot.portfolio.service import Portfolio
from bot.scans import Scans
from bot.tracker.client import tallied
from bot.tracker.models import Domain, RejectedError
from bot.tracker.rate_limit import Purpose
from bot.workspace import WorkspaceId

# Hours by the digest's own clock.
NIGHT_HOURS = range(1, 6)
FRESH_FOR = timedelta(hours=12)
LOOK_EVERY = timedelta(minutes=15)
# Longer than a scan takes with its wait for a place.
LEASE = timedelta(minutes=6)
# So many scans in a row fail when the service is out of order.
FAILURES_IN_ROW = 3
MAX_TRIED = 200
_WAITING = {FailureReason.RATE, FailureReason.SERVICE}
_NEVER = datetime.min.replace(tzinfo=UTC)
# When domains were tried whose scan is not kept.
Tried = dict[str, datetime]
Note = Callable[[], Awaitable[None]]


class UnwantedScanError(Exception):
    """The digest wants no scan any more: it was changed, paused, or its night has ended."""


def night_now(digest: Digest, now: datetime) -> Night | None:
    """Return the present night of a digest if it wants one more scan, else `None`."""
    if digest.pause or not is_zone(digest.plan.schedule.zone):
        return None
    local = now.astimezone(zone_of(digest.plan.schedule.zone))
    if local.hour not in NIGHT_HOURS:
        return None
    night = _night_of(digest, local.date())
    wants_more = night.begun < digest.plan.scans_a_night and not night.is_over
    return night if wants_more else None


def begun(digest: Digest, now: datetime) -> Digest:
    """Return the digest with one more scan begun, or raise UnwantedScanError."""
    if (night := night_now(digest, now)) is None:
        raise UnwantedScanError("no scan is wanted")
    return replace(digest, night=replace(night, begun=night.begun + 1, trouble=None))


def after_scan(night: Night, error: BotError | None) -> Night:
    """Return the night after a scan that was begun; `error` is why it failed."""
    if error is None:
        return replace(night, failed_in_row=0)
    trouble, _ = service_failure(error)
    if trouble is not FailureReason.SERVICE:  # the service has scanned nothing
        return stopped(replace(night, begun=night.begun - 1), error)
    is_its_own = isinstance(error, RejectedError)  # about this domain alone
    in_row = night.failed_in_row + (not is_its_own)
    night = replace(night, failed=night.failed + 1, failed_in_row=in_row)
    is_over = night.failed_in_row >= FAILURES_IN_ROW
    return replace(night, trouble=trouble if is_over else None, is_over=is_over)


def stopped(night: Night, error: BotError) -> Night:
    """Return the night that stopped, for good unless the reason may pass before its end."""
    trouble, _ = service_failure(error)
    return replace(night, trouble=trouble, is_over=trouble not in _WAITING)


def oldest(
    domains: Iterable[Domain], filter_text: str, ends: KnownEnds, tried: Mapping[str, datetime]
) -> Domain | None:
    """Return the domain of a filter whose last scan is the oldest, `None` if all are fresh."""

    def last(domain: Domain) -> datetime:
        host = host_of(domain)
        row = ends.by_host.get(host)
        moments = [tried.get(host), row.scanned_at if row else None]
        return max(filter(None, moments), default=_NEVER)

    known = [each for each in domains if each.domain_id]
    chosen = min(select(known, parse_query(filter_text), ends), key=last, default=None)
    return chosen if chosen and last(chosen) <= ends.now - FRESH_FOR else None


@dataclass(slots=True)
class NightlyScans(DueWork):
    """Scans at night, one domain of a workspace at a time; people and digests go first."""

    kind = NIGHTLY
    repository: DigestRepository
    portfolio: Portfolio
    scans: Scans
    ends: KeptEndDates

    async def work(self, workspace: WorkspaceId) -> None:
        """Hold the workspace, scan one domain if that is wanted, and say when to look again.

        Raises:
            ConflictError: another process holds it. StoreError: the store failed.
        """
        key = f"{workspace}/{NIGHTLY}"
        held = await self.documents.get(key)
        if held is None or held.due_at is None or held.due_at > self.clock():
            return
        tried = msgspec.convert(held.value["tried"], Tried)
        rev, again, looked_at = held.rev, LOOK_EVERY, self.clock()

        async def save(due_at: datetime) -> None:
            nonlocal rev
            latest = sorted(tried.items(), key=lambda item: item[1])[-MAX_TRIED:]
            value = {"v": VERSION, "tried": msgspec.to_builtins(dict(latest))}
            rev = (await self.documents.put(key, value, due_at=due_at, if_rev=rev)).rev

        await save(looked_at + LEASE)
        try:
            again = await self._scan_next(workspace, tried, lambda: save(self.clock() + LEASE))
        finally:
            await save(looked_at + again)  # what is wanted since then is seen at once

    async def _scan_next(self, workspace: WorkspaceId, tried: Tried, note: Note) -> timedelta:
        """Scan a domain of the digest that had the fewest; return when to look again."""
        now = self.clock()
        digests = await self.repository.of_workspace(workspace)
        wanted = [
            (night.begun, place, night.day)
            for place, digest in enumerate(digests)
            if (night := night_now(digest, now))
        ]
        if not wanted:
            return LOOK_EVERY
        _, place, day = min(wanted)
        digest = digests[place]
        try:
            with tallied() as tally:
                step = await self._scan_one(workspace, digest, tried, note)
            after = await self.repository.change(
                workspace, digest.digest_id, lambda each: _stepped(each, day, step, tally.requests)
            )
        except (UnwantedScanError, UnknownDigestError):
            return timedelta()  # the others of the workspace may want one
        return LOOK_EVERY if after.night and after.night.trouble in _WAITING else timedelta()

    async def _scan_one(
        self, workspace: WorkspaceId, digest: Digest, tried: Tried, note: Note
    ) -> Callable[[Night], Night]:
        """Scan the domain whose turn it is; return what that makes of the night."""
        now = self.clock()
        try:
            snapshot = await self.portfolio.snapshot(workspace, purpose=Purpose.SPARE)
            domains, text = snapshot.domains, digest.plan.filter_text
            ends = KnownEnds(await self.ends.get(workspace), now)
            # 10,000 domains take some milliseconds.
            domain = await asyncio.to_thread(oldest, domains, text, ends, dict(tried))
        except BotError as error:
            return partial(stopped, error=of_service(error))
        if domain is None:
            return lambda night: replace(night, is_over=True)
        host, failure = host_of(domain), None
        tried[host] = now
        await note()
        try:
            await self.repository.change(
                workspace, digest.digest_id, lambda each: begun(each, now)
            )
            await self.scans.run(workspace, domain, purpose=Purpose.SPARE)
        except (UnwantedScanError, UnknownDigestError):
            del tried[host]
            raise
        except BotError as error:
            failure = of_service(error)
        if failure is None or service_failure(failure)[0] is not FailureReason.SERVICE:
            del tried[host]  # its end dates say when it was scanned, or it was not
        return partial(after_scan, error=failure)


def _stepped(digest: Digest, day: date, step: Callable[[Night], Night], requests: int) -> Digest:
    night = _night_of(digest, day)
    return replace(digest, night=replace(step(night), requests=night.requests + requests))


def _night_of(digest: Digest, day: date) -> Night:
    return digest.night if digest.night and digest.night.day == day else Night(day=day)
