"""How long to wait before another attempt."""

from datetime import timedelta
from typing import TypeVar

T = TypeVar("T", float, timedelta)
# Past any cap: an attempt is counted, never given up here.
MAX_DOUBLINGS = 16


def backoff(first: T, failures: int, longest: T) -> T:
    """Return the wait after a number of failures: `first` after none, doubled for each.

    At most `longest`. There is no jitter: the callers' attempts begin at different moments.
    """
    wait: T = first * 2 ** min(failures, MAX_DOUBLINGS)
    return min(wait, longest)
