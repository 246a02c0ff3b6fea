"""How keys stand, counted without naming any."""

import pytest

from bot.tracker.rate_limit import LEFT, STATES, BudgetState, counted
from tests.loops import loop_over


@loop_over(
    ("state", "word"),
    [
        pytest.param(BudgetState(), "unknown", id="the service has told nothing"),
        pytest.param(BudgetState(remaining=50, highest_seen=100), "open", id="much is left"),
        pytest.param(BudgetState(remaining=5, highest_seen=100), "reserve", id="only the reserve"),
        pytest.param(BudgetState(remaining=5, highest_seen=100, wait_s=3), "waiting", id="waits"),
        pytest.param(BudgetState(wait_s=3), "waiting", id="waits, and nothing was told"),
    ],
)
def test_a_key_is_counted_by_what_may_be_asked_with_it(state: BudgetState, word: str) -> None:
    by_state, _ = counted([state])

    assert by_state == {each: int(each == word) for each in STATES}


@loop_over(
    ("remaining", "word"),
    [
        (None, "unknown"),
        (0, "0"),
        (1, "1-9"),
        (10, "10-99"),
        (100, "100-999"),
        (10**6, "1000+"),
    ],
)
def test_a_key_is_counted_by_its_requests_left(remaining: int | None, word: str) -> None:
    _, by_left = counted([BudgetState(remaining=remaining, highest_seen=10**6)])

    assert by_left == {each: int(each == word) for each in LEFT}
