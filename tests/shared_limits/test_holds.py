"""Slack's wait for a workspace, told to all processes."""

import pytest

from bot.concurrency import Tasks
from bot.shared_limits import READ_EVERY_S, SharedHolds, forget_expired
from bot.slack.posting import LocalBackoff
from bot.store.documents import Documents
from bot.workspace import WorkspaceId
from tests.fakes import TIME_LIMIT_S, FakeClock
from tests.shared_limits.processes import BadDay

pytestmark = pytest.mark.anyio

ACME, OTHER = WorkspaceId("T1"), WorkspaceId("T2", "E1")


class Two:
    """Those of two processes, whose clocks count from different moments."""

    def __init__(
        self, documents: Documents, clock: FakeClock, *, within_s: float = TIME_LIMIT_S
    ) -> None:
        self.tasks = Tasks()

        def holds(booted_at: float) -> SharedHolds:
            return SharedHolds(
                documents,
                self.tasks,
                clock=clock,
                seconds=lambda: clock.seconds() - booted_at,
                answered_within_s=within_s,
            )

        self.a, self.b = holds(0), holds(1e9)

    async def settled(self) -> None:
        assert await self.tasks.drain(TIME_LIMIT_S)


async def test_a_wait_that_one_process_has_met_is_known_to_the_other(
    documents: Documents, clock: FakeClock
) -> None:
    two = Two(documents, clock)

    two.a.hold(ACME, 30)
    await two.settled()
    clock.advance(10)

    for holds in (two.a, two.b):
        assert await holds.left_s(ACME) == pytest.approx(20, abs=0.001)
    assert await two.b.left_s(OTHER) == 0
    clock.advance(20)
    assert [await each.left_s(ACME) for each in (two.a, two.b)] == [0, 0]


async def test_one_that_has_just_looked_looks_again_after_two_seconds(clock: FakeClock) -> None:
    documents = BadDay()
    two = Two(documents, clock)
    await two.b.left_s(ACME)
    two.a.hold(ACME, 30)
    await two.settled()
    before = documents.reads

    assert await two.b.left_s(ACME) == 0
    assert documents.reads == before
    clock.advance(READ_EVERY_S)
    assert await two.b.left_s(ACME) == pytest.approx(28, abs=0.001)


async def test_the_longest_wait_of_a_process_is_written(
    documents: Documents, clock: FakeClock
) -> None:
    two = Two(documents, clock)

    for seconds in (5, 60, 20):
        two.a.hold(ACME, seconds)
    await two.settled()

    assert await two.b.left_s(ACME) == pytest.approx(60, abs=0.001)


async def test_a_wait_that_is_over_is_deleted(documents: Documents, clock: FakeClock) -> None:
    two = Two(documents, clock)
    two.a.hold(ACME, 30)
    await two.settled()
    assert await forget_expired(documents, clock()) == 0
    clock.advance(30)

    assert await forget_expired(documents, clock()) == 1
    assert await documents.list_keys("") == []


@pytest.mark.parametrize("trouble", ["fails", "hangs"])
async def test_without_the_store_a_process_keeps_to_what_it_has_met(
    clock: FakeClock, trouble: str
) -> None:
    documents = BadDay()
    two = Two(documents, clock, within_s=0.01)
    setattr(documents, trouble, True)

    two.a.hold(ACME, 30)

    assert [await each.left_s(ACME) for each in (two.a, two.b)] == [30, 0]


async def test_of_one_process_alone_the_longest_wait_holds(clock: FakeClock) -> None:
    holds = LocalBackoff(clock=clock.seconds)

    for seconds in (5, 60, 20):
        holds.hold(ACME, seconds)

    assert await holds.left_s(ACME) == 60
    assert await holds.left_s(OTHER) == 0
