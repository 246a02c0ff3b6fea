"""Scan the domains of each workspace at night, the oldest scan first.

A workspace has one document from its first key on: the setting, and when somebody is to look
again. The process that looks holds it back for as long as a scan may take: so a workspace has one
such scan at a time, and another process goes on when this one dies. A domain is noted before its
scan, and none is scanned within `FRESH_FOR` of its last scan, a person's scan included.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import msgspec

from bot.domains.kept_facts import KnownFacts
from bot.domains.lookup import host_of
from bot.keys.failures import FailureReason, of_service, service_failure
from bot.process.clock import Clock
from bot.process.errors import BotError
from bot.process.workspace import WorkspaceId
from bot.process.zones import is_zone, zone_of
from bot.scans.service import SECONDS_EACH, Scans
from bot.store.documents import Document, Documents, Write, update
from bot.store.due_work import DueWork
from bot.tracker.models import Domain, RejectedError
from bot.tracker.rate_limit import Allowance, Purpose

KIND = "nightly"
# Hours by the clock of the workspace's most used zone.
NIGHT_HOURS = range(1, 6)
# So that what was scanned late in one night has its turn in the next one.
FRESH_FOR = timedelta(hours=20)
CHECK_EVERY = timedelta(minutes=15)
# Longer than a scan takes with its wait for a slot.
LEASE = timedelta(minutes=6)
# One request in so many is for nightly scans; while the allowance is unknown, so many an hour.
SHARE, UNKNOWN_SHARE = 4, 4
MAX_TRIED = 200
_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nights:
    """The nightly scans of a workspace; `zone` is that of who set the key.

    `tried`: when domains were tried whose scan is not kept.
    """

    is_on: bool = True
    zone: str = "UTC"
    tried: dict[str, datetime] = field(default_factory=dict)

    def trying(self, host: str, now: datetime) -> "Nights":
        """Return these with one more domain that is tried."""
        latest = sorted((self.tried | {host: now}).items(), key=lambda item: item[1])[-MAX_TRIED:]
        return replace(self, tried=dict(latest))


def requests_an_hour(allowance: Allowance | None) -> int:
    """Return how many requests of an hour are for nightly scans: a quarter, less one for lists."""
    highest = allowance.highest_seen if allowance else 0
    return max(1, highest // SHARE - 1) if highest else UNKNOWN_SHARE


def nights_each(domains: int, allowance: Allowance | None) -> int:
    """Return in how many nights each of `domains` is scanned once, about."""
    scans_an_hour = min(requests_an_hour(allowance), 3600 // SECONDS_EACH)
    return max(1, -(-domains // (len(NIGHT_HOURS) * scans_an_hour)))


def next_night(now: datetime, zone: ZoneInfo) -> datetime:
    """Return when the next night begins that has not begun."""
    local = now.astimezone(zone)
    begins = local.replace(hour=NIGHT_HOURS[0], minute=0, second=0, microsecond=0)
    return (begins if begins > local else begins + timedelta(days=1)).astimezone(UTC)


def oldest(domains: Iterable[Domain], facts: KnownFacts, nights: Nights) -> Domain | None:
    """Return the domain whose last scan is the oldest, `None` if all are fresh."""

    def last(domain: Domain) -> datetime:
        host = host_of(domain)
        row = facts.by_host.get(host)
        moments = [nights.tried.get(host), row.scanned_at if row else None]
        return max(filter(None, moments), default=_NEVER)

    chosen = min((each for each in domains if each.domain_id), key=last, default=None)
    return chosen if chosen and last(chosen) <= facts.now - FRESH_FOR else None


@dataclass(frozen=True, slots=True)
class NightlySetting:
    """Says whether and when a workspace is scanned at night. Every method may raise StoreError.

    `zones_of` returns the time zone of each digest of a workspace.
    """

    documents: Documents
    zones_of: Callable[[WorkspaceId], Awaitable[list[str]]]
    _: KW_ONLY
    clock: Clock

    async def begin(self, workspace: WorkspaceId, zone: str | None = None) -> bool:
        """Look at a workspace from now on, as it has a key; return whether that is new.

        A process that scans now keeps its hold: the workspace comes due at its end, and else
        within `LEASE`, as another key may work.
        """
        is_new, now = False, self.clock()

        def begun(document: Document | None) -> Write:
            nonlocal is_new
            is_new, nights = document is None, decode(document)
            write = self._write(replace(nights, zone=zone or nights.zone))
            if document and document.due_at and write.due_at:
                return replace(write, due_at=min(document.due_at, now + LEASE))
            return write

        await update(self.documents, _key(workspace), begun)
        return is_new

    async def turn(self, workspace: WorkspaceId, *, is_on: bool) -> bool:
        is_new = False

        def turned(document: Document | None) -> Write | None:
            nonlocal is_new
            nights = decode(document)
            is_new = nights.is_on is not is_on
            return self._write(replace(nights, is_on=is_on)) if is_new else None

        await update(self.documents, _key(workspace), turned)
        return is_new

    def _write(self, nights: Nights) -> Write:
        return Write(encode(nights), self.clock() if nights.is_on else None)

    async def shown(self, workspace: WorkspaceId) -> Nights:
        """Return the setting of a workspace with a key, with the zone whose nights count.

        It begins now if a process died between saving the key and that.
        """
        document = await self.documents.get(_key(workspace))
        if document is None:
            await self.begin(workspace)
        nights = decode(document)
        return replace(nights, zone=(await self.zone(workspace, nights)).key)

    async def zone(self, workspace: WorkspaceId, nights: Nights) -> ZoneInfo:
        """Return the zone of most digests; without digests that of who set the key."""
        zones = await self.zones_of(workspace)
        used = Counter(filter(is_zone, zones or [nights.zone]))
        return zone_of(used.most_common(1)[0][0] if used else "UTC")


@dataclass(slots=True)
class NightlyScans(DueWork):
    """Scans at night, one domain of a workspace at a time; people and digests go first."""

    kind = KIND
    at_once = 2  # people need the other slots for scans
    setting: NightlySetting
    scans: Scans
    allowances: Callable[[WorkspaceId], Awaitable[Allowance | None]]

    async def work(self, workspace: WorkspaceId) -> None:
        """Hold the workspace, scan one domain if it is night, and say when to look again.

        The requests are spread over the hour, so that no hour has more of them than its share.
        Raise ConflictError if another process holds it, or it was turned off or on.
        """
        now, held = self.clock(), await self.documents.get(_key(workspace))
        if held is None or held.due_at is None or held.due_at > now:
            return
        nights = decode(held)
        zone = await self.setting.zone(workspace, nights)
        local, coming = now.astimezone(zone), next_night(now, zone)
        if local.hour not in NIGHT_HOURS or await self.allowances(workspace) is None:
            await self._save(held, nights, coming)
            return
        held = await self._save(held, nights, now + LEASE)
        midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
        held, nights, wait = await self._scan_next(workspace, held, midnight)
        spread = timedelta(hours=1) / requests_an_hour(await self.allowances(workspace))
        await self._save(held, nights, coming if wait is None else now + max(wait, spread))

    async def _save(self, held: Document, nights: Nights, due_at: datetime) -> Document:
        return await self.documents.put(held.key, encode(nights), due_at=due_at, if_rev=held.rev)

    async def _scan_next(
        self, workspace: WorkspaceId, held: Document, listed_since: datetime
    ) -> tuple[Document, Nights, timedelta | None]:
        """Scan the domain whose turn it is; return the wait after it, `None`: till next night."""
        nights = trying = decode(held)
        try:
            domain = await self._oldest(workspace, nights, listed_since)
            if domain is None:
                return held, nights, CHECK_EVERY
            trying = nights.trying(host_of(domain), self.clock())
            held = await self._save(held, trying, self.clock() + LEASE)
            await self.scans.run(workspace, domain, purpose=Purpose.BACKGROUND, lists=False)
        except BotError as error:
            reason, _ = service_failure(of_service(error))
            if reason is not FailureReason.SERVICE:  # nothing was scanned
                return held, nights, CHECK_EVERY if reason is FailureReason.RATE else None
            is_of_domain = trying is not nights and isinstance(error, RejectedError)
            return held, trying, timedelta() if is_of_domain else CHECK_EVERY
        return held, nights, timedelta()  # its end dates say when it was scanned

    async def _oldest(
        self, workspace: WorkspaceId, nights: Nights, listed_since: datetime
    ) -> Domain | None:
        """Return the domain whose turn it is, by one list a night."""
        portfolio, kept_facts = self.scans.portfolio, self.scans.kept_facts
        listed = await portfolio.last_snapshot(workspace)
        if listed is None or listed.listed_at < listed_since:
            listed = await portfolio.snapshot(workspace, purpose=Purpose.BACKGROUND)
        facts = KnownFacts(await kept_facts.get(workspace), self.clock())
        # 10,000 domains take some milliseconds: off the loop.
        return await asyncio.to_thread(oldest, listed.domains, facts, nights)


def _key(workspace: WorkspaceId) -> str:
    return f"{workspace}/{KIND}"


def encode(nights: Nights) -> dict[str, object]:
    return {"v": 1, **msgspec.to_builtins(nights)}


def decode(document: Document | None) -> Nights:
    return msgspec.convert(document.value, Nights) if document else Nights()
