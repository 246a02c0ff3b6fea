"""What another process has stored of a key is taken over where it is newer."""

import pytest

from bot.tracker.models import RateLimitedError
from bot.tracker.rate_limit import (
    HIGHEST_KEPT_S,
    SKEW_S,
    Allowance,
    Purpose,
    RateLimiter,
    RateLimitState,
)
from tests.fakes import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def one(clock: FakeClock) -> RateLimiter:
    return RateLimiter(clock=clock, chance=lambda: 0.5)


@pytest.fixture
def other(clock: FakeClock) -> RateLimiter:
    return RateLimiter(clock=clock, chance=lambda: 0.5)


def test_later_and_highest_counts_win(
    one: RateLimiter, other: RateLimiter, clock: FakeClock
) -> None:
    one.record_remaining("k", 1000)
    clock.advance(1)
    other.record_remaining("k", 40)

    one.learn("k", other.known("k"))
    other.learn("k", one.known("k"))

    assert one.known("k") == other.known("k")
    assert one.state("k") == Allowance(remaining=40, age_s=0, highest_seen=1000)


def test_an_older_state_is_ignored(one: RateLimiter, other: RateLimiter, clock: FakeClock) -> None:
    other.record_remaining("k", 40)
    other.record_rate_limit("k", 1)
    clock.advance(2)
    one.record_remaining("k", 999)
    one.record_rate_limit("k", 30)
    before = one.known("k")

    one.learn("k", other.known("k"))

    assert one.known("k") == before


def test_waits_of_other_processes_hold(
    one: RateLimiter, other: RateLimiter, clock: FakeClock
) -> None:
    other.record_rate_limit("k", 30)
    clock.advance(1)
    one.record_success("k")  # it was sent before, and ends no wait of the other process

    one.learn("k", other.known("k"))
    with pytest.raises(RateLimitedError):
        one.check("k", Purpose.SCHEDULED)
    clock.advance(29)
    other.record_success("k")
    one.learn("k", other.known("k"))

    one.check("k", Purpose.SCHEDULED)


def test_a_smaller_allowance_holds_after_a_day(one: RateLimiter, clock: FakeClock) -> None:
    one.record_remaining("k", 10_000)
    clock.advance(HIGHEST_KEPT_S - 1)
    one.record_remaining("k", 500)
    assert one.state("k").highest_seen == 10_000

    clock.advance(1)

    assert one.state("k").highest_seen == 0
    one.record_remaining("k", 500)
    assert one.state("k").highest_seen == 500


def test_a_clock_far_ahead_is_ignored(
    one: RateLimiter, other: RateLimiter, clock: FakeClock
) -> None:
    clock.advance(2 * SKEW_S)
    other.record_remaining("a", 7)
    other.record_rate_limit("b", 30)
    clock.advance(-2 * SKEW_S)

    for key in "ab":
        one.learn(key, other.known(key))
        one.check(key, Purpose.PERSON)

        assert one.known(key) == RateLimitState()
