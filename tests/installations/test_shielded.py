"""Work that goes on when whoever waits for it has gone."""

import asyncio

import pytest

from bot.concurrency import Tasks, run_shielded
from tests.fakes import TIME_LIMIT_S
from tests.installations.builders import Gate

pytestmark = pytest.mark.anyio


async def test_it_returns_or_raises_what_the_work_does() -> None:
    async def give() -> int:
        return 5

    async def fail() -> int:
        raise ValueError("no")

    assert await run_shielded(Tasks(), give()) == 5
    with pytest.raises(ValueError, match="no"):
        await run_shielded(Tasks(), fail())


async def test_it_is_done_although_nobody_waits_any_more() -> None:
    gate, done, tasks = Gate(), [], Tasks()

    async def work() -> None:
        await gate()
        done.append(1)
        raise ValueError("nobody hears it")

    waiting = asyncio.create_task(run_shielded(tasks, work()))
    await gate.until_reached()
    waiting.cancel()
    await asyncio.wait({waiting})

    assert not await tasks.drain(0.01)
    gate.open()
    assert await tasks.drain(TIME_LIMIT_S)
    assert done == [1]


async def test_whoever_waits_learns_that_it_was_cut_off() -> None:
    tasks, gate = Tasks(), Gate()
    waiting = asyncio.create_task(run_shielded(tasks, gate()))
    await gate.until_reached()

    await tasks.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting
