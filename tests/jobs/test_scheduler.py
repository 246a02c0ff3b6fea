"""Ticks: one that fails is not the last, and readiness knows when they stop."""

import asyncio

import pytest

from bot.jobs.scheduler import ticking
from tests.fakes import TIME_LIMIT_S


async def test_a_failed_tick_is_not_the_last_one() -> None:
    enough = asyncio.Event()
    ticks: list[int] = []

    async def tick() -> None:
        ticks.append(1)
        if len(ticks) == 3:
            enough.set()
        if len(ticks) == 1:
            raise ZeroDivisionError("the first one fails")

    async with ticking(tick, every_s=0.05):
        async with asyncio.timeout(TIME_LIMIT_S):
            await enough.wait()

    assert len(ticks) >= 3


async def test_a_tick_that_hangs_is_ended_and_not_the_last_one() -> None:
    enough = asyncio.Event()
    ticks: list[int] = []

    async def tick() -> None:
        ticks.append(1)
        if len(ticks) == 3:
            enough.set()
        await asyncio.Event().wait()

    async with ticking(tick, every_s=0.05, within_s=0.01), asyncio.timeout(TIME_LIMIT_S):
        await enough.wait()


async def test_a_tick_under_way_ends_before_the_stop(caplog: pytest.LogCaptureFixture) -> None:
    begun, may_end = asyncio.Event(), asyncio.Event()
    ended: list[bool] = []

    async def tick() -> None:
        begun.set()
        await may_end.wait()
        ended.append(True)

    async with ticking(tick, every_s=60):
        await begun.wait()
        asyncio.get_running_loop().call_later(0.05, may_end.set)

    assert ended == [True]
    assert not caplog.records


async def test_a_stop_just_before_a_tick_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    for turns in range(20):  # of the loop: in one of them the tick is about to begin
        async with ticking(_nothing, every_s=60):
            for _ in range(turns):
                await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert not [each for each in caplog.records if each.levelname == "ERROR"]


async def _nothing() -> None:
    return None


async def test_ticks_that_stopped_are_noticed() -> None:
    async def tick() -> None:
        return None

    async with ticking(tick, every_s=10) as ticks:
        assert await ticks.are_recent() is True

        ticks.last_at -= 3 * 10 + 2

        assert await ticks.are_recent() is False
