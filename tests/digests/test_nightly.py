"""Scans at night: which domain is next, when they stop, and what is never done twice."""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.concurrency import Tasks
from bot.digests import edits
from bot.digests.models import Digest, FailureReason, Night, Plan
from bot.digests.nightly import FRESH_FOR, LEASE, LOOK_EVERY, NightlyScans
from bot.digests.repository import DigestRepository
from bot.errors import BotError
from bot.portfolio.end_dates import KeptEndDates
from bot.portfolio.service import Portfolio
from bot.scans import Scans
from bot.tracker.models import (
    RateLimitedError,
    RejectedError,
    ScanResult,
    UnavailableError,
)
from bot.tracker.names import default_names
from bot.tracker.rate_limit import Purpose
from bot.workspace import WorkspaceId
from tests.builders import a_domain
from tests.digests.office import ACME, BOB, DAILY
from tests.fakes import TIME_LIMIT_S, FakeClock, FakeLists
from tests.loops import loop_over
from tests.memory import MemoryDocuments

pytestmark = pytest.mark.anyio

ONE_AT_NIGHT = datetime(2026, 11, 20, 0, 0, tzinfo=UTC)  # 01:00 in Berlin
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
DOWN = UnavailableError("down", is_outcome_unknown=True)


@dataclass
class Observatory:
    """Everything about nightly scans but Slack and the service, around a store in memory."""

    clock: FakeClock = field(default_factory=lambda: FakeClock(ONE_AT_NIGHT))
    documents: MemoryDocuments = field(default_factory=MemoryDocuments)
    lists: FakeLists = field(
        default_factory=lambda: FakeLists(
            *(a_domain(f"{name}.example", domain_id=name) for name in "abc")
        )
    )
    tasks: Tasks = field(default_factory=Tasks)

    def __post_init__(self) -> None:
        self.scanned: list[str] = []
        self.purposes: list[Purpose] = []
        self.errors: dict[str, BotError] = {}
        self.gate, self.is_asked = asyncio.Event(), asyncio.Event()
        self.gate.set()
        self.repository = DigestRepository(self.documents)
        self.nightly = self.process()

    def process(self) -> NightlyScans:
        """Start as a new process would, on the same store."""
        portfolio = Portfolio(self.lists, clock=self.clock)
        ends = KeptEndDates(self.documents)
        return NightlyScans(
            self.documents,
            self.tasks,
            self.repository,
            portfolio,
            Scans(self, portfolio, self.documents, ends, names=default_names(), clock=self.clock),
            ends,
            clock=self.clock,
        )

    async def scan(
        self, workspace: WorkspaceId, domain_id: str, *, purpose: Purpose = Purpose.PERSON
    ) -> ScanResult:
        """Be the service."""
        self.scanned.append(domain_id)
        self.purposes.append(purpose)
        self.is_asked.set()
        async with asyncio.timeout(TIME_LIMIT_S):
            await self.gate.wait()
        if error := self.errors.get(domain_id):
            raise error
        return ScanResult()

    async def make(self, name: str = "d1", scans_a_night: int = 2, **plan: Any) -> None:
        fields: dict[str, Any] = {
            "channel_id": "C1",
            "schedule": DAILY,
            "scans_a_night": scans_a_night,
        } | plan
        digest = edits.create(name, Plan(**fields), BOB, self.clock() - DAY)
        await self.repository.put(ACME, digest)

    async def pass_by(self, time: timedelta = timedelta()) -> None:
        """Let time pass, and everything be done that is due then."""
        self.clock.now += time
        for _ in range(12):
            await self.nightly.run_due()
            assert await self.tasks.drain(TIME_LIMIT_S)

    async def night(self, name: str = "d1") -> Night | None:
        return (await self.repository.get(ACME, name)).night


@pytest.fixture
def sky() -> Observatory:
    return Observatory()


async def test_so_many_domains_are_scanned_at_night_and_the_oldest_scan_is_first(
    sky: Observatory,
) -> None:
    await sky.make()
    sky.clock.now -= HOUR
    await sky.pass_by()
    by_day = [*sky.scanned]
    for _ in range(3):
        await sky.pass_by(HOUR)
    await sky.pass_by(DAY - 2 * HOUR)

    assert by_day == []
    assert sky.scanned == ["a", "b", "c", "a"]
    assert set(sky.purposes) == {Purpose.SPARE}
    assert set(sky.lists.purposes) == {Purpose.SPARE}


async def test_a_night_that_begins_while_it_is_looked_is_seen_at_once(
    sky: Observatory, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_workspace = sky.repository.of_workspace

    async def slow(workspace: WorkspaceId) -> list[Digest]:
        sky.clock.now = ONE_AT_NIGHT
        return await of_workspace(workspace)

    await sky.make()
    sky.clock.now -= HOUR
    with monkeypatch.context() as while_looking:
        while_looking.setattr(sky.repository, "of_workspace", slow)
        await sky.nightly.run_due()
        assert await sky.tasks.drain(TIME_LIMIT_S)
    by_day = [*sky.scanned]
    await sky.pass_by()

    assert (by_day, sky.scanned) == ([], ["a", "b"])


async def test_what_two_digests_share_is_scanned_once_a_night(sky: Observatory) -> None:
    await sky.make("d1", 3)
    await sky.make("d2", 3)

    await sky.pass_by()
    await sky.pass_by(HOUR)

    assert sorted(sky.scanned) == ["a", "b", "c"]


async def test_a_process_that_stops_begins_no_scan(sky: Observatory) -> None:
    await sky.make()
    sky.nightly.stop_all()

    await sky.pass_by()
    begun, sky.nightly = [*sky.scanned], sky.process()
    await sky.pass_by()

    assert (begun, sky.scanned) == ([], ["a", "b"])


async def test_a_restart_scans_nothing_twice_and_goes_on(sky: Observatory) -> None:
    await sky.make(scans_a_night=3)
    sky.gate.clear()
    await sky.nightly.run_due()
    await sky.is_asked.wait()
    other = sky.process()
    await other.run_due()
    assert sky.scanned == ["a"]  # another process leaves it alone

    await sky.tasks.cancel()
    sky.gate.set()
    sky.nightly = other
    await sky.pass_by(max(LEASE, LOOK_EVERY))

    assert sky.scanned == ["a", "b", "c"]


async def test_two_processes_scan_one_domain_at_a_time(sky: Observatory) -> None:
    await sky.make(scans_a_night=3)
    other = sky.process()
    sky.gate.clear()

    await asyncio.gather(sky.nightly.run_due(), other.run_due())
    await sky.is_asked.wait()
    await asyncio.gather(sky.nightly.run_due(), other.run_due())
    sky.gate.set()
    assert await sky.tasks.drain(TIME_LIMIT_S)

    assert sky.scanned == ["a"]


async def test_used_up_requests_hold_the_scans_up_and_they_go_on_later(sky: Observatory) -> None:
    sky.errors["b"] = RateLimitedError(600)
    await sky.make(scans_a_night=3)

    await sky.pass_by()
    waiting = await sky.night()
    sky.errors.clear()
    await sky.pass_by(LOOK_EVERY)

    assert waiting is not None
    assert (waiting.trouble, waiting.is_over) == (FailureReason.RATE, False)
    assert sky.scanned == ["a", "b", "b", "c"]


async def test_a_service_out_of_order_ends_the_night_after_three_failures(
    sky: Observatory,
) -> None:
    sky.lists.domains = tuple(a_domain(f"{n}.example", domain_id=f"{n}") for n in range(6))
    sky.errors = {f"{number}": DOWN for number in range(6)}
    await sky.make(scans_a_night=6)

    await sky.pass_by()
    await sky.pass_by(DAY)

    assert len(sky.scanned) == 6  # three each night
    assert len(set(sky.scanned)) == 6  # and what failed comes last in the next one


async def test_a_domain_that_the_service_rejects_does_not_end_the_night(sky: Observatory) -> None:
    sky.errors = dict.fromkeys("abc", RejectedError(404))
    sky.lists.domains = tuple(a_domain(f"{n}.example", domain_id=n) for n in "abcd")
    await sky.make(scans_a_night=4)

    await sky.pass_by()
    night = await sky.night()

    assert sky.scanned == ["a", "b", "c", "d"]
    assert night is not None
    assert (night.begun, night.failed, night.trouble) == (4, 3, None)


@loop_over("act", ["deleted", "paused", "changed"])
async def test_a_digest_that_is_changed_in_the_middle_scans_no_more(act: str) -> None:
    sky = Observatory()
    await sky.make(scans_a_night=3)
    sky.gate.clear()
    await sky.nightly.run_due()
    await sky.is_asked.wait()

    def change(digest: Digest) -> Digest:
        if act == "paused":
            return edits.paused(digest, BOB, sky.clock(), until=None)
        plan = replace(digest.plan, scans_a_night=0)
        return edits.update(digest, plan, BOB, sky.clock(), version=1)

    if act == "deleted":
        await sky.repository.delete(ACME, "d1")
    else:
        await sky.repository.change(ACME, "d1", change)
    sky.gate.set()
    assert await sky.tasks.drain(TIME_LIMIT_S)
    await sky.pass_by(HOUR)

    assert sky.scanned == ["a"]


async def test_what_a_person_has_scanned_is_not_scanned_again(sky: Observatory) -> None:
    await sky.make(scans_a_night=3)
    portfolio, ends = Portfolio(sky.lists, clock=sky.clock), KeptEndDates(sky.documents)
    scans = Scans(sky, portfolio, sky.documents, ends, names=default_names(), clock=sky.clock)
    sky.clock.now -= FRESH_FOR - HOUR
    await scans.run(ACME, sky.lists.domains[1])
    sky.scanned.clear()
    sky.clock.now += FRESH_FOR - HOUR

    await sky.pass_by()

    assert sky.scanned == ["a", "c"]
