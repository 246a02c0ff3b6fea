"""Managers of the key see what all processes have used of it."""

from datetime import timedelta

import pytest

from bot.clean_up import forget_expired
from bot.shared_limits import BUCKET_S
from bot.store.documents import Document, Documents
from bot.store.fenced import FencedDocuments
from bot.tracker.rate_limit import WINDOW_S, Purpose, fingerprint
from bot.workspace import KEY_CHECK, WorkspaceId, caller_context, digests_of
from tests.fakes import FakeClock
from tests.memory import MemoryDocuments
from tests.shared_limits.processes import ACME, ADA, BOB, ONE, BadDay, two_processes
from tests.tracker.loopback import KEY, always, reply, service

pytestmark = pytest.mark.anyio

SERVED = always(reply(ONE, headers={"X-RateLimit-Remaining": "777"}))


async def test_what_all_processes_have_used_is_added_up_the_most_first(
    documents: Documents, clock: FakeClock
) -> None:
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, b):
        await a.ask(asker=ADA)
        for process in (a, b):
            await process.ask(asker=digests_of("U1"), purpose=Purpose.SCHEDULED)
            await process.settled()

        for process in (a, b, a):  # what was learned is not counted once more
            assert list((await process.used()).items()) == [(digests_of("U1"), 2), (ADA, 1)]
        assert (await b.usage()).total == 3
        allowance = await b.quotas.of(ACME)
        assert allowance
        assert allowance.budget.remaining == 777
        assert await b.quotas.of(WorkspaceId("T2")) is None
        assert [next(process.sent) for process in (a, b)] == [2, 1]


async def test_nothing_is_missing_while_it_is_being_stored(clock: FakeClock) -> None:
    async with service(SERVED) as there, two_processes(BadDay(), clock, there) as (a, _):
        with caller_context(ACME, ADA):
            a.quotas.count(fingerprint(KEY))
            a.quotas.after_request(fingerprint(KEY))

        assert [await a.used() for _ in range(9)] == [{ADA: 1}] * 9
        await a.settled()


async def test_where_nothing_was_sent_the_store_is_not_asked(clock: FakeClock) -> None:
    documents = BadDay()
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, _):
        with caller_context(ACME, ADA):
            a.quotas.after_request(fingerprint(KEY))
        await a.settled()

    assert documents.reads == 0


async def test_two_processes_that_store_at_once_lose_nothing(clock: FakeClock) -> None:
    async with service(SERVED) as there, two_processes(BadDay(), clock, there) as (a, b):
        with caller_context(ACME, ADA):
            for process in (a, b) * 2:
                process.quotas.count(fingerprint(KEY))
                process.quotas.after_request(fingerprint(KEY))
        for process in (a, b):
            await process.settled()

        assert await a.used() == await b.used() == {ADA: 4}


async def test_what_was_used_survives_a_restart_and_says_since_when(
    documents: Documents, clock: FakeClock
) -> None:
    async with service(SERVED) as there:
        async with two_processes(documents, clock, there) as (a, _):
            clock.advance(90)
            assert (await a.usage()).span_s == 90
            await a.ask(asker=ADA)
            await a.settled()
        clock.advance(600)
        async with two_processes(documents, clock, there) as (successor, _):
            assert await successor.used() == {ADA: 1}
            assert 600 <= (await successor.usage()).span_s <= 900


async def test_what_is_an_hour_old_counts_no_more_and_is_deleted(
    documents: Documents, clock: FakeClock
) -> None:
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, b):
        await a.ask(asker=ADA)
        clock.advance(BUCKET_S)
        await a.ask(asker=BOB)
        await a.settled()
        clock.advance(WINDOW_S - BUCKET_S)
        assert await b.used() == {BOB: 1}
        others = ("-.T1/digest/budget", "due")
        for key in (*others, "-.T1/usage/0.1", "-.T1/slack-hold", "-.T2/budget"):
            await documents.put(key, {}, due_at=clock())
        assert await forget_expired(documents, clock()) == 3

        clock.advance(BUCKET_S)

        assert await b.used() == {}
        assert await forget_expired(documents, clock()) == 1
        assert await documents.list_keys("") == [*others]


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

        assert await a.used() == {ADA: 1, BOB: 1}


async def test_what_the_store_did_not_take_is_stored_with_the_next_request(
    clock: FakeClock,
) -> None:
    documents = BadDay()
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, b):
        documents.fails = True
        await a.ask(asker=ADA)
        await a.settled()
        documents.fails = False
        await a.ask(asker=KEY_CHECK)
        await a.settled()

        assert await b.used() == {ADA: 1, KEY_CHECK: 1}


async def test_a_workspace_that_leaves_takes_nothing_of_the_others_along(clock: FakeClock) -> None:
    async with service(SERVED) as there, two_processes(BadDay(), clock, there) as (a, _):
        await a.ask(home=WorkspaceId("T2"))
        await a.settled()

        a.quotas.forget(ACME)

        assert a.quotas.usage((WorkspaceId("T2"), fingerprint(KEY))).total == 1


async def test_nothing_is_kept_of_a_workspace_that_has_left(clock: FakeClock) -> None:
    documents = FencedDocuments(BadDay())
    async with service(SERVED) as there, two_processes(documents, clock, there) as (a, _):
        await a.ask()
        await a.settled()
        async with documents.forgetting(f"{ACME}/"):
            await documents.delete_prefix(f"{ACME}/")
        await a.ask(asker=BOB)  # it was under way
        await a.settled()

        a.quotas.forget(ACME)

        assert await documents.list_keys("") == []
        assert await a.used() == {}


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
            if when == "delete":
                await self._renew(key)
            return await super().delete(key, if_rev=if_rev)

        async def _renew(self, key: str) -> None:
            await self.put(key, {}, due_at=clock() + timedelta(hours=1))

    documents = Renewed()
    await documents.put(key, {}, due_at=clock())

    assert await forget_expired(documents, clock()) == 0
    assert await documents.list_keys("") == [key]
