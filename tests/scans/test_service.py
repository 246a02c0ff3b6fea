"""Scans: kept to compare with, bounded, readable by the version that kept them."""

import threading
from collections.abc import Callable
from datetime import date
from typing import Any, TypeVar

import msgspec
import pytest

import bot.scans.service as under_test
from bot.domains.kept_facts import FactsRepository, KeptFacts
from bot.domains.service import Portfolio
from bot.process.workspace import WorkspaceId
from bot.scans.service import MAX_KEPT_CHANGES, MAX_KEPT_SCANS, NoScanError, Scans
from bot.scans.views import scan_message
from bot.tracker.models import SECTIONS, InvalidKeyError, UnavailableError
from bot.tracker.rate_limit import Purpose
from bot.tracker.scan_facts import EndDate, Severity
from tests.blocks.acceptance import shown_text
from tests.builders import MOMENT, a_domain
from tests.fakes import FakeClock, FakeLists
from tests.memory import MemoryDocuments

T = TypeVar("T")
ONE, OTHER = WorkspaceId("T1"), WorkspaceId("T2")


class Scanner:
    """Scans, and finds what it is told to."""

    def __init__(self) -> None:
        self.sections: dict[str, object] = {"dns": {"A": ["192.0.2.1"], "port": 60}}

    async def scan(
        self, workspace: WorkspaceId, domain_id: str, purpose: Purpose = Purpose.PERSON
    ) -> dict[str, object]:
        return self.sections


@pytest.fixture
def scanner() -> Scanner:
    return Scanner()


@pytest.fixture
def lists() -> FakeLists:
    return FakeLists()


@pytest.fixture
def scans(scanner: Scanner, lists: FakeLists, documents: MemoryDocuments) -> Scans:
    clock = FakeClock()
    portfolio = Portfolio(lists.list_domains, clock=clock)
    return Scans(scanner.scan, portfolio, documents, FactsRepository(documents), clock=clock)


async def test_a_scan_is_compared_with_the_one_before_it(scans: Scans, scanner: Scanner) -> None:
    await scans.run(ONE, a_domain("shop.example", domain_id="d1"))
    scanner.sections = {"dns": {"A": ["192.0.2.1"], "port": 300}}

    report = await scans.run(ONE, a_domain("shop.example", domain_id="d1"))

    [change] = report.changes
    assert change.before is not None
    assert change.after is not None
    assert (change.before.value, change.after.value) == (60, 300)


async def test_a_section_that_failed_is_not_compared(scans: Scans, scanner: Scanner) -> None:
    await scans.run(ONE, a_domain("shop.example", domain_id="d1"))
    scanner.sections = {"dns": {"error": "timeout"}}

    report = await scans.run(ONE, a_domain("shop.example", domain_id="d1"))

    assert report.changes == ()
    assert "dns" in report.uncompared


async def test_what_could_not_be_compared_whole_is_noted(scans: Scans, scanner: Scanner) -> None:
    names = [f"{number}.example" for number in range(MAX_KEPT_CHANGES + 20)]
    long = [{"name": name, "text": "x" * 5_000} for name in names * 3]
    partly = {"A": ["192.0.2.1"], "MX": None, "errors": ["MX: timeout"]}
    for dns in ({"A": names}, partly):
        scanner.sections = {"dns": dns, "ssl": long}
        report = await scans.run(ONE, a_domain("shop.example", domain_id="d1"))

    text = shown_text(scan_message(report))
    assert (report.too_long, report.partly) == (("ssl",), ("dns",))
    assert len(report.changes) == MAX_KEPT_CHANGES
    assert f"*{len(names) + 2} changes since" in text
    assert "SSL not compared: too long. DNS compared in part: a look-up failed" in text


@pytest.mark.parametrize("error", [UnavailableError(), InvalidKeyError(), None], ids=repr)
async def test_an_unlisted_score_is_unknown(
    scans: Scans, lists: FakeLists, error: Exception | None
) -> None:
    lists.error = error

    report = await scans.run(ONE, a_domain("shop.example", 38))

    assert report.score_after is None
    assert lists.asked == [ONE]


async def test_the_score_of_the_scan_before_is_kept(scans: Scans, lists: FakeLists) -> None:
    for score, before in ((40, None), (42, 40), (None, 42), (41, None)):
        lists.domains = (a_domain("shop.example", score),)
        report = await scans.run(ONE, a_domain("shop.example", 38))
        assert (report.last_score, report.changes) == (before, ())


async def test_end_dates_stay(
    scans: Scans, lists: FakeLists, scanner: Scanner, documents: MemoryDocuments
) -> None:
    scanner.sections = {"ssl": {"notAfter": "2030-03-09"}, "security": {"issues": ["a"]}}
    hosts = [f"d{number}.example" for number in range(MAX_KEPT_SCANS + 2)]
    lists.domains = tuple(map(a_domain, hosts))
    for host in hosts:
        await scans.run(ONE, a_domain(host))

    kept = await FactsRepository(documents).get(ONE)

    assert set(kept) == set(hosts)
    assert kept[hosts[0]].certificate == EndDate(date(2030, 3, 9))
    assert kept[hosts[0]].issues == {Severity.UNKNOWN: 1}
    assert kept[hosts[0]].scanned_at == MOMENT


async def test_a_workspace_does_not_see_the_scans_of_another(scans: Scans) -> None:
    await scans.run(ONE, a_domain("shop.example", domain_id="d1"))

    with pytest.raises(NoScanError):
        await scans.last(OTHER, "shop.example")


async def test_two_hundred_reports_are_kept_and_a_night_takes_the_place_of_none(
    scans: Scans, documents: MemoryDocuments
) -> None:
    domains = [a_domain(f"d{number}.example", domain_id="d1") for number in range(204)]
    for domain in domains[:202]:
        await scans.run(ONE, domain)
    for domain in domains[200:]:
        await scans.run(ONE, domain, purpose=Purpose.BACKGROUND, lists=False)

    kept = await documents.list_keys(f"{ONE}/scan/")
    assert {key.rpartition("/")[2] for key in kept} == {each.domain for each in domains[2:202]}
    with pytest.raises(NoScanError):
        await scans.last(ONE, "d1.example")


async def test_large_scans_are_compared_off_the_loop(
    scans: Scans, scanner: Scanner, documents: MemoryDocuments, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_the_loop = []

    def noted(work: Callable[..., T]) -> Callable[..., T]:
        def do(*args: Any) -> T:
            is_row = KeptFacts in args or isinstance(args[0], KeptFacts)  # a small one
            if threading.current_thread() is threading.main_thread() and not is_row:
                on_the_loop.append(work)
            return work(*args)

        return do

    monkeypatch.setattr(msgspec, "to_builtins", noted(msgspec.to_builtins))
    monkeypatch.setattr(msgspec, "convert", noted(msgspec.convert))
    for name in ("section_of", "changes_between"):
        monkeypatch.setattr(under_test, name, noted(getattr(under_test, name)))
    for value in range(2):
        scanner.sections = {name: [f"ns{value}.example"] * 2_500 for name in SECTIONS}
        report = await scans.run(ONE, a_domain("shop.example", domain_id="d1"))

    assert sum(len(section.findings) for section in report.sections) == 10_000
    assert len(report.changes) > 0
    assert on_the_loop == []


@pytest.mark.parametrize("kept", [{}, {"report": {}}, {"v": 9, "report": {"host": 1}}], ids=str)
async def test_an_older_scan_does_not_stop_the_next(
    scans: Scans, documents: MemoryDocuments, kept: dict[str, object]
) -> None:
    await documents.put(f"{ONE}/scan/shop.example", kept)

    report = await scans.run(ONE, a_domain("shop.example", domain_id="d1"))

    assert report.since is None
    assert await scans.last(ONE, "shop.example") == report
