"""The clock that everything in this process reads while a test runs in virtual time.

A seed decides what comes late in such a test. Seed 0: nothing does.
"""

import random
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

START_S = 1_000.0
# A Tuesday noon in winter, far from every change of clocks.
WALL_AT_START_S = datetime(2026, 1, 20, 12, tzinfo=UTC).timestamp()
# Work costs time, or what waits for a moment in a loop would never see it come. Verdicts under
# seeds depend on these.
TURN_S = 20e-6
JOB_S = 200e-6
APART_S = 1e-6
# Nothing takes an hour: such a test waits for what will not come, beside something periodic.
LONGEST_S = 3600.0
# To look at the clock costs time only where nothing else can let it pass: how often is looked
# depends on what the process has cached.
FREE_READS = 10_000
READ_S = 1e-3


class VirtualClock:
    """Seconds that pass only when the loop says so, and the chances of one test.

    `longest_s`: a test that takes longer waits for what will not come.
    """

    def __init__(self, seed: int, name: str = "", *, longest_s: float = LONGEST_S) -> None:
        self.now_s = START_S
        self.longest_s = longest_s
        self._reads = 0
        self.is_disturbed = seed != 0
        self._chance = random.Random(f"{seed} {name}")
        self.entropy = random.Random(f"{seed} {name} entropy")

    def read(self) -> float:
        self._reads += 1
        if self._reads > FREE_READS:
            self.now_s += READ_S
        return self.now_s

    def turn(self) -> None:
        """Let the time of one turn of the loop pass."""
        self._reads = 0
        self.now_s += TURN_S

    def bytes_late_s(self) -> float:
        """Draw how long a socket seems not ready; each one again after each time it was ready.

        TCP keeps the order within a connection and says nothing about when bytes arrive, nor
        about the order between connections. A closed or accepted connection is such news too.
        """
        return self._drawn((0.75, 0.0), (0.17, 0.005), (0.075, 0.1), (0.005, 2.0))

    def wake_late_s(self) -> float:
        """Draw how long after the moment of a timer the loop wakes.

        asyncio promises that a timer is not early. All that are due by then run in their order.
        """
        return self._drawn((0.75, 0.0), (0.25, 0.05))

    def thread_late_s(self) -> float:
        """Draw how long a job waits for its thread.

        The system runs a thread when it likes. Jobs begin in the order in which they came, as
        those of an executor with one thread do.
        """
        return self._drawn((0.6, 0.0), (0.395, 0.02), (0.005, 1.0))

    def store_late_s(self) -> tuple[float, float]:
        """Draw how long a call of the store is on its way there, and its answer on its way back.

        See `late_store`. At most as long as it takes until some callers stop to wait for it.
        """
        late_s = self._drawn((0.9, 0.0), (0.095, 0.02), (0.005, 1.2))
        return (late_s, 0.0) if self._chance.random() < 0.5 else (0.0, late_s)

    def _drawn(self, *ranges: tuple[float, float]) -> float:
        if not self.is_disturbed:
            return 0.0
        chances, most = zip(*ranges, strict=True)
        most_s: float = self._chance.choices(most, chances)[0]
        return self._chance.random() * most_s


_clock: VirtualClock | None = None


def current() -> VirtualClock | None:
    """Return the clock of the running test; `None`: that test runs in real time."""
    return _clock


def use(clock: VirtualClock | None) -> None:
    global _clock  # Python's clock is one for all, too
    _clock = clock


def _seconds(real: Callable[[], float], start_s: float) -> Callable[[], float]:
    def read() -> float:
        return real() if _clock is None else _clock.read() - START_S + start_s

    return read


def _nanoseconds(real: Callable[[], int], start_s: float) -> Callable[[], int]:
    def read() -> int:
        return real() if _clock is None else round((_clock.read() - START_S + start_s) * 1e9)

    return read


def _bytes(real: Callable[[int], bytes]) -> Callable[[int], bytes]:
    def read(count: int) -> bytes:
        return real(count) if _clock is None else _clock.entropy.randbytes(count)

    return read


class _AnyDatetime(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, datetime)


class VirtualDatetime(datetime, metaclass=_AnyDatetime):
    """For those libraries that ask `datetime` for the moment; see `install`."""

    @classmethod
    def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]  # a plain one will do
        return datetime.fromtimestamp(time.time(), tz)


def install() -> None:
    """Replace Python's clocks and randomness, before any library takes hold of them.

    What pytest itself took hold of before stays real, and so do the locks of threads.
    """
    import os

    time.time = _seconds(time.time, WALL_AT_START_S)
    time.time_ns = _nanoseconds(time.time_ns, WALL_AT_START_S)
    time.monotonic = _seconds(time.monotonic, START_S)
    time.monotonic_ns = _nanoseconds(time.monotonic_ns, START_S)
    time.perf_counter = _seconds(time.perf_counter, START_S)
    time.perf_counter_ns = _nanoseconds(time.perf_counter_ns, START_S)
    os.urandom = random._urandom = _bytes(os.urandom)  # type: ignore[attr-defined]  # `secrets`

    from apscheduler import job, util
    from apscheduler.executors import base as executors
    from apscheduler.schedulers import base as schedulers
    from apscheduler.triggers import interval

    for module in (job, util, executors, schedulers, interval):
        if hasattr(module, "datetime"):
            module.datetime = VirtualDatetime
