"""A clock that a parent process sets: lines of seconds on standard input, each ahead of now."""

import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta


class HandedClock:
    """Follows its parent. `at_end` is called, on another thread, when that ends or is gone.

    Not the clock of tests/whole/harness.py, whose imports a measured process should not carry.
    """

    def __init__(self, at_end: Callable[[], object]) -> None:
        """Wait for the first line."""
        self._at_end = at_end
        self._ahead = timedelta()
        self._move(sys.stdin.readline())
        threading.Thread(target=self._follow, daemon=True).start()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def _follow(self) -> None:
        for line in sys.stdin:
            self._move(line)
        self._at_end()

    def _move(self, line: str) -> None:
        self._ahead = timedelta(seconds=float(line))
