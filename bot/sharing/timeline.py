"""The moments of one process by the clock of all."""

from collections.abc import Callable
from datetime import UTC, datetime

# The clock of all may be set meanwhile; what is less is the time between two looks.
MAX_DRIFT_S = 0.25


class Timeline:
    """Turns seconds that never go back, which mean nothing elsewhere, into UTC and back.

    Both ways by the same difference, so that what comes back is what went out.
    """

    def __init__(self, clock: Callable[[], datetime], seconds: Callable[[], float]) -> None:
        self._clock = clock
        self._seconds = seconds
        self._ahead_s = self._look()

    def ahead_s(self) -> float:
        """Return by how much the seconds since 1970 are more than those of this process."""
        present = self._look()
        if abs(present - self._ahead_s) > MAX_DRIFT_S:
            self._ahead_s = present
        return self._ahead_s

    def now(self) -> datetime:
        """Return the present moment."""
        return self._clock()

    def _look(self) -> float:
        return self._clock().timestamp() - self._seconds()


def utc_text(since_1970_s: float) -> str:
    """Return a moment as documents have it, to the millisecond."""
    return datetime.fromtimestamp(since_1970_s, UTC).isoformat(timespec="milliseconds")


def since_1970_s(text: str) -> float:
    """Return the moment of a `utc_text`."""
    return datetime.fromisoformat(text).timestamp()
