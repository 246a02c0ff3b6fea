"""What is remembered of what arrived, here and by all processes together."""

import asyncio
from typing import Any

import pytest

from bot.deduplication import REMEMBERED_FOR_S, MemoryDedup, SharedDedup, StoredDedup
from bot.store.documents import Document, StoreError
from tests.fakes import TIME_LIMIT_S, FakeClock
from tests.memory import MemoryDocuments

pytestmark = pytest.mark.anyio


class CountedDocuments(MemoryDocuments):
    """Counts what is written."""

    writes = 0

    async def put(self, *args: Any, **options: Any) -> Document:
        self.writes += 1
        await asyncio.sleep(0)
        return await super().put(*args, **options)


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


async def test_what_comes_again_is_not_new() -> None:
    seen = MemoryDedup(clock=FakeClock().seconds)

    assert await seen.is_new("a")
    assert not await seen.is_new("a")
    assert await seen.is_new("b")


async def test_it_is_remembered_for_as_long_as_a_signature_is_good() -> None:
    clock = FakeClock()
    seen = MemoryDedup(clock=clock.seconds)
    await seen.is_new("a")

    clock.advance(REMEMBERED_FOR_S - 1)
    assert not await seen.is_new("a")

    clock.advance(2)
    assert await seen.is_new("a")


async def test_memory_is_bounded_and_the_oldest_goes_first() -> None:
    seen = MemoryDedup(clock=FakeClock().seconds, at_most=3)

    for number in range(4):
        await seen.is_new(str(number))

    assert not await seen.is_new("3")
    assert await seen.is_new("0")


async def test_what_was_seen_is_known_after_a_restart() -> None:
    documents, clock = CountedDocuments(), FakeClock()
    first = StoredDedup(documents, seconds=clock.seconds)
    await first.is_new("a")
    await first.is_new("b")
    await first.forget("b")

    second = StoredDedup(documents, seconds=clock.seconds)

    assert [await second.is_new(name) for name in "abc"] == [False, True, True]


async def test_many_that_come_at_once_cost_few_writes() -> None:
    documents, clock = CountedDocuments(), FakeClock()
    seen = StoredDedup(documents, seconds=clock.seconds)

    await asyncio.gather(*(seen.is_new(str(number)) for number in range(100)))

    assert documents.writes <= 2


async def test_what_a_signature_is_no_longer_good_for_leaves_the_store() -> None:
    documents, clock = CountedDocuments(), FakeClock()
    seen = StoredDedup(documents, seconds=clock.seconds)
    await seen.is_new("a")

    clock.advance(REMEMBERED_FOR_S - 10)
    assert not await seen.is_new("a")
    clock.advance(30)

    assert await seen.is_new("b")
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
