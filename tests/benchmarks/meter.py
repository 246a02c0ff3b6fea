"""How long one callback keeps an event loop from everything else."""

import asyncio
import gc
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Meter:
    """`longest_s`: the longest callback, in processor time of the loop's own thread.

    The garbage collector's time is not the callback's, whichever of them meets it.
    """

    def __init__(self) -> None:
        self.longest_s = 0.0
        self._thread = threading.get_ident()
        self._collecting_since = 0.0
        self._collected_s = 0.0

    def run(self, handle: Any) -> None:
        """Run one callback of the loop and note how long it took."""
        collected_s, began_s = self._collected_s, time.thread_time()
        _run(handle)
        took_s = time.thread_time() - began_s - (self._collected_s - collected_s)
        self.longest_s = max(self.longest_s, took_s)

    def note_collection(self, phase: str, _info: dict[str, int]) -> None:
        """Note one run of the garbage collector, which calls this before and after."""
        if threading.get_ident() != self._thread:
            return
        if phase == "start":
            self._collecting_since = time.thread_time()
        else:
            self._collected_s += time.thread_time() - self._collecting_since


_run = asyncio.Handle._run  # private: nothing public sees each callback


@contextmanager
def metered() -> Iterator[Meter]:
    """Measure this thread's loop inside the block."""
    meter = Meter()

    def measured(handle: Any) -> None:
        meter.run(handle)

    asyncio.Handle._run = measured  # type: ignore[method-assign, assignment]  # as meant
    gc.callbacks.append(meter.note_collection)
    try:
        yield meter
    finally:
        gc.callbacks.remove(meter.note_collection)
        asyncio.Handle._run = _run  # type: ignore[method-assign]  # as it was
