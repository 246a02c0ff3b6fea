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
