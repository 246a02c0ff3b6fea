"""What is remembered of what arrived, here and by all processes together."""

import asyncio

import pytest

from bot.concurrency import Tasks
from bot.deduplication import BUCKET_S, REMEMBERED_FOR_S, MemoryDedup, SharedDedup, StoredDedup
from bot.store.documents import StoreError
from tests.fakes import TIME_LIMIT_S, FakeClock
from tests.memory import FailingDocuments, MemoryDocuments

pytestmark = pytest.mark.anyio


class TroubledSeen(MemoryDedup):
    """What all processes share: it may fail, or note nothing until `gate` opens."""

    def __init__(self) -> None:
        super().__init__(clock=FakeClock().seconds)
        self.error: StoreError | None = None
        self.gate = asyncio.Event()
        self.gate.set()

    async def is_new(self, name: str) -> bool:
        if self.error:
            raise self.error
        async with asyncio.timeout(TIME_LIMIT_S):
            await self.gate.wait()
        return await super().is_new(name)

    async def forget(self, name: str) -> None:
        if self.error:
            raise self.error
        await super().forget(name)


def a_process(stored: MemoryDedup, asked_within_s: float = TIME_LIMIT_S) -> SharedDedup:
    here = MemoryDedup(clock=FakeClock().seconds)
    return SharedDedup(stored, here=here, asked_within_s=asked_within_s)


async def test_it_is_remembered_for_as_long_as_a_signature_is_good() -> None:
    clock = FakeClock()
    seen = MemoryDedup(clock=clock.seconds)
    await seen.is_new("a")

    clock.advance(REMEMBERED_FOR_S - 1)
    assert not await seen.is_new("a")

    clock.advance(2)
    assert await seen.is_new("a")


async def restarted(documents: MemoryDocuments, clock: FakeClock, tasks: Tasks) -> StoredDedup:
    assert await tasks.drain(TIME_LIMIT_S)
    seen = StoredDedup(documents, tasks, seconds=clock.seconds)
    await seen.load()
    return seen


async def test_what_was_seen_is_known_after_a_restart() -> None:
    documents, clock, tasks = FailingDocuments(), FakeClock(), Tasks()
    first = await restarted(documents, clock, tasks)
    await first.is_new("a")
    await first.is_new("b")
    await first.forget("b")

    second = await restarted(documents, clock, tasks)

    assert [await second.is_new(name) for name in "abc"] == [False, True, True]
    await tasks.cancel()


async def test_many_that_come_at_once_cost_one_write_for_which_none_waits() -> None:
    documents, clock, tasks = FailingDocuments(), FakeClock(), Tasks()
    seen = await restarted(documents, clock, tasks)

    for number in range(100):
        await seen.is_new(str(number))

    assert documents.writes == 0
    assert await tasks.drain(TIME_LIMIT_S)
    assert documents.writes == 1


async def test_what_the_store_did_not_take_is_written_with_the_next() -> None:
    documents, clock, tasks = FailingDocuments(), FakeClock(), Tasks()
    seen = await restarted(documents, clock, tasks)
    documents.writes_left = 0
    assert await seen.is_new("a")
    assert await tasks.drain(TIME_LIMIT_S)
    documents.writes_left = None
    clock.advance(BUCKET_S)
    assert await seen.is_new("b")

    second = await restarted(documents, clock, tasks)

    assert [await second.is_new(name) for name in "ab"] == [False, False]


async def test_what_a_signature_is_no_longer_good_for_leaves_the_store() -> None:
    documents, clock, tasks = FailingDocuments(), FakeClock(), Tasks()
    seen = await restarted(documents, clock, tasks)
    await seen.is_new("a")
    assert await tasks.drain(TIME_LIMIT_S)

    clock.advance(REMEMBERED_FOR_S - BUCKET_S)
    assert not await seen.is_new("a")
    clock.advance(3 * BUCKET_S)

    assert await seen.is_new("b")
    assert await tasks.drain(TIME_LIMIT_S)
    assert len(await documents.list_keys("")) == 1


async def test_while_the_others_cannot_be_asked_this_process_decides_alone() -> None:
    stored = TroubledSeen()
    stored.error = StoreError("down")
    one, other = a_process(stored), a_process(stored)

    taken = [await one.is_new("a"), await one.is_new("a"), await other.is_new("a")]

    assert taken == [True, False, True]


async def test_nobody_waits_for_others_that_do_not_answer() -> None:
    stored = TroubledSeen()
    stored.gate.clear()
    one = a_process(stored, asked_within_s=0.001)

    taken = [await one.is_new("a"), await one.is_new("a")]
    stored.gate.set()

    assert taken == [True, False]


async def test_what_failed_is_new_again_here_also_when_the_others_cannot_be_told() -> None:
    stored = TroubledSeen()
    stored.error = StoreError("down")
    one = a_process(stored)
    await one.is_new("a")

    await one.forget("a")

    assert await one.is_new("a")
