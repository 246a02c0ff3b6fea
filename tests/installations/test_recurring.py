"""Work that comes with every tick."""

import asyncio

import pytest

from bot.concurrency import NonOverlappingTask, Tasks
from bot.store.documents import StoreError
from tests.fakes import TIME_LIMIT_S

pytestmark = pytest.mark.anyio


async def test_what_is_under_way_is_not_begun_again() -> None:
    gate, begun, tasks = asyncio.Event(), [], Tasks()

    async def work() -> None:
        begun.append(1)
        await gate.wait()

    recurring = NonOverlappingTask(tasks, work)
    for _ in range(3):
        recurring.begin()
        await asyncio.sleep(0)
    gate.set()
    assert await tasks.drain(TIME_LIMIT_S)
    recurring.begin()
    assert await tasks.drain(TIME_LIMIT_S)

    assert len(begun) == 2


@pytest.mark.parametrize("error", [StoreError("disk full"), ValueError("unforeseen")])
async def test_what_failed_is_begun_again(
    error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    begun, tasks = [], Tasks()

    async def work() -> None:
        begun.append(1)
        raise error

    recurring = NonOverlappingTask(tasks, work)
    for _ in range(2):
        recurring.begin()
        assert await tasks.drain(TIME_LIMIT_S)

    assert len(begun) == 2
    assert str(error) in capsys.readouterr().out


async def test_what_hangs_is_ended_and_begun_again(capsys: pytest.CaptureFixture[str]) -> None:
    begun, tasks = [], Tasks()

    async def work() -> None:
        begun.append(1)
        await asyncio.Event().wait()

    recurring = NonOverlappingTask(tasks, work, within_s=0.01)
    for _ in range(2):
        recurring.begin()
        assert await tasks.drain(TIME_LIMIT_S)

    assert len(begun) == 2
    assert "not done now" in capsys.readouterr().out


async def test_what_does_not_end_when_its_time_is_over_is_noticed() -> None:
    gate, now, tasks = asyncio.Event(), [0.0], Tasks()
    recurring = NonOverlappingTask(tasks, gate.wait, within_s=100, steady=lambda: now[0])

    recurring.begin()
    seen = [recurring.is_stuck]
    now[0] = 111
    seen.append(recurring.is_stuck)
    gate.set()
    assert await tasks.drain(TIME_LIMIT_S)

    assert [*seen, recurring.is_stuck] == [False, True, False]
