"""How long an event loop is kept from its work, and by what."""

import asyncio
import gc
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import CodeType
from typing import Any

NAP_S = 0.005
WORTH_NOTING_S = 0.005
SHOWN_FRAMES = 4
ROOT = Path(__file__).parents[2]


class Meter:
    """What one loop was busy with. All numbers are seconds.

    `lags`: by how much each nap of 5 ms was too long: work on the loop, worker threads that hold
    the interpreter, and the machine being busy with others. `longest`: callbacks by processor
    time of the loop's own thread, without the garbage collector's; with their whole time by the
    wall clock, and the line at which they went on. `collections`: what the garbage collector
    took of the processor each time, whichever thread met it: all others stand still then.
    """

    def __init__(self) -> None:
        self.lags: list[float] = []
        self.longest: list[tuple[float, float, str]] = []
        self.collections: list[float] = []
        self._thread = threading.get_ident()
        self._collecting_since = 0.0
        self._collected_s = 0.0  # by the loop's own thread

    async def watch(self) -> None:
        """Nap until cancelled."""
        while True:
            before = time.perf_counter()
            await asyncio.sleep(NAP_S)
            self.lags.append(time.perf_counter() - before - NAP_S)

    def run(self, act: Callable[[], object], callback: object) -> None:
        """Run one callback of the loop and note how long it took."""
        places = _places(callback)
        collected_s = self._collected_s
        cpu_s, wall_s = time.thread_time(), time.perf_counter()
        act()
        wall_s = time.perf_counter() - wall_s
        cpu_s = time.thread_time() - cpu_s - (self._collected_s - collected_s)
        if max(cpu_s, wall_s) >= WORTH_NOTING_S:
            self.longest.append((cpu_s, wall_s, _shown(places)))

    def note_collection(self, phase: str, _info: dict[str, int]) -> None:
        """Note one run of the garbage collector, which calls this before and after."""
        now = time.thread_time()
        if phase == "start":
            self._collecting_since = now
            return
        self.collections.append(now - self._collecting_since)
        if threading.get_ident() == self._thread:
            self._collected_s += self.collections[-1]

    def told(self) -> dict[str, Any]:
        """The findings, as JSON has them."""
        lags = sorted(self.lags)
        return {
            "lag_max_s": lags[-1],
            "lag_p99_s": lags[int(len(lags) * 0.99)],
            "callback_max_s": max((cpu_s for cpu_s, _, _ in self.longest), default=0.0),
            "longest": sorted(self.longest, reverse=True)[:12],
            "collection_max_s": max(self.collections, default=0.0),
        }


@asynccontextmanager
async def metered() -> AsyncIterator[Meter]:
    """Measure the running loop inside the block."""
    meter = Meter()
    run = asyncio.Handle._run  # private: nothing public sees each callback

    def timed(handle: Any) -> None:
        meter.run(lambda: run(handle), handle._callback)

    asyncio.Handle._run = timed  # type: ignore[method-assign, assignment]  # as meant
    gc.callbacks.append(meter.note_collection)
    watch = asyncio.create_task(meter.watch())
    try:
        yield meter
    finally:
        watch.cancel()
        gc.callbacks.remove(meter.note_collection)
        asyncio.Handle._run = run  # type: ignore[method-assign]  # as it was


def _places(callback: Any) -> list[tuple[CodeType, int]]:
    """Where a task goes on, the innermost last. Quick, as every callback passes here."""
    places: list[tuple[CodeType, int]] = []
    task = getattr(callback, "__self__", None)
    if isinstance(task, asyncio.Task):
        coroutine: Any = task.get_coro()
        while frame := getattr(coroutine, "cr_frame", None):
            places.append((frame.f_code, frame.f_lineno))
            coroutine = getattr(coroutine, "cr_await", None)
    return places


def _shown(places: list[tuple[CodeType, int]]) -> str:
    """The lines of the bot among them, the innermost first."""
    ours = [
        f"{Path(code.co_filename).stem}.{code.co_name}:{line}"
        for code, line in reversed(places)
        if code.co_filename.startswith(str(ROOT / "bot"))
    ]
    return " < ".join(ours[:SHOWN_FRAMES]) or "not of the bot"
