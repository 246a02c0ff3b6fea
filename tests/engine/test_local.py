"""Ticks: one that fails is not the last, and readiness knows when they stop."""

import asyncio

import pytest

from bot.engine.local import ticking

pytestmark = pytest.mark.anyio


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
        async with asyncio.timeout(5):
            await enough.wait()

    assert len(ticks) >= 3


async def test_ticks_that_stopped_are_noticed() -> None:
    async def tick() -> None:
        return None

    async with ticking(tick, every_s=10) as ticks:
        assert await ticks.are_recent() is True

        ticks.last_at -= 3 * 10 + 2

        assert await ticks.are_recent() is False
