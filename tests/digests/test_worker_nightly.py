"""Scans at night: which domain is next, how many in an hour, and what is never done twice."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.digests import edits
from bot.digests.models import Plan
from bot.digests.repository import DigestRepository
from bot.digests.schedule import Schedule
from bot.domains.kept_facts import FactsRepository
from bot.domains.service import Portfolio
from bot.process.concurrency import Tasks
from bot.process.errors import BotError
from bot.process.workspace import WorkspaceId
from bot.scans.nightly import (
    CHECK_EVERY,
    FRESH_FOR,
    LEASE,
    NightlyScans,
    NightlySetting,
    nights_each,
    requests_an_hour,
)
from bot.scans.service import Scans
from bot.tracker.models import (
    InvalidKeyError,
    RateLimitedError,
    RejectedError,
    UnavailableError,
)
from bot.tracker.rate_limit import Allowance, Purpose
from tests.builders import a_domain
from tests.digests.builders import ACME, BOB
from tests.fakes import TIME_LIMIT_S, FakeClock, FakeLists
from tests.loops import loop_over
from tests.memory import MemoryDocuments

ONE_AT_NIGHT = datetime(2026, 11, 20, 1, 0, tzinfo=UTC)
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
DOWN = UnavailableError("down", is_outcome_unknown=True)


@dataclass
class Observatory:
    """Everything about nightly scans but Slack and the service, around a store in memory."""

    clock: FakeClock = field(default_factory=lambda: FakeClock(ONE_AT_NIGHT - HOUR))
    documents: MemoryDocuments = field(default_factory=MemoryDocuments)
    lists: FakeLists = field(
        default_factory=lambda: FakeLists(
            *(a_domain(f"{name}.example", domain_id=name) for name in "abc")
        )
    )
    tasks: Tasks = field(default_factory=Tasks)
    granted: Allowance | None = field(default_factory=lambda: Allowance(highest_seen=1_000))

    def __post_init__(self) -> None:
        self.scanned: list[str] = []
        self.moments: list[datetime] = []
        self.purposes: list[Purpose] = []
        self.errors: dict[str, BotError] = {}
        self.gate, self.is_asked = asyncio.Event(), asyncio.Event()
        self.gate.set()
        repository = DigestRepository(self.documents)
        self.repository = repository
        self.setting = NightlySetting(self.documents, repository.zones, clock=self.clock)
        self.nightly = self.process()

    def process(self) -> NightlyScans:
        """Start as a new process would, on the same store."""
        portfolio = Portfolio(self.lists.list_domains, clock=self.clock)
        ends = FactsRepository(self.documents)
        return NightlyScans(
            self.documents,
            self.tasks,
            self.setting,
            Scans(self.scan, portfolio, self.documents, ends, clock=self.clock),
            self.allowance,
            clock=self.clock,
        )

    async def allowance(self, _workspace: WorkspaceId) -> Allowance | None:
        return self.granted

    async def scan(
        self, workspace: WorkspaceId, domain_id: str, purpose: Purpose = Purpose.PERSON
    ) -> dict[str, object]:
        """Be the service."""
        self.scanned.append(domain_id)
        self.moments.append(self.clock())
        self.purposes.append(purpose)
        self.is_asked.set()
        async with asyncio.timeout(TIME_LIMIT_S):
            await self.gate.wait()
        if error := self.errors.get(domain_id):
            raise error
        return {}

    async def look(self) -> None:
        """Let everything be done that is due now."""
        for _ in range(12):
            await self.nightly.run_due()
            assert await self.tasks.drain(TIME_LIMIT_S)
            if not await self.documents.due_keys(self.clock()):
                break

    async def pass_by(self, span: timedelta, step: timedelta = MINUTE) -> None:
        """Let time pass, with a look at each step."""
        end = self.clock.now + span
        while self.clock.now < end:
            self.clock.now += step
            await self.look()

    async def night(self) -> None:
        """Let the next night pass, from midnight on."""
        self.clock.now = self.clock.now.replace(hour=0, minute=0)
        await self.pass_by(6 * HOUR, 5 * MINUTE)
        self.clock.now += 18 * HOUR


@pytest.fixture
async def sky() -> Observatory:
    """A workspace whose key was set in the hour before its first night."""
    sky = Observatory()
    assert await sky.setting.begin(ACME)
    return sky


async def test_a_replaced_key_starts_no_second_scan_beside_the_first(sky: Observatory) -> None:
    sky.clock.now = ONE_AT_NIGHT
    sky.gate.clear()
    await sky.nightly.run_due()
    async with asyncio.timeout(TIME_LIMIT_S):
        await sky.is_asked.wait()

    sky.clock.now += MINUTE
    assert not await sky.setting.begin(ACME, "Europe/Berlin")
    await sky.process().run_due()
    for _ in range(100):
        await asyncio.sleep(0)
    assert len(sky.scanned) == 1

    sky.gate.set()
    assert await sky.tasks.drain(TIME_LIMIT_S)


async def test_each_night_scans_every_domain_oldest_first(sky: Observatory) -> None:
    await sky.pass_by(59 * MINUTE)
    before = [*sky.scanned]
    for _ in range(3):
        await sky.night()

    assert before == []
    assert sky.scanned == [*"abc" * 3]
    assert all(1 <= moment.hour < 6 for moment in sky.moments)
    assert set(sky.purposes) == set(sky.lists.purposes) == {Purpose.BACKGROUND}
    assert len(sky.lists.asked) == 3  # one list a night


async def test_nights_that_were_not_begun_begin_when_they_are_shown(sky: Observatory) -> None:
    await sky.documents.delete(f"{ACME}/nightly")  # the process died after it had saved the key

    assert (await sky.setting.shown(ACME)).is_on
    await sky.night()

    assert sky.scanned == [*"abc"]


async def test_the_night_follows_digests_or_the_key_setter(sky: Observatory) -> None:
    await sky.setting.begin(ACME, "Asia/Tokyo")
    without = await sky.setting.shown(ACME)
    for name, zone in zip("abc", ("Europe/Berlin", "America/Lima", "America/Lima"), strict=True):
        schedule = Schedule(frozenset(range(5)), time(9), zone)
        digest = edits.create(name, Plan(channel_id="C1", schedule=schedule), BOB, sky.clock())
        await sky.repository.put(ACME, digest)
    await sky.pass_by(DAY, HOUR)

    assert without.zone == "Asia/Tokyo"
    assert (await sky.setting.shown(ACME)).zone == "America/Lima"
    assert {moment.hour for moment in sky.moments} == {6, 7, 8}  # from one o'clock on in Lima


@loop_over(
    ("allowance", "domains", "nights"),
    [(1_000, 12, 1), (1_000, 450, 1), (1_000, 451, 2), (100, 800, 7), (0, 40, 2), (2, 3, 1)],
)
def test_the_setting_decides_how_often(allowance: int, domains: int, nights: int) -> None:
    assert nights_each(domains, Allowance(highest_seen=allowance)) == nights


@given(st.integers(8, 100_000))
def test_a_scan_with_its_list_fits_into_the_share(allowance: int) -> None:
    assert 1 <= requests_an_hour(Allowance(highest_seen=allowance)) <= allowance // 4 - 1


async def test_off_nothing_is_scanned_and_on_it_goes_on(sky: Observatory) -> None:
    is_new = [await sky.setting.turn(ACME, is_on=on) for on in (False, False)]
    await sky.night()
    off = [*sky.scanned], (await sky.setting.shown(ACME)).is_on
    await sky.setting.begin(ACME)  # another key
    await sky.night()
    still = [*sky.scanned]
    await sky.setting.turn(ACME, is_on=True)
    await sky.night()

    assert is_new == [True, False]
    assert (off, still) == (([], False), [])
    assert sky.scanned == ["a", "b", "c"]


async def test_turned_off_in_the_middle_no_other_scan_begins(sky: Observatory) -> None:
    sky.clock.now += HOUR
    sky.gate.clear()
    await sky.nightly.run_due()
    await sky.is_asked.wait()
    await sky.setting.turn(ACME, is_on=False)
    sky.gate.set()
    assert await sky.tasks.drain(TIME_LIMIT_S)
    await sky.night()

    assert sky.scanned == ["a"]


async def test_a_new_key_is_used_the_same_night(sky: Observatory) -> None:
    sky.granted = None
    await sky.pass_by(2 * HOUR)
    asked = [*sky.lists.asked]
    sky.granted = Allowance()
    was_new = await sky.setting.begin(ACME)
    await sky.pass_by(HOUR)

    assert asked == []
    assert not was_new
    assert sky.scanned == ["a", "b", "c"]


async def test_a_refused_key_ends_the_night(sky: Observatory) -> None:
    sky.lists.error = InvalidKeyError("revoked")

    await sky.night()

    assert len(sky.lists.asked) == 1


async def test_a_process_that_stops_begins_no_scan(sky: Observatory) -> None:
    sky.tasks.stop()
    await sky.night()
    sky.tasks = Tasks()
    begun, sky.nightly = [*sky.scanned], sky.process()
    await sky.night()

    assert (begun, sky.scanned) == ([], ["a", "b", "c"])


async def test_a_restart_scans_nothing_twice_and_goes_on(sky: Observatory) -> None:
    sky.clock.now += HOUR
    sky.gate.clear()
    await sky.nightly.run_due()
    await sky.is_asked.wait()
    other = sky.process()
    await other.run_due()
    assert sky.scanned == ["a"]  # another process leaves it alone

    await sky.tasks.cancel()
    sky.gate.set()
    sky.nightly = other
    await sky.pass_by(LEASE + MINUTE)

    assert sky.scanned == ["a", "b", "c"]


async def test_used_up_requests_hold_the_scans_up_and_they_go_on_later(sky: Observatory) -> None:
    sky.errors["b"] = RateLimitedError(600)
    await sky.pass_by(HOUR + 5 * MINUTE)
    sky.errors.clear()
    await sky.pass_by(CHECK_EVERY)

    assert sky.scanned == ["a", "b", "b", "c"]


async def test_a_failing_service_is_asked_rarely(sky: Observatory) -> None:
    sky.lists.domains = tuple(a_domain(f"{n}.example", domain_id=f"{n}") for n in range(30))
    sky.errors = {f"{number}": DOWN for number in range(30)}

    await sky.night()

    assert len(sky.scanned) == len(set(sky.scanned)) == 20
    assert all(after - before >= CHECK_EVERY for before, after in pairwise(sky.moments))


async def test_a_domain_that_the_service_rejects_holds_up_no_other(sky: Observatory) -> None:
    sky.errors = dict.fromkeys("ab", RejectedError(404))

    await sky.pass_by(HOUR + 5 * MINUTE)

    assert sky.scanned == ["a", "b", "c"]


async def test_what_a_person_has_scanned_is_not_scanned_again(sky: Observatory) -> None:
    portfolio, ends = (
        Portfolio(sky.lists.list_domains, clock=sky.clock),
        FactsRepository(sky.documents),
    )
    scans = Scans(sky.scan, portfolio, sky.documents, ends, clock=sky.clock)
    sky.clock.now -= FRESH_FOR - 7 * HOUR
    await scans.run(ACME, sky.lists.domains[1])
    sky.scanned.clear()
    sky.clock.now += FRESH_FOR - 7 * HOUR

    await sky.night()

    assert sky.scanned == ["a", "c"]
