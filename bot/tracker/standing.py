"""How the keys of a process stand with the service, counted without naming any."""

from collections import Counter
from collections.abc import Iterable, Mapping

from bot.tracker.budget import BudgetState

STATES = ("waiting", "reserve", "open", "unknown")
# The least of each range of requests left, the highest first.
_RANGES = ((1000, "1000+"), (100, "100-999"), (10, "10-99"), (1, "1-9"), (0, "0"))
LEFT = (*(word for _, word in reversed(_RANGES)), "unknown")


def counted(states: Iterable[BudgetState]) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Return how many keys there are in each of `STATES`, and with how many requests left.

    A key waits after a rate-limit error; of one at its reserve only scheduled work may use what
    is left; of an unknown one the service has told no count within the last hour.
    """
    by_state, by_left = Counter(dict.fromkeys(STATES, 0)), Counter(dict.fromkeys(LEFT, 0))
    for each in states:
        by_state[_state(each)] += 1
        by_left[_left(each.remaining)] += 1
    return by_state, by_left


def _state(state: BudgetState) -> str:
    if state.wait_s is not None:
        return "waiting"
    if state.is_reserve_reached:
        return "reserve"
    return "unknown" if state.remaining is None else "open"


def _left(remaining: int | None) -> str:
    if remaining is None:
        return "unknown"
    return next((word for least, word in _RANGES if remaining >= least), "0")
