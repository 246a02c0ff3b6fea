import asyncio

import pytest
from structlog.testing import capture_logs

from bot.process.concurrency import Tasks, run_shielded
from tests.fakes import TIME_LIMIT_S
from tests.installations.builders import Gate


async def test_a_stop_waits_for_what_runs() -> None:
    tasks, done = Tasks(), []
    may_end = asyncio.Event()

    async def work() -> None:
        await may_end.wait()
        done.append("work")

    tasks.start(work())
    stopped = asyncio.create_task(tasks.drain(TIME_LIMIT_S))
    await asyncio.sleep(0)
    assert not stopped.done()
    may_end.set()

    assert await stopped
    assert done == ["work"]


async def test_a_stop_waits_for_what_the_work_itself_starts() -> None:
    tasks, done = Tasks(), []

    async def text() -> None:
        for _ in range(10):  # turns of the loop, more than it takes to end the work
            await asyncio.sleep(0)
        done.append("told")

    async def work() -> None:
        tasks.start(text())

    tasks.start(work())

    assert await tasks.drain(TIME_LIMIT_S)
    assert done == ["told"]


async def test_what_takes_too_long_is_cut_off_and_counted() -> None:
    tasks, ends = Tasks(), []

    async def stuck() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ends.append("cut off")

    tasks.start(stuck())
    tasks.start(stuck())

    assert not await tasks.drain(0.01)
    await tasks.cancel()
    assert ends == ["cut off"] * 2
    assert await tasks.drain(TIME_LIMIT_S)


async def test_what_a_task_raises_is_logged_with_its_cause() -> None:
    tasks = Tasks()

    async def broken() -> None:
        raise RuntimeError("broken")

    with capture_logs() as lines:
        tasks.start(broken())
        assert await tasks.drain(TIME_LIMIT_S)

    (line,) = lines
    assert (line["event"], line["log_level"]) == ("a task failed", "error")
    assert str(line["exc_info"]) == "broken"


async def test_shielded_work_is_done_although_its_caller_has_gone() -> None:
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


async def test_a_cancelled_wait_for_shielded_work_is_raised() -> None:
    tasks, gate = Tasks(), Gate()
    waiting = asyncio.create_task(run_shielded(tasks, gate()))
    await gate.until_reached()

    await tasks.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting
