"""Who manages the key reads what all processes have used of it."""

from datetime import timedelta

import pytest

from bot.api_keys.repository import Keys
from bot.shared_limits import (
    MAX_READ,
    WRITTEN_AT_ONCE,
    WRITTEN_EVERY_S,
    Allowance,
    QuotaService,
    forget_expired,
)
from bot.store.documents import Document, Documents
from bot.store.fenced import FencedDocuments
from bot.store.memory import MemoryDocuments
from bot.tracker.rate_limit import Purpose, fingerprint
from bot.tracker.usage import WINDOW_S
from bot.workspace import KEY_CHECK, Caller, WorkspaceId, digests_of
from tests.api_keys.test_repository import RING, a_draft
from tests.fakes import FakeClock
from tests.shared_limits.processes import ACME, ADA, BOB, ONE, BadDay, Process, two_processes
from tests.tracker.loopback import KEY, always, reply, service

pytestmark = pytest.mark.anyio

SERVED = always(reply(ONE))


async def told(process: Process) -> None:
    """Let a process tell the others what it has counted."""
    await process.shared.usage.tick()
    await process.settled()


async def seen_by(process: Process) -> dict[Caller, int]:
    await process.shared.refresh(ACME)
    return dict(process.meter.usage(ACME, fingerprint(KEY)).shares)


async def test_what_all_processes_have_used_is_added_up(
    documents: Documents, clock: FakeClock
) -> None:
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, b):
        await a.ask(asker=ADA)
        await b.ask(asker=ADA)
        await b.ask(asker=digests_of("C1"), purpose=Purpose.SCHEDULED)
        clock.advance(WRITTEN_EVERY_S)
        for process in (a, b):
            await told(process)
        everything = {ADA: 2, digests_of("C1"): 1}
        for process in (a, b, a):  # what was learned is not counted once more
            assert await seen_by(process) == everything


async def test_what_is_used_after_a_while_is_known_to_the_other_at_once(
    documents: Documents, clock: FakeClock
) -> None:
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, b):
        await a.ask(asker=ADA)
        await a.settled()
        assert await seen_by(b) == {ADA: 1}
        await a.ask(asker=BOB)
        await a.settled()
        assert await seen_by(b) == {ADA: 1}

        clock.advance(WRITTEN_EVERY_S)
        await told(a)

        assert await seen_by(b) == {ADA: 1, BOB: 1}


async def test_a_manager_reads_the_sum_and_what_the_other_was_told_last(
    documents: Documents, clock: FakeClock
) -> None:
    left = reply(ONE, headers={"X-RateLimit-Remaining": "777"})
    keys = Keys(documents, RING, clock=clock)
    await keys.save(ACME, a_draft(KEY), set_by="U1")
    async with service(always(left)) as there, two_processes(documents, clock, there) as (a, b):
        await a.ask(asker=ADA)
        clock.advance(WRITTEN_EVERY_S)
        await told(a)

        allowances = QuotaService(keys, b.budget, b.meter, refresh=b.shared.refresh)
        allowance = await allowances.of(ACME)

    assert isinstance(allowance, Allowance)
    assert allowance.budget.remaining == 777
    assert allowance.budget.told_ago_s == pytest.approx(WRITTEN_EVERY_S, abs=0.01)
    assert allowance.usage.shares == ((ADA, 1),)


async def test_what_was_used_survives_a_restart(documents: Documents, clock: FakeClock) -> None:
    async with service(SERVED) as there:
        async with two_processes(documents, clock, there) as (a, _):
            clock.advance(WINDOW_S)
            await a.ask(asker=ADA)
            a.shared.usage.stop()
            await a.settled()
        clock.advance(60)
        async with two_processes(documents, clock, there) as (successor, _):
            clock.advance(60)

            assert await seen_by(successor) == {ADA: 1}
            assert successor.meter.usage(ACME, fingerprint(KEY)).span_s == WINDOW_S


async def test_what_is_an_hour_old_counts_no_more_and_is_deleted(
    documents: Documents, clock: FakeClock
) -> None:
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, b):
        await a.ask()
        clock.advance(WRITTEN_EVERY_S)
        await told(a)
        await documents.put("-.T1/digest/d1", {}, due_at=clock())
        clock.advance(WINDOW_S - WRITTEN_EVERY_S)
        assert await forget_expired(documents, clock()) == 0

        assert await seen_by(b) == {}
        clock.advance(WRITTEN_EVERY_S)

        assert await forget_expired(documents, clock()) == 1
        assert await documents.list_keys("") == ["-.T1/digest/d1"]


async def test_an_ordinary_request_costs_one_write_in_thirty_seconds(clock: FakeClock) -> None:
    documents = BadDay()
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, _):
        for _ in range(3 * int(WRITTEN_EVERY_S)):
            await a.ask()
            await told(a)
            clock.advance(1)
        await told(a)

    assert documents.writes == 4
    keys = await documents.list_keys("")
    assert len(keys) == 1
    assert keys[0].startswith("-.T1/usage/")


async def test_what_nothing_was_asked_for_is_not_written_again(clock: FakeClock) -> None:
    documents = BadDay()
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, _):
        await a.ask()
        for _ in range(3):
            clock.advance(WRITTEN_EVERY_S)
            await told(a)

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
        setattr(documents, trouble, True)

        assert await seen_by(a) == {ADA: 1}


async def test_what_the_store_did_not_take_is_told_with_what_comes_next(clock: FakeClock) -> None:
    documents = BadDay()
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, b):
        documents.fails = True
        await a.ask(asker=ADA)
        await a.settled()
        documents.fails = False
        await a.ask(asker=KEY_CHECK)
        clock.advance(WRITTEN_EVERY_S)
        await told(a)

        assert await seen_by(b) == {ADA: 1, KEY_CHECK: 1}


async def test_nothing_is_written_of_a_workspace_that_has_left(clock: FakeClock) -> None:
    documents = FencedDocuments(BadDay())
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, b):
        for process in (a, b):
            await process.ask()
        clock.advance(WRITTEN_EVERY_S)
        await told(a)
        async with documents.forgetting(f"{ACME}/"):
            await documents.delete_prefix(f"{ACME}/")
        for process in (a, b):
            process.meter.forget(ACME)
            process.shared.forget(ACME)
        await a.ask(asker=BOB)  # it was under way
        clock.advance(WRITTEN_EVERY_S)
        for process in (a, b):
            await told(process)

        assert await documents.list_keys("") == []
        assert await seen_by(b) == {}


async def test_another_workspace_sees_nothing_of_it(
    documents: Documents, clock: FakeClock
) -> None:
    other = WorkspaceId("T2")
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, b):
        await a.ask()
        clock.advance(WRITTEN_EVERY_S)
        await told(a)

        await b.shared.refresh(other)

        assert b.meter.usage(other, fingerprint(KEY)).total == 0


async def test_many_processes_before_this_one_are_read_up_to_a_limit(clock: FakeClock) -> None:
    documents = BadDay()
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, b):
        await a.ask()
        clock.advance(WRITTEN_EVERY_S)
        await told(a)
        (key,) = await documents.list_keys("")
        kept = await documents.get(key)
        assert kept
        for number in range(MAX_READ + 5):
            place = f"{ACME}/usage/{number:08}.{fingerprint(KEY)}"
            await documents.put(place, kept.value, due_at=kept.due_at)

        assert sum((await seen_by(b)).values()) == MAX_READ


async def test_the_rest_is_told_later_when_the_store_fails_in_between(clock: FakeClock) -> None:
    documents = BadDay()
    homes = [WorkspaceId(f"T{number}") for number in range(3 * WRITTEN_AT_ONCE)]
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, _):
        for home in homes * 2:
            await a.ask(home=home)
        documents.fails = True
        clock.advance(WRITTEN_EVERY_S)
        await told(a)
        documents.fails, before = False, documents.writes
        clock.advance(WRITTEN_EVERY_S)
        await told(a)

    assert documents.writes - before == len(homes) - WRITTEN_AT_ONCE


async def test_one_that_has_counted_long_ago_does_not_say_since_when(clock: FakeClock) -> None:
    documents = BadDay()
    async with service(SERVED) as there:
        async with two_processes(documents, clock, there) as (a, _):
            await a.ask()
            a.shared.usage.stop()
            await a.settled()
        clock.advance(WINDOW_S)
        async with two_processes(documents, clock, there) as (b, _):
            clock.advance(60)
            await b.shared.refresh(ACME)

            assert b.meter.usage(ACME, fingerprint(KEY)).span_s == 60


async def test_what_is_written_anew_while_it_is_to_be_deleted_stays(clock: FakeClock) -> None:
    key = f"{ACME}/usage/1.2"

    class Renewed(MemoryDocuments):
        async def get(self, key: str) -> Document | None:
            await self.put(key, {}, due_at=clock() + timedelta(hours=1))
            return await super().get(key)

    documents = Renewed()
    await documents.put(key, {}, due_at=clock())

    assert await forget_expired(documents, clock()) == 0
    assert await documents.list_keys("") == [key]


async def test_what_is_written_anew_at_the_last_moment_stays(clock: FakeClock) -> None:
    key = f"{ACME}/usage/1.2"

    class Renewed(MemoryDocuments):
        async def delete(self, key: str, *, if_rev: int | None = None) -> bool:
            await self.put(key, {}, due_at=clock() + timedelta(hours=1))
            return await super().delete(key, if_rev=if_rev)

    documents = Renewed()
    await documents.put(key, {}, due_at=clock())

    assert await forget_expired(documents, clock()) == 0
    assert await documents.list_keys("") == [key]
