import asyncio
import gc
import socket
import threading
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.process.concurrency import EventLoop, SingleFlight, Tasks, run_shielded
from tests.fakes import TIME_LIMIT_S
from tests.installations.builders import Gate


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


def test_a_slow_name_lookup_keeps_only_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    ask, begun, goes_on, asked = socket.getaddrinfo, threading.Event(), threading.Event(), []

    def answer(host: str, *question: Any) -> Any:
        asked.append(host)
        if host == "hangs":
            begun.set()
            goes_on.wait(TIME_LIMIT_S)
        return ask("127.0.0.1", *question)

    async def scenario() -> list[Any]:
        loop = asyncio.get_running_loop()
        hanging = [asyncio.create_task(loop.getaddrinfo("hangs", 80)) for _ in range(100)]
        async with asyncio.timeout(TIME_LIMIT_S):
            await asyncio.to_thread(begun.wait)
            hanging.pop().cancel()
            [*_, (*_, place)] = await loop.getaddrinfo("answers", 81)
            await asyncio.to_thread(goes_on.set)
            return [place, *(found[0][-1] for found in await asyncio.gather(*hanging))]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    with asyncio.Runner(loop_factory=EventLoop) as runner:
        places = runner.run(scenario())

    assert asked == ["hangs", "answers"]
    assert places == [("127.0.0.1", 81), *[("127.0.0.1", 80)] * 99]


class Work:
    """Work that ends when it is told to, and counts how often it was begun."""

    def __init__(self, result: str | Exception = "done") -> None:
        self.result = result
        self.times_begun = 0
        self.has_begun, self.may_end = asyncio.Event(), asyncio.Event()

    async def __call__(self) -> str:
        self.times_begun += 1
        self.has_begun.set()
        await self.may_end.wait()
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


async def begun(work: Work) -> None:
    await work.has_begun.wait()


async def test_an_error_reaches_all_callers_and_is_not_kept() -> None:
    flights: SingleFlight[str, str] = SingleFlight()
    work = Work(RuntimeError("broken"))
    work.may_end.set()

    results = await asyncio.gather(
        *(flights.run("a", work) for _ in range(3)), return_exceptions=True
    )
    work.result = "mended"

    assert [str(result) for result in results] == ["broken"] * 3
    assert await flights.run("a", work) == "mended"
    assert work.times_begun == 2


async def test_a_cancelled_caller_does_not_stop_the_others() -> None:
    flights: SingleFlight[str, str] = SingleFlight()
    work = Work()
    leaving, staying = (asyncio.create_task(flights.run("a", work)) for _ in range(2))
    await begun(work)

    leaving.cancel()
    await asyncio.wait({leaving})
    work.may_end.set()

    assert leaving.cancelled()
    assert await staying == "done"


async def test_an_error_without_callers_is_not_logged_by_asyncio() -> None:
    complaints: list[object] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: complaints.append(context))
    flights: SingleFlight[str, str] = SingleFlight()
    work = Work(RuntimeError("broken"))
    asker = asyncio.create_task(flights.run("a", work))
    await begun(work)

    asker.cancel()
    await asyncio.wait({asker})
    work.may_end.set()
    for _ in range(5):  # turns of the loop until the work has ended
        await asyncio.sleep(0)
    del asker  # its traceback holds the work
    gc.collect()

    assert complaints == []
