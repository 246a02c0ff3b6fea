"""What is remembered of what arrived, here and by all processes together."""

import asyncio

from bot.store.deduplication import REMEMBERED_FOR_S, Dedup
from bot.store.documents import StoreError
from tests.fakes import FakeClock


class TroubledSeen(Dedup):
    """What all processes share: it may fail, or note nothing until `gate` opens."""

    def __init__(self) -> None:
        super().__init__(clock=FakeClock().seconds)
        self.error: StoreError | None = None
        self.gate = asyncio.Event()
        self.gate.set()

    async def remember(self, name: str) -> bool:
        if self.error:
            raise self.error
        await self.gate.wait()
        return await super().remember(name)

    async def forget(self, name: str) -> None:
        if self.error:
            raise self.error
        await super().forget(name)


def a_process(stored: Dedup) -> Dedup:
    return Dedup(stored, clock=FakeClock().seconds)


async def test_it_is_remembered_for_as_long_as_a_signature_is_good() -> None:
    clock = FakeClock()
    seen = Dedup(clock=clock.seconds)
    await seen.remember("a")

    clock.advance(REMEMBERED_FOR_S - 1)
    assert not await seen.remember("a")

    clock.advance(2)
    assert await seen.remember("a")


async def test_while_the_others_cannot_be_asked_this_process_decides_alone() -> None:
    stored = TroubledSeen()
    stored.error = StoreError("down")
    one, other = a_process(stored), a_process(stored)

    taken = [await one.remember("a"), await one.remember("a"), await other.remember("a")]

    assert taken == [True, False, True]


async def test_no_one_waits_for_silent_processes() -> None:
    stored = TroubledSeen()
    stored.gate.clear()
    one = a_process(stored)

    taken = [await one.remember("a"), await one.remember("a")]
    stored.gate.set()

    assert taken == [True, False]


async def test_a_failed_request_may_be_repeated_without_the_store() -> None:
    stored = TroubledSeen()
    stored.error = StoreError("down")
    one = a_process(stored)
    await one.remember("a")

    await one.forget("a")

    assert await one.remember("a")
