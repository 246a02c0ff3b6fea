"""Whether the queue's work goes on in this process."""

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager

# So many may fail or be late before somebody should look.
MISSED = 3


class Pulse:
    """When the queue was last in order here, and when a tick here last went wrong."""

    def __init__(self, *, heartbeat_s: float, every_s: float) -> None:
        self._heartbeat_s = heartbeat_s
        self._every_s = every_s
        self.last_at = time.monotonic()
        self.failed_at: float | None = None
        self._stuck: Collection[str] = ()

    def note(self, stuck: Collection[str] = ()) -> None:
        """Record that the queue's database took a sign of life just now.

        `stuck` is the periodic work that goes on for too long, in whichever process: none of it
        comes round again before it ends, or its worker does.
        """
        self.last_at = time.monotonic()
        self._stuck = stuck

    @contextmanager
    def ticking(self) -> Iterator[None]:
        """Record how the tick inside the block goes; what it raises is passed on."""
        try:
            yield
        except Exception:
            self.failed_at = time.monotonic()
            raise
        self.failed_at = None

    async def are_recent(self) -> bool:
        """Say whether this process takes part, and no tick of its own has failed lately.

        And whether the periodic work of all comes round. Ticks are done by one of all workers:
        that none came to this one means nothing.
        """
        now = time.monotonic()
        if self._stuck or now - self.last_at > MISSED * self._heartbeat_s + 1:
            return False
        return self.failed_at is None or now - self.failed_at > MISSED * self._every_s
