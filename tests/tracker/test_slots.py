import asyncio
from contextlib import AsyncExitStack

import pytest

from bot.tracker.http import MAX_REQUESTS, MAX_SCANS, Slots
from bot.tracker.models import UnavailableError
from tests.fakes import TIME_LIMIT_S

pytestmark = pytest.mark.anyio


async def taken(slots: Slots, count: int, *, is_scan: bool = False) -> AsyncExitStack:
    stack = AsyncExitStack()
    for _ in range(count):
        await stack.enter_async_context(slots.acquire(is_scan=is_scan))
    return stack


async def test_whoever_finds_no_place_waits_for_one() -> None:
    slots = Slots(wait_s=TIME_LIMIT_S)
    held = await taken(slots, MAX_REQUESTS)

    waiting = asyncio.create_task(taken(slots, 1))
    await asyncio.sleep(0)
    assert not waiting.done()
    await held.aclose()

    async with asyncio.timeout(TIME_LIMIT_S):
        await (await waiting).aclose()


async def test_the_wait_for_a_place_ends() -> None:
    slots = Slots(wait_s=0.01)

    async with await taken(slots, MAX_REQUESTS):
        with pytest.raises(UnavailableError) as caught:
            await taken(slots, 1)

    assert not caught.value.is_outcome_unknown


async def test_scans_leave_room_for_lists() -> None:
    slots = Slots(wait_s=0.01)

    async with await taken(slots, MAX_SCANS, is_scan=True):
        with pytest.raises(UnavailableError):
            await taken(slots, 1, is_scan=True)

        await (await taken(slots, MAX_REQUESTS - MAX_SCANS)).aclose()


async def test_a_wait_in_vain_keeps_no_place() -> None:
    slots = Slots(wait_s=0.01)
    async with await taken(slots, MAX_REQUESTS):
        for _ in range(MAX_SCANS):
            with pytest.raises(UnavailableError):
                await taken(slots, 1, is_scan=True)

    async with await taken(slots, MAX_SCANS, is_scan=True):
        await (await taken(slots, MAX_REQUESTS - MAX_SCANS)).aclose()
