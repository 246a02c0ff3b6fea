"""Who lives: told by what changes in the store, by each looker's own steady clock."""

import pytest

from bot.process_heartbeat import DEAD_AFTER_S, PREFIX, REFRESH_EVERY_S, SharedProcesses
from bot.store.documents import StoreError
from tests.builders import MOMENT
from tests.fakes import FakeClock
from tests.memory import FailingDocuments, MemoryDocuments

pytestmark = pytest.mark.anyio


@pytest.fixture
def documents() -> FailingDocuments:
    return FailingDocuments()


def a_process(documents: MemoryDocuments, clock: FakeClock, ahead_s: float = 0) -> SharedProcesses:
    """Its steady clock has nothing to do with that of others: `ahead_s`."""
    return SharedProcesses(
        documents,
        role="web",
        clock=clock,
        keys=["k1"],
        steady=lambda: clock.seconds() + ahead_s,
    )


async def live(clock: FakeClock, *processes: SharedProcesses, for_s: float) -> None:
    for _ in range(int(for_s / REFRESH_EVERY_S)):
        clock.advance(REFRESH_EVERY_S)
        for process in processes:
            await process.heartbeat()


async def test_processes_that_show_themselves_live_however_their_clocks_differ(
    documents: FailingDocuments, clock: FakeClock
) -> None:
    one, other = a_process(documents, clock), a_process(documents, clock, ahead_s=86_400)

    await live(clock, one, other, for_s=300)

    assert not one.is_dead(other.process_id)
    assert not other.is_dead(one.process_id)


async def test_one_that_is_killed_is_known_to_be_dead_within_half_a_minute(
    documents: FailingDocuments, clock: FakeClock
) -> None:
    one, killed = a_process(documents, clock), a_process(documents, clock)
    await live(clock, killed, one, for_s=60)

    await live(clock, one, for_s=DEAD_AFTER_S - REFRESH_EVERY_S)
    is_early = one.is_dead(killed.process_id)
    await live(clock, one, for_s=REFRESH_EVERY_S)

    assert (is_early, one.is_dead(killed.process_id)) == (False, True)


async def test_whoever_looks_for_the_first_time_takes_nobody_for_dead(
    documents: FailingDocuments, clock: FakeClock
) -> None:
    killed = a_process(documents, clock)
    await live(clock, killed, for_s=5)
    clock.advance(3600)
    new = a_process(documents, clock)

    await new.heartbeat()
    at_first = new.is_dead(killed.process_id)
    await live(clock, new, for_s=DEAD_AFTER_S)

    assert (at_first, new.is_dead(killed.process_id)) == (False, True)


async def test_one_that_is_nowhere_is_dead_only_after_it_was_looked_for(
    documents: FailingDocuments, clock: FakeClock
) -> None:
    one = a_process(documents, clock)
    await one.heartbeat()

    at_first = one.is_dead("gone")
    await live(clock, one, for_s=DEAD_AFTER_S)

    assert (at_first, one.is_dead("gone")) == (False, True)


async def test_a_store_that_was_away_is_no_sign_of_death(
    documents: FailingDocuments, clock: FakeClock
) -> None:
    one, other = a_process(documents, clock), a_process(documents, clock)
    await live(clock, other, one, for_s=60)

    documents.writes_left = 0  # it can still be read
    for _ in range(24):
        clock.advance(REFRESH_EVERY_S)
        with pytest.raises(StoreError):
            await one.heartbeat()
    documents.writes_left = None
    await one.heartbeat()  # before the other one could

    assert not one.is_dead(other.process_id)


async def test_the_dead_are_removed_and_stay_dead_for_those_who_knew_them(
    documents: FailingDocuments, clock: FakeClock
) -> None:
    one, other, killed = (a_process(documents, clock) for _ in range(3))
    await live(clock, killed, one, other, for_s=30)

    await live(clock, one, other, for_s=60)

    left = {document.key for document in await documents.list_prefix(PREFIX)}
    assert left == {f"{PREFIX}{each.process_id}" for each in (one, other)}
    assert one.is_dead(killed.process_id)
    assert other.is_dead(killed.process_id)


async def test_it_shows_what_operators_want_to_know_and_nothing_comes_due(
    documents: FailingDocuments, clock: FakeClock
) -> None:
    one = a_process(documents, clock)

    await one.heartbeat()

    document = await documents.get(f"{PREFIX}{one.process_id}")
    shown = {"v": 1, "role": "web", "started_at": MOMENT.isoformat(), "keys": ["k1"]}
    assert document
    assert document.value == shown
    assert document.due_at is None
