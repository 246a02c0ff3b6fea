"""What two processes are asked to do at the same moment is done by one of them."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from bot.claims import LASTS, Claims
from bot.clean_up import forget_expired
from bot.portfolio.add_domain import AlreadyAddedError, DomainAdder, NewDomain, UncertainAddError
from bot.portfolio.add_many import DomainLists, NewDomains, Outcome, Report
from bot.portfolio.end_dates import KeptEndDates
from bot.portfolio.service import Portfolio, StoredVersions
from bot.scans import Scans
from bot.store.documents import Document, Documents
from bot.tracker.models import (
    RateLimitedError,
    RejectedError,
    ScanResult,
    TimedOutError,
    TrackerError,
    UnavailableError,
)
from bot.tracker.rate_limit import Purpose
from bot.workspace import WorkspaceId
from tests.builders import a_domain
from tests.fakes import TIME_LIMIT_S, FakeClock, FakeLists
from tests.memory import MemoryDocuments

pytestmark = pytest.mark.anyio

HERE, THERE = WorkspaceId("T1"), WorkspaceId("T2")
SHOP = a_domain("shop.example", domain_id="d1")
NEW = NewDomain(host="new.example", domain_type="owned", tags=("a",))


class Service:
    """Takes what is sent once `gate` is open, lists it, and remembers it."""

    def __init__(self, lists: FakeLists) -> None:
        self.lists = lists
        self.sent: list[str] = []
        self.errors: list[BaseException] = []
        self.is_asked, self.gate = asyncio.Event(), asyncio.Event()

    async def scan(
        self, workspace: WorkspaceId, domain_id: str, *, purpose: Purpose = Purpose.PERSON
    ) -> ScanResult:
        await self._take(domain_id)
        return ScanResult({"dns": {"ttl": len(self.sent)}})

    async def add(self, workspace: WorkspaceId, new: NewDomain) -> None:
        await self._take(new.host)
        self.lists.domains += (a_domain(new.host),)

    async def _take(self, what: str) -> None:
        self.sent.append(what)
        self.is_asked.set()
        async with asyncio.timeout(TIME_LIMIT_S):
            await self.gate.wait()
        if self.errors:
            raise self.errors.pop(0)


class Process:
    """One of several; `waits` once it has seen another one's claim, `dead` are those that died."""

    def __init__(self, name: str, documents: Documents, service: Service, dead: set[str]) -> None:
        self.waits = asyncio.Event()
        clock = FakeClock()
        claims = Claims(
            documents,
            process_id=name,
            is_dead=self._is_dead,
            clock=clock,
            look_every_s=0.001,
        )
        self._dead = dead
        portfolio = Portfolio(service.lists, clock=clock, versions=StoredVersions(documents))
        self.scans = Scans(
            service, portfolio, documents, KeptEndDates(documents), clock=clock, claims=claims
        )
        self.adder = DomainAdder(service.add, portfolio, claims=claims)
        self.lists = DomainLists(documents, self.adder, portfolio, clock)

    def _is_dead(self, process_id: str) -> bool:
        self.waits.set()
        return process_id in self._dead


class Two:
    """The processes `one` and `other`, and what they share."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.dead: set[str] = set()
        self.service = Service(FakeLists(SHOP))
        self.one, self.other = (
            Process(name, documents, self.service, self.dead) for name in ("one", "other")
        )

    async def at_once(
        self, first: Coroutine[Any, Any, object], second: Coroutine[Any, Any, object]
    ) -> list[Any]:
        """Begin one, then the other; return both outcomes once the service answers."""
        begun = [asyncio.create_task(first)]
        async with asyncio.timeout(TIME_LIMIT_S):
            await self.service.is_asked.wait()
            begun.append(asyncio.create_task(second))
            await self.other.waits.wait()
            self.service.gate.set()
            return await asyncio.gather(*begun, return_exceptions=True)


@pytest.fixture
def two(documents: Documents) -> Two:
    return Two(documents)


async def test_of_two_scans_one_is_asked_for_and_both_get_its_report(two: Two) -> None:
    reports = await two.at_once(two.one.scans.run(HERE, SHOP), two.other.scans.run(HERE, SHOP))

    assert two.service.sent == ["d1"]
    assert reports[0] == reports[1]


async def test_who_waits_for_a_scan_of_a_bulk_scan_elsewhere_reads_the_score(two: Two) -> None:
    silent, joined = await two.at_once(
        two.one.scans.run(HERE, SHOP, lists=False), two.other.scans.run(HERE, SHOP)
    )

    assert two.service.sent == ["d1"]
    assert (silent.score_after, joined.score_after) == (None, SHOP.health_score)


async def test_of_two_adds_one_is_sent_and_both_get_the_listed_domain(two: Two) -> None:
    added = await two.at_once(two.one.adder.add(HERE, NEW), two.other.adder.add(HERE, NEW))

    assert two.service.sent == ["new.example"]
    assert [each.domain for each in added] == ["new.example"] * 2


async def no_step() -> None:
    """Show no progress."""
    await asyncio.sleep(0)


async def test_a_list_that_two_add_at_once_is_written_once(two: Two) -> None:
    hosts = ("a.example", "b.example", "shop.example")
    wanted = NewDomains(tuple(NewDomain(host=host, domain_type="owned") for host in hosts))
    reports = [Report(wanted), Report(wanted)]
    two.service.gate.set()

    await asyncio.gather(
        two.one.lists.add(HERE, reports[0], no_step),
        two.other.lists.add(HERE, reports[1], no_step),
    )

    assert sorted(two.service.sent) == ["a.example", "b.example"]
    for report in reports:
        assert set(report.outcomes.values()) <= {Outcome.ADDED, Outcome.KNOWN}


@pytest.mark.parametrize("is_other", [True, False], ids=["other process", "same process"])
async def test_what_a_list_has_just_added_is_not_written_again(two: Two, is_other: bool) -> None:
    """Although the list of domains that both know is older."""
    another = two.other if is_other else two.one
    two.service.gate.set()
    outcomes: list[Outcome] = []
    twice: list[object] = []

    async def add_again() -> None:
        wish = NewDomain(host="a.example", domain_type="owned")
        twice.extend(await asyncio.gather(another.adder.add(HERE, wish), return_exceptions=True))
        second = Report(wanted)
        await another.lists.add(HERE, second, no_step)
        outcomes.extend(second.outcomes.values())

    for process in (two.one, two.other):
        await process.lists.listed(HERE)
    wanted = NewDomains((NewDomain(host="a.example", domain_type="owned"),))
    await two.one.lists.add(HERE, Report(wanted), add_again)

    assert two.service.sent == ["a.example"]
    assert [type(each) for each in twice] == [AlreadyAddedError]
    assert outcomes == [Outcome.KNOWN]


async def test_who_wished_for_other_labels_reads_that_it_was_there_already(two: Two) -> None:
    other = NewDomain(host="new.example", domain_type="owned", tags=("b",))

    _, refused = await two.at_once(two.one.adder.add(HERE, NEW), two.other.adder.add(HERE, other))

    assert two.service.sent == ["new.example"]
    assert isinstance(refused, AlreadyAddedError)


@pytest.mark.parametrize(
    "error",
    [
        RateLimitedError(30.0),
        RejectedError(400, "no such thing"),
        TimedOutError("late", is_outcome_unknown=True, status=504),
    ],
    ids=repr,
)
async def test_both_get_the_error_of_the_one_request(two: Two, error: TrackerError) -> None:
    two.service.errors = [error]

    got = await two.at_once(two.one.scans.run(HERE, SHOP), two.other.scans.run(HERE, SHOP))

    assert two.service.sent == ["d1"]
    assert [type(each) for each in got] == [type(error)] * 2
    assert str(got[1]) == str(error)
    assert vars(got[1]) == vars(error)


async def test_an_add_of_unknown_outcome_is_not_repeated_by_the_other(two: Two) -> None:
    two.service.errors = [UnavailableError(is_outcome_unknown=True)]

    got = await two.at_once(two.one.adder.add(HERE, NEW), two.other.adder.add(HERE, NEW))

    assert two.service.sent == ["new.example"]
    assert [type(each) for each in got] == [UncertainAddError] * 2


async def test_after_an_error_of_our_own_the_other_tries_for_itself(two: Two) -> None:
    two.service.errors = [ValueError("a mistake")]

    got = await two.at_once(two.one.scans.run(HERE, SHOP), two.other.scans.run(HERE, SHOP))

    assert two.service.sent == ["d1", "d1"]
    assert got[1].host == "shop.example"


async def test_the_claim_of_a_process_that_died_is_taken_over(two: Two) -> None:
    lost = asyncio.create_task(two.one.scans.run(HERE, SHOP))
    await two.service.is_asked.wait()
    two.dead.add("one")
    two.service.gate.set()

    report = await two.other.scans.run(HERE, SHOP)

    assert two.service.sent == ["d1", "d1"]
    assert report.host == "shop.example"
    await lost


async def test_a_claim_is_for_one_time_one_host_and_one_workspace(two: Two) -> None:
    two.service.gate.set()
    www = a_domain("www.example", domain_id="d2")
    for workspace, domain in ((HERE, SHOP), (HERE, SHOP), (HERE, www), (THERE, SHOP)):
        await two.one.scans.run(workspace, domain)
        await two.other.scans.run(workspace, domain)

    assert two.service.sent == ["d1"] * 4 + ["d2"] * 2 + ["d1"] * 2


async def test_claims_are_forgotten(two: Two) -> None:
    two.service.gate.set()
    await two.one.scans.run(HERE, SHOP)

    assert await forget_expired(two.documents, FakeClock().now + LASTS) == 1
    assert not await two.documents.list_prefix(f"{HERE}/claim/")


async def test_a_scan_that_was_cut_off_is_not_repeated_by_the_other(two: Two) -> None:
    two.service.errors = [asyncio.CancelledError()]

    got = await two.at_once(two.one.scans.run(HERE, SHOP), two.other.scans.run(HERE, SHOP))

    assert two.service.sent == ["d1"]
    assert isinstance(got[1], UnavailableError)
    assert got[1].is_outcome_unknown


class RacingDocuments(MemoryDocuments):
    """A store in which another process is faster once."""

    async def put(self, key: str, *args: object, **how: object) -> Document:
        if "/claim/" in key and not await self.list_prefix(key):
            await super().put(key, {"v": 1, "by": "ghost", "wish": None})
        return await super().put(key, *args, **how)  # type: ignore[arg-type]  # whatever it was


async def test_who_was_slower_looks_again() -> None:
    two = Two(RacingDocuments())
    two.service.gate.set()

    assert (await two.one.scans.run(HERE, SHOP)).host == "shop.example"
