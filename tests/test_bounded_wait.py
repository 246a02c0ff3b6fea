"""How long somebody waits, and what becomes of the work then."""

import asyncio

import pytest

from bot.concurrency import BoundedWait
from tests.fakes import TIME_LIMIT_S
from tests.loops import loop_over

pytestmark = pytest.mark.anyio


@loop_over("error", [None, ValueError("late")])
async def test_what_takes_longer_is_not_waited_for_and_goes_on(error: Exception | None) -> None:
    gate, is_done = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        await gate.wait()
        is_done.set()
        if error:
            raise error

    with pytest.raises(TimeoutError):
        await BoundedWait(0.001).wait(work())
    gate.set()

    await asyncio.wait_for(is_done.wait(), TIME_LIMIT_S)


async def test_who_leaves_does_not_break_it_off() -> None:
    gate, is_done = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        await gate.wait()
        is_done.set()

    waiting = asyncio.create_task(BoundedWait(TIME_LIMIT_S).wait(work()))
    await asyncio.sleep(0)
    waiting.cancel()
    gate.set()

    await asyncio.wait_for(is_done.wait(), TIME_LIMIT_S)
