"""Ticks: one that fails is not the last, and readiness knows when they stop."""

import asyncio

import pytest

from bot.jobs.scheduler import ticking
from tests.fakes import TIME_LIMIT_S


async def test_a_tick_that_fails_or_hangs_is_not_the_last_one() -> None:
    enough = asyncio.Event()
    ticks: list[int] = []

    async def tick() -> None:
        ticks.append(1)
        if len(ticks) == 3:
            enough.set()
        if len(ticks) == 1:
            raise ZeroDivisionError("the first one fails")
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


async def test_a_tick_that_hangs_at_the_stop_is_cut_off_without_an_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    begun = asyncio.Event()

    async def tick() -> None:
        begun.set()
        await asyncio.Event().wait()

    async with ticking(tick, every_s=60):
        await begun.wait()
    await asyncio.sleep(1)

    assert not [each for each in caplog.records if each.levelname == "ERROR"]


async def test_a_stop_just_before_a_tick_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    for turns in range(20):  # of the loop: in one of them the tick is about to begin
        async with ticking(_nothing, every_s=60):
            for _ in range(turns):
                await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert not [each for each in caplog.records if each.levelname == "ERROR"]


async def _nothing() -> None:
    return None


async def test_ticks_that_fail_are_noticed() -> None:
    fails: list[bool] = []

    async def tick() -> None:
        if fails:
            raise ZeroDivisionError

    async with ticking(tick, every_s=10) as are_recent:
        assert await are_recent() is True

        fails.append(True)
        await asyncio.sleep(3 * 10 + 2)

        assert await are_recent() is False
