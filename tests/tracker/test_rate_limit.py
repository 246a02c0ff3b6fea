"""

What another process has stored of a key is taken over where it is newer.
"""

from collections.abc import Callable

import pytest

from bot.tracker.models import RateLimitedError, ReserveReachedError, TrackerError
from bot.tracker.rate_limit import (
    BACK_OFF_CAP_S,
    HIGHEST_KEPT_S,
    SKEW_S,
    WINDOW_S,
    Allowance,
    Purpose,
    RateLimiter,
    RateLimitState,
    fingerprint,
)
from tests.fakes import FakeClock
from tests.loops import loop_over

PERSON, SCHEDULED = Purpose.PERSON, Purpose.SCHEDULED


def always(number: float) -> Callable[[], float]:
    return lambda: number


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def budget(clock: FakeClock) -> RateLimiter:
    return RateLimiter(clock=clock, chance=always(0.5))


def refused_for(budget: RateLimiter, purpose: Purpose = PERSON, key: str = "k") -> float:
    with pytest.raises(TrackerError) as caught:
        budget.check(key, purpose)
    assert isinstance(caught.value, RateLimitedError | ReserveReachedError)
    assert isinstance(caught.value, ReserveReachedError) or caught.value.outcome == "held_back"
    return caught.value.retry_after_s


def test_a_fingerprint_is_the_same_each_time_and_holds_no_key() -> None:
    key = "service_sk_" + "k" * 41

    assert fingerprint(key) == fingerprint(key) != fingerprint(key + "k")
    assert len(fingerprint(key)) == 16
    assert "k" not in fingerprint(key)


def test_a_key_waits_after_a_rate_limit_error(budget: RateLimiter, clock: FakeClock) -> None:
    assert budget.record_rate_limit("k", None) == 1.0  # half of the first ceiling, 2 s

    assert refused_for(budget, PERSON) == 1.0
    assert refused_for(budget, SCHEDULED) == 1.0
    assert budget.state("k").wait_s == 1.0
    clock.advance(1)
    budget.check("k", PERSON)


def test_the_ceiling_doubles_up_to_the_cap(clock: FakeClock) -> None:
    budget = RateLimiter(clock=clock, chance=always(1.0))
    waits = []
    for _ in range(2000):
        waits.append(budget.record_rate_limit("k", None))
        clock.advance(waits[-1])

    assert waits[:9] == [2, 4, 8, 16, 32, 64, 128, 256, 300]
    assert set(waits[8:]) == {BACK_OFF_CAP_S}


def test_what_the_service_asks_for_is_waited(budget: RateLimiter) -> None:
    assert budget.record_rate_limit("k", 40.0) == 40.0
    assert budget.record_rate_limit("other", 0.5) == 0.5

    assert refused_for(budget) == 40.0


def test_requests_refused_together_are_one_step(budget: RateLimiter, clock: FakeClock) -> None:
    for _ in range(8):
        budget.record_rate_limit("k", None)
    assert refused_for(budget) == 1.0

    clock.advance(1.0)

    assert budget.record_rate_limit("k", None) == 2.0


def test_a_success_makes_the_next_wait_short_again(budget: RateLimiter, clock: FakeClock) -> None:
    budget.record_rate_limit("k", None)
    clock.advance(1.0)
    budget.check("k", PERSON)

    budget.record_success("k")

    budget.check("k", PERSON)
    assert budget.record_rate_limit("k", None) == 1.0


def test_an_older_success_ends_no_wait(budget: RateLimiter, clock: FakeClock) -> None:
    budget.record_rate_limit("k", None)

    budget.record_success("k")

    assert refused_for(budget) == 1.0
    clock.advance(1.0)
    assert budget.record_rate_limit("k", None) == 2.0


def test_a_wait_that_began_after_the_check_is_seen(budget: RateLimiter) -> None:
    budget.check("k", PERSON)
    budget.check_wait("k")

    budget.record_rate_limit("k", None)

    with pytest.raises(RateLimitedError):
        budget.check_wait("k")


def test_the_last_twentieth_is_kept_for_scheduled_work(budget: RateLimiter) -> None:
    budget.record_remaining("k", 999)
    budget.record_remaining("k", 50)
    budget.check("k", PERSON)

    budget.record_remaining("k", 49)

    assert refused_for(budget) == 60.0
    budget.check("k", SCHEDULED)


def test_one_person_a_minute_tests_the_reserve(budget: RateLimiter, clock: FakeClock) -> None:
    budget.record_remaining("k", 1000)
    budget.record_remaining("k", 10)
    clock.advance(60)

    budget.check("k", PERSON)

    assert refused_for(budget) == 60.0
    budget.record_remaining("k", 999)
    budget.check("k", PERSON)


def test_patient_work_leaves_half_to_others(budget: RateLimiter, clock: FakeClock) -> None:
    budget.record_remaining("k", 100)
    budget.check("k", Purpose.BACKGROUND)
    budget.record_remaining("k", 50)
    clock.advance(60)

    assert refused_for(budget, Purpose.BACKGROUND) == WINDOW_S - 60
    budget.check("k", PERSON)
    clock.advance(WINDOW_S - 60)

    budget.check("k", Purpose.BACKGROUND)  # it is not known any more what is left


def test_a_reading_is_forgotten_after_an_hour(budget: RateLimiter, clock: FakeClock) -> None:
    budget.record_remaining("k", 1000)
    budget.record_remaining("k", 10)
    clock.advance(WINDOW_S - 1)
    assert budget.state("k") == Allowance(remaining=10, age_s=WINDOW_S - 1, highest_seen=1000)

    clock.advance(1)

    assert budget.state("k") == Allowance(highest_seen=1000)
    budget.check("k", PERSON)
    budget.check("k", PERSON)


@loop_over(
    ("remaining", "highest", "reserve", "is_reached"),
    [(51, 1000, 50, False), (50, 1000, 50, True), (0, 19, 0, False), (None, 1000, 50, False)],
    ids=["above", "reached", "too small for one", "not told"],
)
def test_the_reserve_is_reported(
    remaining: int | None, highest: int, reserve: int, is_reached: bool
) -> None:
    state = Allowance(remaining=remaining, highest_seen=highest)

    assert (state.reserve, state.is_reserve_reached) == (reserve, is_reached)


def test_a_clock_set_back_refuses_no_one_for_long(budget: RateLimiter, clock: FakeClock) -> None:
    budget.record_remaining("k", 1000)
    budget.record_remaining("k", 10)
    clock.advance(60)
    budget.check("k", PERSON)
    budget.record_rate_limit("k", None)

    clock.advance(-100_000)
    budget.check("k", PERSON)
    budget.record_remaining("k", 1000)
    budget.record_remaining("k", 10)

    assert refused_for(budget) == 60.0


@pytest.fixture
def other(clock: FakeClock) -> RateLimiter:
    return RateLimiter(clock=clock, chance=lambda: 0.5)


def test_later_and_highest_counts_win(
    budget: RateLimiter, other: RateLimiter, clock: FakeClock
) -> None:
    budget.record_remaining("k", 1000)
    clock.advance(1)
    other.record_remaining("k", 40)

    budget.learn("k", other.known("k"))
    other.learn("k", budget.known("k"))

    assert budget.known("k") == other.known("k")
    assert budget.state("k") == Allowance(remaining=40, age_s=0, highest_seen=1000)


def test_an_older_state_is_ignored(
    budget: RateLimiter, other: RateLimiter, clock: FakeClock
) -> None:
    other.record_remaining("k", 40)
    other.record_rate_limit("k", 1)
    clock.advance(2)
    budget.record_remaining("k", 999)
    budget.record_rate_limit("k", 30)
    before = budget.known("k")

    budget.learn("k", other.known("k"))

    assert budget.known("k") == before


def test_waits_of_other_processes_hold(
    budget: RateLimiter, other: RateLimiter, clock: FakeClock
) -> None:
    other.record_rate_limit("k", 30)
    clock.advance(1)
    budget.record_success("k")  # it was sent before, and ends no wait of the other process

    budget.learn("k", other.known("k"))
    with pytest.raises(RateLimitedError):
        budget.check("k", Purpose.SCHEDULED)
    clock.advance(29)
    other.record_success("k")
    budget.learn("k", other.known("k"))

    budget.check("k", Purpose.SCHEDULED)


def test_a_smaller_allowance_holds_after_a_day(budget: RateLimiter, clock: FakeClock) -> None:
    budget.record_remaining("k", 10_000)
    clock.advance(HIGHEST_KEPT_S - 1)
    budget.record_remaining("k", 500)
    assert budget.state("k").highest_seen == 10_000

    clock.advance(1)

    assert budget.state("k").highest_seen == 0
    budget.record_remaining("k", 500)
    assert budget.state("k").highest_seen == 500


def test_a_clock_far_ahead_is_ignored(
    budget: RateLimiter, other: RateLimiter, clock: FakeClock
) -> None:
    clock.advance(2 * SKEW_S)
    other.record_remaining("a", 7)
    other.record_rate_limit("b", 30)
    clock.advance(-2 * SKEW_S)

    for key in "ab":
        budget.learn(key, other.known(key))
        budget.check(key, Purpose.PERSON)

        assert budget.known(key) == RateLimitState()
