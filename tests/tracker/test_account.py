"""What several know of a key is put together, in whatever order they hear of it."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from bot.tracker.models import TrackerError
from bot.tracker.rate_limit import (
    HIGHEST_KEPT_S,
    NEVER,
    PROBE_S,
    SKEW_S,
    WINDOW_S,
    Purpose,
    RateLimiter,
    RateLimitState,
)

moments = st.just(NEVER) | st.integers(0, 20).map(float)


@st.composite
def accounts(draw: st.DrawFn) -> RateLimitState:
    told_at = draw(moments)
    return RateLimitState(
        told_at=told_at,
        remaining=None if told_at == NEVER else draw(st.integers(0, 5)),
        highest=draw(st.integers(0, 5)),
        highest_at=draw(moments),
        blocked_until=draw(moments),
        rate_limits=draw(st.integers(0, 3)),
        served_at=draw(moments),
        probe_at=draw(moments),
        settled_at=draw(moments),
    )


@given(accounts(), accounts(), accounts())
def test_what_several_know_is_the_same_in_any_order_and_however_often(
    a: RateLimitState, b: RateLimitState, c: RateLimitState
) -> None:
    assert a.joined(b) == b.joined(a)
    assert a.joined(b).joined(c) == a.joined(b.joined(c))
    assert a.joined(a) == a
    assert a.joined(b).joined(b) == a.joined(b)
    assert a.joined(RateLimitState()) == a


Event = Callable[[RateLimitState, float], RateLimitState]
EVENTS: dict[str, Event] = {
    "told little": lambda known, now: known.told(1, now),
    "told much": lambda known, now: known.told(900, now),
    "limited": lambda known, now: known.limited(2.0, now),
    "limited at once": lambda known, now: known.limited(0.0, now),
    "served": lambda known, now: known.served(now),
    "ahead": lambda known, now: known.ahead(now),
    "settled": lambda known, now: known.settled(now),
}


@given(st.lists(st.sampled_from(sorted(EVENTS)), max_size=30))
def test_what_happened_is_never_undone_by_what_was_known_before(names: list[str]) -> None:
    known = RateLimitState()
    for now, name in enumerate(names, start=1):
        after = EVENTS[name](known, float(now))
        assert after.joined(known) == after
        known = after


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(["ask", "limit", "serve", "end"]))))
def test_two_processes_that_tell_each_other_everything_act_as_one(
    acts: list[tuple[bool, str]],
) -> None:
    """Whichever process does something: one that does it all alone knows the same."""
    now = [100.0]

    def a_budget() -> RateLimiter:
        return RateLimiter(clock=lambda: now[0], chance=lambda: 0.5)

    a, b, alone = a_budget(), a_budget(), a_budget()
    for is_a, act in acts:
        now[0] += 0.5
        one, other = (a, b) if is_a else (b, a)
        assert _done(one, act) == _done(alone, act)
        other.learn("k", one.account("k"))
        assert a.state("k") == b.state("k") == alone.state("k")


def _done(budget: RateLimiter, act: str) -> object:
    if act == "limit":
        return budget.record_rate_limit("k", None)
    if act == "ask":
        try:
            return budget.check("k", Purpose.PERSON)
        except TrackerError as error:
            return repr(error)
    (budget.saw_success if act == "serve" else budget.end_probe)("k")
    return None


@given(accounts(), st.integers(-5, 5).map(float))
def test_on_another_clock_it_is_the_same(known: RateLimitState, by_s: float) -> None:
    assert known.moved(by_s).moved(-by_s) == known
    assert known.moved(by_s).is_backing_off == known.is_backing_off


def test_the_longest_wait_of_two_holds_and_is_one_step() -> None:
    a, b = RateLimitState().limited(40.0, 100.0), RateLimitState().limited(1.0, 100.5)

    assert (a.joined(b).blocked_until, a.joined(b).steps) == (140.0, 1)


def test_a_success_that_was_sent_before_somebody_elses_wait_does_not_end_it() -> None:
    served = RateLimitState().limited(1.0, 90.0).served(101.0)
    waiting = RateLimitState().limited(40.0, 100.0)

    assert served.joined(waiting).is_backing_off
    assert served.joined(waiting).refused_until == 140.0


def test_who_goes_ahead_holds_the_others_back_until_that_is_over() -> None:
    ahead = RateLimitState().limited(1.0, 100.0).ahead(101.0)

    assert ahead.refused_until == 101.0 + PROBE_S
    assert ahead.joined(ahead.settled(102.0)).refused_until == 101.0
    assert ahead.joined(ahead.served(102.0)).refused_until == 101.0


def test_a_smaller_allowance_than_before_is_known_after_a_day() -> None:
    known = RateLimitState().told(10_000, 0.0).told(500, HIGHEST_KEPT_S - 1)

    assert known.as_of(HIGHEST_KEPT_S - 1).highest == 10_000
    assert known.as_of(HIGHEST_KEPT_S).highest == 0
    assert known.as_of(HIGHEST_KEPT_S).told(500, HIGHEST_KEPT_S).highest == 500


def test_an_allowance_that_is_full_again_is_as_high_for_another_day() -> None:
    known = RateLimitState().told(1000, 0.0).told(1000, 3600.0)

    assert known.as_of(HIGHEST_KEPT_S).highest == 1000


def test_of_a_clock_that_is_far_ahead_nothing_is_believed() -> None:
    far = RateLimitState().limited(5.0, 0.0).ahead(6.0).told(7, 8.0).moved(WINDOW_S + 2 * SKEW_S)

    assert far.as_of(0.0) == RateLimitState(rate_limits=1, remaining=7)
    assert far.as_of(0.0).known_remaining(0.0) is None


def test_a_clock_that_is_a_little_ahead_makes_no_wait_longer_than_the_hour() -> None:
    known = RateLimitState().limited(WINDOW_S, 30.0)

    assert known.as_of(0.0).blocked_until == WINDOW_S


def test_who_goes_ahead_in_the_same_moment_as_another_was_over_is_seen() -> None:
    known = RateLimitState().limited(1.0, 100.0).ahead(101.0).settled(101.0)
    assert known.refused_until == 101.0

    assert known.ahead(101.0).refused_until > 101.0 + PROBE_S


def test_what_is_over_is_over_though_it_began_later_by_another_clock() -> None:
    known = RateLimitState().limited(1.0, 100.0).joined(RateLimitState(probe_at=101.3))
    assert known.refused_until == 101.3 + PROBE_S

    assert known.settled(101.2).refused_until == 101.0


def test_a_wait_after_a_success_counts_though_that_came_later_by_another_clock() -> None:
    served = RateLimitState().limited(1.0, 100.0).joined(RateLimitState(served_at=102.3))

    assert served.limited(0.5, 101.5).is_backing_off
    assert served.limited(0.5, 101.5).steps == 1
