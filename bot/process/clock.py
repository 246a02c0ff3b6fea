"""The two clocks of a process, asked at the call; `tests/test_clocks.py` lists who else asks."""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime

# Returns the moment in UTC: `utc_now`, or one that tests move.
Clock = Callable[[], datetime]


def seconds_now() -> float:
    """Return the seconds of the running event loop, which never go back: for durations."""
    return asyncio.get_running_loop().time()


def utc_now() -> datetime:
    """Return the moment, which the composition root hands to all that need it."""
    return datetime.fromtimestamp(time.time(), UTC)
