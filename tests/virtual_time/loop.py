"""An event loop in whose world time passes only when there is nothing else to do.

Sockets are real ones between objects of this process, threads are real ones. A turn of the loop
polls the sockets; when none is ready, no callback waits and no thread works, time jumps to the
next timer. So a minute's wait takes a millisecond, and the order of everything is the same in
each run. What a seed lets come late is drawn in `VirtualClock`, with the reason why it may.
"""

import asyncio
import queue
import selectors
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sized
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.virtual_time.clock import APART_S, JOB_S, VirtualClock, current

# How often, by real time, and for how many times in a row the other threads have to be at rest.
LOOK_EVERY_S = 0.0005
LOOKS = 2
REAL_SLEEP = time.sleep
THREADS = Path("/proc/self/task")
HANGS_AT_MOST = 3


class HungError(AssertionError):
    """What a test waits for will not happen; raised where it waits."""


class Descriptors(selectors.DefaultSelector):
    """The sockets of a loop, ready in the order in which they were registered."""

    def __init__(self, loop: "VirtualLoop", clock: VirtualClock) -> None:
        super().__init__()
        self._loop = loop
        self._clock = clock
        self._held: dict[int, float] = {}

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self._clock.turn()
        self._loop.jobs.settle()
        if (ready := self.ready()) or (timeout is not None and timeout <= 0):
            return ready
        if self._loop.has_callbacks():  # of a thread that has ended, or of one that called us
            return []
        if ready := self.ready():
            return ready
        moments = [*self._held.values()]
        if timeout is not None:
            moments.append(self._clock.now_s + timeout + self._clock.wake_late_s())
        self._loop.jump(min(moments, default=None))
        return []

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        key = super().unregister(fileobj)
        self._held.pop(key.fd, None)
        return key

    def ready(self) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if len(ready) > 1:
            places = {fd: place for place, fd in enumerate(self.get_map())}
            ready.sort(key=lambda found: places[found[0].fd])
        if not self._clock.is_disturbed:
            return ready
        own = next(iter(self.get_map()))  # by which threads wake the loop
        held, self._held = self._held, {}
        free = []
        for key, events in ready:
            until = held.get(key.fd)
            if until is None and key.fd != own and (late_s := self._clock.bytes_late_s()):
                until = self._clock.now_s + late_s
            if until is None or until <= self._clock.now_s:
                free.append((key, events))
            else:
                self._held[key.fd] = until
        return free


class Jobs:
    """What threads do for a loop: one job at a time, while the loop stands still.

    A job that waits for something, perhaps for the loop, is looked at again in every turn.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, clock: VirtualClock) -> None:
        self._loop = loop
        self._clock = clock
        self._waiting: dict[Future[Any], asyncio.Future[Any]] = {}
        self._gates: set[threading.Event] = set()
        self._open = 0
        self._ended: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        self._last_s: dict[Executor, float] = {}

    def submit(self, executor: Executor, work: Callable[..., Any], *args: Any) -> Any:
        """Hand `work` to the executor; its thread begins when its moment has come."""
        gate, result = threading.Event(), self._loop.create_future()
        self._gates.add(gate)

        def job() -> Any:
            gate.wait()
            return work(*args)

        done = executor.submit(job)
        self._waiting[done] = result
        result.add_done_callback(lambda _: result.cancelled() and done.cancel())
        done.add_done_callback(self._ended.put)
        moment = self._clock.now_s + JOB_S + self._clock.thread_late_s()
        # asyncio orders no timers of the same moment.
        self._last_s[executor] = moment = max(moment, self._last_s.get(executor, 0.0) + APART_S)
        self._loop.call_at(moment, self._begin, gate)
        return result

    def settle(self) -> None:
        """Let the jobs work until each has ended, or waits."""
        looks = 0
        while True:
            try:
                done = self._ended.get(bool(self._open), LOOK_EVERY_S)
            except queue.Empty:
                if not self._open:
                    return
                looks = looks + 1 if others_wait() else 0
                if looks >= LOOKS:
                    return
            else:
                self._end(done)

    def close(self) -> None:
        for gate in self._gates:
            gate.set()

    def _begin(self, gate: threading.Event) -> None:
        self._gates.discard(gate)
        self._open += 1
        gate.set()
        self.settle()

    def _end(self, done: Future[Any]) -> None:
        result = self._waiting.pop(done)
        if done.cancelled():
            result.cancel()
            return  # its gate opens for nobody
        self._open -= 1
        if result.cancelled():
            return
        if error := done.exception():
            result.set_exception(error)
        else:
            result.set_result(done.result())


class VirtualLoop(asyncio.SelectorEventLoop):
    """Python's own loop, in virtual time if the running test is; see above."""

    _ready: Sized  # asyncio's, as the next two
    _transports: Mapping[int, asyncio.WriteTransport]
    _default_executor: Executor | None

    def __init__(self, selector: selectors.BaseSelector | None = None) -> None:
        self._clock = current()
        self._test: asyncio.Task[Any] | None = None
        if self._clock is None:
            super().__init__(selector)
            return
        self.jobs = Jobs(self, self._clock)
        self._longest_s = self._clock.now_s + self._clock.longest_s
        self._hangs = 0
        self._descriptors = Descriptors(self, self._clock)
        super().__init__(self._descriptors)

    def create_task(self, coro: Any, **how: Any) -> Any:
        task = super().create_task(coro, **how)
        if self._test is None or self._test.done() or is_test(task):
            self._test = task
        return task

    def run_in_executor(  # type: ignore[override]  # its types are asyncio's own
        self, executor: Any, func: Any, *args: Any
    ) -> Any:
        if self._clock is None:
            return super().run_in_executor(executor, func, *args)
        if executor is None:
            executor = self._default_executor = self._default_executor or ThreadPoolExecutor()
        return self.jobs.submit(executor, func, *args)

    async def shutdown_default_executor(self, *args: Any) -> None:
        if self._clock is not None and self._default_executor:
            # Here, as time would jump while asyncio's own thread waits for the others to end.
            self.jobs.close()
            self._default_executor.shutdown()
        await super().shutdown_default_executor(*args)

    async def subprocess_exec(self, *args: Any, **how: Any) -> Any:
        assert self._clock is None, "a process has its own time: mark this test `real_time`"
        return await super().subprocess_exec(*args, **how)

    async def connect_read_pipe(self, *args: Any) -> Any:
        assert self._clock is None, "a process has its own time: mark this test `real_time`"
        return await super().connect_read_pipe(*args)

    def has_callbacks(self) -> bool:
        return bool(self._ready)

    def jump(self, moment: float | None) -> None:
        """Let time pass until `moment`; `None`: nothing is due at any time."""
        assert self._clock is not None
        if moment is None and self._is_called():
            return
        if moment is None:
            self._fail("nothing will happen any more")
        elif moment > self._longest_s:
            self._longest_s = moment + self._clock.longest_s
            self._fail("nothing came of an hour")
        else:
            self._clock.now_s = max(self._clock.now_s, moment)

    def _is_called(self) -> bool:
        """Wait for threads of others, as those that end executors; say whether one calls."""
        looks = 0
        while looks < LOOKS:
            looks = looks + 1 if others_wait() else 0
            REAL_SLEEP(LOOK_EVERY_S)
            if self._ready or self._descriptors.ready():
                return True
        return False

    def close(self) -> None:
        if self._clock is not None and not self.is_closed():
            self.jobs.close()
            closing = [each for each in self._transports.values() if each.is_closing()]
            for transport in closing:  # what they still had to send has nobody to wait for it
                transport.abort()
            if closing:
                self.call_soon(self.stop)
                self.run_forever()
        super().close()

    def _fail(self, why: str) -> None:
        """Raise a HungError where the test waits: so its clean-up goes on."""
        tasks = [task for task in asyncio.all_tasks(self) if not task.done()]
        where = "\n".join(sorted(f"  {task.get_name()} {place(task)}" for task in tasks))
        error = HungError(f"{why}; waiting:\n{where}")
        self._hangs += 1
        waits: Any = self._test
        while isinstance(waits, asyncio.Task):
            waits = waits._fut_waiter  # type: ignore[attr-defined]
        if self._hangs > HANGS_AT_MOST or waits is None:
            raise error
        waits.set_exception(error)


def is_test(task: "asyncio.Task[Any]") -> bool:
    return getattr(task.get_coro(), "__name__", "") == "_run_tests_and_fixtures"  # anyio's


def place(task: "asyncio.Task[Any]") -> str:
    """Return where a task waits."""
    return " < ".join(reversed([*_frames(task.get_coro())]))


def _frames(coro: Any) -> Iterator[str]:
    while coro is not None:
        frame = getattr(coro, "cr_frame", None) or getattr(coro, "ag_frame", None)
        if frame is not None:
            yield f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
        coro = getattr(coro, "cr_await", None) or getattr(coro, "ag_await", None)


def others_wait() -> bool:
    """Return whether no other thread of this process has work to do.

    By Linux, as no limit of time would be the same on a busy machine. A thread that waits for
    Python's lock gets it while we read.
    """
    if sys.platform != "linux":
        return True
    own = str(threading.get_native_id())
    for thread in THREADS.iterdir():
        if thread.name != own:
            try:
                state = (thread / "stat").read_text().rpartition(") ")[2][0]
            except OSError:  # it has ended
                continue
            if state in "RD":
                return False
    return True
