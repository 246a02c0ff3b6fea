"""Managers of the key see what all processes have used of it."""

from datetime import timedelta

import pytest

from bot.api_keys.repository import Keys
from bot.shared_limits import WRITTEN_EVERY_S, Allowance, QuotaService, forget_expired
from bot.store.documents import Document, Documents
from bot.store.fenced import FencedDocuments
from bot.tracker.rate_limit import Purpose, fingerprint
from bot.tracker.usage import WINDOW_S
from bot.workspace import KEY_CHECK, Caller, WorkspaceId, digests_of
from tests.api_keys.test_repository import RING, a_draft
from tests.fakes import FakeClock
from tests.memory import MemoryDocuments
from tests.shared_limits.processes import ACME, ADA, BOB, ONE, BadDay, Process, two_processes
from tests.tracker.loopback import KEY, always, reply, service

pytestmark = pytest.mark.anyio

SERVED = always(reply(ONE))
KNOWN_AS = fingerprint(KEY)


async def store_counts(process: Process) -> None:
    """Let a process store what it has counted."""
    process.shared.stop()
    await process.settled()


async def seen_by(process: Process) -> dict[Caller, int]:
    await process.shared.refresh(ACME, KNOWN_AS)
    return dict(process.meter.usage(ACME, KNOWN_AS).shares)


async def test_what_all_processes_have_used_is_added_up(
    documents: Documents, clock: FakeClock
) -> None:
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, b):
        await a.ask(asker=ADA)
        await b.ask(asker=ADA)
        await b.ask(asker=digests_of("C1"), purpose=Purpose.SCHEDULED)
        for process in (a, b, a):
            await store_counts(process)

        for process in (a, b, a):  # what was learned is not counted once more
            assert await seen_by(process) == {ADA: 2, digests_of("C1"): 1}


async def test_the_first_request_is_stored_at_once_and_the_next_ones_after_a_while(
    documents: Documents, clock: FakeClock
) -> None:
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, b):
        for asker in (ADA, BOB):
            await a.ask(asker=asker)
            await a.shared.tick()
            await a.settled()
            assert await seen_by(b) == {ADA: 1}

        clock.advance(WRITTEN_EVERY_S)
        await a.shared.tick()
        await a.settled()

        assert await seen_by(b) == {ADA: 1, BOB: 1}


async def test_nothing_is_missing_while_it_is_being_stored(clock: FakeClock) -> None:
    async with service(SERVED) as there, two_processes(BadDay(), clock, there) as (a, _):
        await a.ask(asker=ADA)

        assert await seen_by(a) == {ADA: 1}
        await a.settled()


async def test_two_processes_that_store_at_once_lose_nothing(clock: FakeClock) -> None:
    async with service(SERVED) as there, two_processes(BadDay(), clock, there) as (a, b):
        for _ in range(2):
            for process in (a, b):
                await process.ask(asker=ADA)
            for process in (a, b):
                process.shared.stop()
            for process in (a, b):
                await process.settled()

        assert await seen_by(a) == await seen_by(b) == {ADA: 4}


async def test_a_manager_reads_the_sum_and_what_the_other_was_told_last(
    documents: Documents, clock: FakeClock
) -> None:
    left = reply(ONE, headers={"X-RateLimit-Remaining": "777"})
    keys = Keys(documents, RING, clock=clock)
    await keys.save(ACME, a_draft(KEY), set_by="U1")
    async with service(always(left)) as there, two_processes(documents, clock, there) as (a, b):
        await a.ask(asker=ADA)
        await a.settled()
        clock.advance(30)

        allowances = QuotaService(keys, b.budget, b.meter, refresh=b.shared.refresh)
        allowance = await allowances.of(ACME)

    assert isinstance(allowance, Allowance)
    assert allowance.budget.remaining == 777
    assert allowance.budget.told_ago_s == pytest.approx(30, abs=0.01)
    assert allowance.usage.shares == ((ADA, 1),)


async def test_what_was_used_survives_a_restart(documents: Documents, clock: FakeClock) -> None:
    async with service(SERVED) as there:
        async with two_processes(documents, clock, there) as (a, _):
            await a.ask(asker=ADA)
            await store_counts(a)
        clock.advance(600)
        async with two_processes(documents, clock, there) as (successor, _):
            assert await seen_by(successor) == {ADA: 1}
            assert 600 <= successor.meter.usage(ACME, KNOWN_AS).span_s <= 900


async def test_what_is_an_hour_old_counts_no_more_and_is_deleted(
    documents: Documents, clock: FakeClock
) -> None:
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, b):
        await a.ask()
        clock.advance(WRITTEN_EVERY_S)
        await a.ask()
        await store_counts(a)
        others = ("-.T1/digest/d1", "due")
        for key in (*others, "-.T1/usage/0.1", "-.T2/budget"):
            await documents.put(key, {}, due_at=clock())
        clock.advance(WINDOW_S - 1)
        assert await forget_expired(documents, clock()) == 2
        clock.advance(1)

        assert await seen_by(b) == {}
        assert await forget_expired(documents, clock()) == 1
        assert await documents.list_keys("") == [*others]


async def test_what_nothing_was_asked_for_is_not_written_again(clock: FakeClock) -> None:
    documents = BadDay()
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, _):
        await a.ask()
        for _ in range(3):
            clock.advance(WRITTEN_EVERY_S)
            await a.shared.tick()
            await a.settled()

    assert documents.writes == 1


@pytest.mark.parametrize("trouble", ["fails", "hangs"])
async def test_without_the_store_the_manager_reads_what_this_process_has_used(
    clock: FakeClock, trouble: str
) -> None:
    documents = BadDay()
    async with (
        service(SERVED) as there,
        two_processes(documents, clock, there, within_s=0.01) as (a, _),
    ):
        await a.ask(asker=ADA)
        await a.settled()
        setattr(documents, trouble, True)
        await a.ask(asker=BOB)

        assert await seen_by(a) == {ADA: 1, BOB: 1}


async def test_what_the_store_did_not_take_is_told_with_what_comes_next(clock: FakeClock) -> None:
    documents = BadDay()
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, b):
        documents.fails = True
        await a.ask(asker=ADA)
        await a.settled()
        documents.fails = False
        await a.ask(asker=KEY_CHECK)
        await store_counts(a)

        assert await seen_by(b) == {ADA: 1, KEY_CHECK: 1}


async def test_the_rest_is_told_later_when_the_store_fails_in_between(clock: FakeClock) -> None:
    documents = BadDay()
    homes = [WorkspaceId(f"T{number}") for number in range(5)]
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, _):
        for home in homes * 2:
            await a.ask(home=home)
        await a.settled()
        documents.fails = True
        await store_counts(a)
        documents.fails, before = False, documents.writes
        await store_counts(a)

    assert documents.writes - before == len(homes) - 1


async def test_nothing_is_written_of_a_workspace_that_has_left(clock: FakeClock) -> None:
    documents = FencedDocuments(BadDay())
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, b):
        for process in (a, b):
            await process.ask()
            await store_counts(process)
        async with documents.forgetting(f"{ACME}/"):
            await documents.delete_prefix(f"{ACME}/")
        for process in (a, b):
            process.meter.forget(ACME)
        await a.ask(asker=BOB)  # it was under way
        for process in (a, b):
            await store_counts(process)

        assert await documents.list_keys("") == []
        assert await seen_by(b) == {}


@pytest.mark.parametrize("when", ["get", "delete"])
async def test_what_is_written_again_while_it_is_to_be_deleted_stays(
    clock: FakeClock, when: str
) -> None:
    key = f"{ACME}/budget/1"

    class Renewed(MemoryDocuments):
        async def get(self, key: str) -> Document | None:
            if when == "get":
                await self._renew(key)
            return await super().get(key)

        async def delete(self, key: str, *, if_rev: int | None = None) -> bool:
            await self._renew(key)
            return await super().delete(key, if_rev=if_rev)

        async def _renew(self, key: str) -> None:
            await self.put(key, {}, due_at=clock() + timedelta(hours=1))

    documents = Renewed()
    await documents.put(key, {}, due_at=clock())

    assert await forget_expired(documents, clock()) == 0
    assert await documents.list_keys("") == [key]
