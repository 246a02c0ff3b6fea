import asyncio
import socket
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from bot.process.clock import utc_now
from tests.virtual_time import clock
from tests.virtual_time.found import FOUND
from tests.virtual_time.loop import HungError

SEEDS = range(1, 21)
WHOLE = Path(__file__).parents[1] / "whole"


def run(scenario: Callable[[], Coroutine[Any, Any, Any]], seed: int = 0) -> Any:
    """Run a scenario in virtual time of its own."""
    before = clock.current()
    clock.use(clock.VirtualClock(seed))
    try:
        return asyncio.run(scenario())
    finally:
        clock.use(before)


def test_half_an_hour_passes_at_once_for_all_clocks_alike() -> None:
    async def scenario() -> list[float]:
        clocks: list[Callable[[], float]] = [
            *(time.time, time.monotonic, time.perf_counter),
            lambda: utc_now().timestamp(),
        ]
        before = [read() for read in clocks]
        await asyncio.sleep(1800)
        return [read() - was for read, was in zip(clocks, before, strict=True)]

    assert run(scenario) == pytest.approx([1800] * 4, abs=0.001)


def test_what_nothing_will_end_fails_where_it_waits_and_is_named() -> None:
    async def waits() -> None:
        await asyncio.Event().wait()

    async def scenario() -> str:
        with pytest.raises(HungError, match="nothing will happen any more") as failure:
            await waits()
        return str(failure.value)

    assert "test_loop.py" in run(scenario)


def test_so_does_what_waits_beside_something_periodic() -> None:
    async def ticks() -> None:
        await asyncio.sleep(30)
        await ticks()

    async def scenario() -> None:
        ticking = asyncio.create_task(ticks())
        with pytest.raises(HungError, match="nothing came of an hour"):
            await asyncio.Event().wait()
        ticking.cancel()

    run(scenario)


def test_threads_work_one_at_a_time_and_time_stands_still() -> None:
    async def scenario() -> list[str]:
        said, at_work = [], threading.Lock()

        def work(name: str) -> None:
            assert at_work.acquire(blocking=False)
            before = time.monotonic()
            sum(range(100_000))
            assert time.monotonic() == before
            said.append(name)
            at_work.release()

        await asyncio.gather(*(asyncio.to_thread(work, name) for name in "abc"))
        return said

    assert run(scenario) == ["a", "b", "c"]


def test_a_thread_that_waits_for_the_loop_holds_up_nothing() -> None:
    async def scenario() -> list[str]:
        opened, said = threading.Event(), []
        waits = asyncio.create_task(asyncio.to_thread(opened.wait, 60))
        said.append(await asyncio.to_thread(lambda: "another"))
        await asyncio.sleep(1)
        opened.set()
        assert await waits
        return said

    assert run(scenario) == ["another"]


async def echoed(lines: int = 4) -> list[bytes]:
    """Return in which order what is sent at once by several connections arrives."""
    loop, arrived = asyncio.get_running_loop(), list[bytes]()

    async def read(end: socket.socket) -> None:
        data = b""
        while len(data) < 2:
            data += await loop.sock_recv(end, 1)
            arrived.append(data)

    pairs = [socket.socketpair() for _ in range(lines)]
    for each in (end for pair in pairs for end in pair):
        each.setblocking(False)
    reads = [asyncio.create_task(read(end)) for end, _ in pairs]
    await asyncio.sleep(0)
    for number, (_, end) in enumerate(pairs):
        await loop.sock_sendall(end, f"{number}.".encode())
    await asyncio.gather(*reads)
    for each in (end for pair in pairs for end in pair):
        each.close()
    return arrived


def test_a_seed_gives_the_same_again_and_another_seed_another_order() -> None:
    orders = {seed: run(echoed, seed) for seed in SEEDS}

    assert orders == {seed: run(echoed, seed) for seed in SEEDS}
    assert len(set(map(tuple, orders.values()))) > 4
    for order in orders.values():  # within a connection there is one order only
        assert all(order.index(b"%d" % line) < order.index(b"%d." % line) for line in range(4))


def test_no_timer_is_early_and_those_that_are_late_keep_their_order() -> None:
    async def scenario() -> tuple[list[int], float]:
        loop, rang, late = asyncio.get_running_loop(), list[int](), list[float]()
        start = loop.time()
        for number in range(50):
            loop.call_at(start + number / 100, rang.append, number)
            loop.call_at(
                start + number / 100,
                lambda due: late.append(loop.time() - due),
                start + number / 100,
            )
        await asyncio.sleep(1)
        assert min(late) >= 0
        return rang, max(late)

    found = [run(scenario, seed) for seed in SEEDS]

    assert all(rang == [*range(50)] for rang, _ in found)
    assert 0.01 < max(late for _, late in found) <= 0.06


def test_the_races_that_were_found_are_of_tests_that_are_there() -> None:
    modules = [path.read_text() for path in WHOLE.glob("test_*.py")]

    for name in FOUND:
        assert sum(f"def {name}(" in text for text in modules) == 1, name


async def test_a_process_is_refused() -> None:
    with pytest.raises(AssertionError, match="real_time"):
        await asyncio.create_subprocess_exec(sys.executable, "-c", "")
