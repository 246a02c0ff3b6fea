import asyncio

import pytest

import bot.domains.service as under_test
from bot.domains.service import FRESH_FOR, Portfolio
from bot.process.workspace import WorkspaceId
from bot.tracker.models import Domain
from tests.builders import a_domain, a_snapshot
from tests.fakes import FakeClock, FakeLists
from tests.loops import loop_over

HERE, THERE = WorkspaceId("T1"), WorkspaceId("T2")
FRESH_S = FRESH_FOR.total_seconds()


async def asked(service: FakeLists, times: int) -> None:
    """Return when the service has been asked so often."""
    while len(service.asked) < times:  # noqa: ASYNC110  # the fake remembers, it does not tell
        await asyncio.sleep(0)


async def test_a_list_is_fresh_for_a_minute() -> None:
    clock, service = FakeClock(), FakeLists(a_domain())
    portfolio = Portfolio(service.list_domains, clock=clock)

    first = await portfolio.snapshot(HERE)
    clock.advance(FRESH_S - 1)
    assert await portfolio.snapshot(HERE) is first

    clock.advance(1)
    assert (await portfolio.snapshot(HERE)).listed_at == clock.now
    assert service.asked == [HERE, HERE]


async def test_a_list_of_the_future_is_stale() -> None:
    clock, service = FakeClock(), FakeLists(a_domain())
    portfolio = Portfolio(service.list_domains, clock=clock)
    await portfolio.snapshot(HERE)

    clock.advance(-1)

    assert (await portfolio.snapshot(HERE)).listed_at == clock.now


async def test_simultaneous_askers_cost_one_request() -> None:
    service = FakeLists(a_domain())
    portfolio = Portfolio(service.list_domains, clock=FakeClock())
    service.gate.clear()

    askers = [asyncio.create_task(portfolio.snapshot(HERE)) for _ in range(100)]
    await asked(service, 1)
    service.gate.set()

    assert len({id(snapshot) for snapshot in await asyncio.gather(*askers)}) == 1
    assert service.asked == [HERE]


async def test_a_list_begun_before_a_change_is_not_kept_after_it() -> None:
    service = FakeLists(a_domain("old.example"))
    portfolio = Portfolio(service.list_domains, clock=FakeClock())
    service.gate.clear()
    early = asyncio.create_task(portfolio.snapshot(HERE))
    await asked(service, 1)

    portfolio.forget(HERE)
    service.domains = (a_domain("new.example"),)
    late = asyncio.create_task(portfolio.snapshot(HERE))
    await asked(service, 2)
    service.gate.set()

    assert (await early).by_host.keys() == {"old.example"}
    assert (await late).by_host.keys() == {"new.example"}
    assert (await portfolio.snapshot(HERE)).by_host.keys() == {"new.example"}


async def test_an_outdated_list_is_kept_and_not_said_to_be_the_present() -> None:
    service = FakeLists(a_domain())
    portfolio = Portfolio(service.list_domains, clock=FakeClock())
    listed = await portfolio.snapshot(HERE)

    await portfolio.invalidate(HERE)

    assert await portfolio.last_snapshot(HERE) is listed
    assert await portfolio.snapshot(HERE) is not listed


async def test_memory_is_bounded_over_all_workspaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(under_test, "MAX_CACHED_DOMAINS", 2 * (1 + 4))
    service = FakeLists(*[a_domain()] * 4)
    portfolio = Portfolio(service.list_domains, clock=FakeClock())

    for workspace in (HERE, THERE, WorkspaceId("T3"), THERE, HERE):
        await portfolio.snapshot(workspace)

    assert service.asked == [HERE, THERE, WorkspaceId("T3"), HERE]


@loop_over(
    ("name", "used"),
    [("tags", ["a", "b"]), ("folders", ["f", "g"]), ("domain_types", ["owned", "x"])],
)
def test_a_snapshot_knows_the_labels_in_use(name: str, used: list[str]) -> None:
    one = Domain(domain="1.example", tags=("b", "a"), folder="g", domain_type="x")
    two = Domain(domain="2.example", tags=("a",), folder="f", domain_type="owned")

    assert getattr(a_snapshot(one, two, Domain(domain="3.example")), name) == used
