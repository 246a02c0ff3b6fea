from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

import pytest

from bot.digests import run_state
from bot.digests.edits import Editor, create, paused, resumed, start_manual_run, update
from bot.digests.models import Digest, LostClaimError, Notice, Outcome, Plan
from bot.digests.run_state import (
    take_up,
    take_up_again,
    with_notice,
)
from bot.digests.schedule import Schedule
from bot.keys.failures import FailureReason
from tests.digests.builders import outcomes
from tests.loops import loop_over

THURSDAY = datetime(2026, 11, 19, 12, 0, tzinfo=UTC)
NINE = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)  # 09:00 in Berlin, a Friday
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
BOB = Editor(user_id="U0BOB", name="bob")
DAILY = Schedule(frozenset(range(7)), time(9), "Europe/Berlin")


def a_daily_digest() -> Digest:
    return create("d1", Plan(channel_id="C1", schedule=DAILY), BOB, THURSDAY)


def taken_up_at(now: datetime, token: str = "ours") -> Digest:
    return take_up(a_daily_digest(), now, token)


def posting_at(now: datetime, token: str = "ours") -> Digest:
    taken = taken_up_at(now, token)
    return run_state.begin_posting(taken, token, now, baseline="a", average=80)


@loop_over(
    ("attempts", "minutes"),
    [(1, 1), (2, 2), (3, 4), (4, 8), (5, 15), (6, 15)],
    ids=lambda value: str(value),
)
def test_a_run_that_was_not_posted_waits_longer_each_time(attempts: int, minutes: int) -> None:
    digest, now = taken_up_at(NINE), NINE
    for _ in range(attempts):
        digest = run_state.postpone(digest, "ours", now, FailureReason.SERVICE)
        waited = run_state.due_at(digest)
        assert waited is not None
        digest, since, now = take_up(digest, waited, "ours"), now, waited

    assert now - since == minutes * MINUTE


def test_a_slow_worker_does_not_take_up_what_another_one_has_tried_since() -> None:
    tried = run_state.postpone(taken_up_at(NINE), "ours", NINE, FailureReason.SERVICE)

    with pytest.raises(LostClaimError):
        take_up_again(tried, taken_up_at(NINE, "slow"), NINE + HOUR, "slow")


def test_a_new_key_wakes_only_what_waits_for_one() -> None:
    key = run_state.postpone(taken_up_at(NINE), "ours", NINE, FailureReason.KEY)
    service = run_state.postpone(taken_up_at(NINE), "ours", NINE, FailureReason.SERVICE)

    assert run_state.due_at(run_state.retry_with_new_key(key, NINE + HOUR)) == NINE + HOUR
    assert run_state.retry_with_new_key(service, NINE + HOUR) == service


def test_after_a_long_downtime_only_the_newest_slot_is_caught_up_on() -> None:
    digest = taken_up_at(NINE + 4 * DAY + HOUR)

    assert digest.run is not None
    assert digest.run.slot.due_at == NINE + 4 * DAY
    assert outcomes(digest) == [Outcome.MISSED] * 4
    assert [(notice.outcome, notice.count) for notice in digest.notices] == [(Outcome.MISSED, 4)]


def test_a_send_now_into_a_closed_channel_keeps_a_persons_pause_and_tells_the_owner() -> None:
    digest = before = paused(a_daily_digest(), BOB, THURSDAY, until=None)
    digest = start_manual_run(digest, BOB, THURSDAY, "hers")

    digest = run_state.pause_for_channel(digest, "hers", THURSDAY, FailureReason.ARCHIVED)

    failed = (Outcome.FAILED, FailureReason.ARCHIVED)  # it is paused, but not for that
    assert [(notice.outcome, notice.trouble) for notice in digest.notices] == [failed]
    assert digest.pause == before.pause


def test_a_pause_without_an_end_is_never_due() -> None:
    digest = paused(a_daily_digest(), BOB, THURSDAY, until=None)

    assert run_state.due_at(digest) is None
    assert run_state.due_at(resumed(digest, NINE + DAY)) == NINE + 2 * DAY


@loop_over(("tries", "counts"), [(0, [1, 1]), (1, [2])])
def test_a_waiting_notice_grows_and_a_sent_one_does_not(tries: int, counts: list[int]) -> None:
    digest = a_daily_digest()
    notice = Notice(outcome=Outcome.MISSED, slot=digest.next, channel_id="C1")
    first = replace(notice, retry_at=NINE, tries=tries)

    digest = with_notice(replace(digest, notices=(first,)), notice)

    assert [each.count for each in digest.notices] == counts


def posted_at_nine() -> Digest:
    return run_state.mark_posted(posting_at(NINE), "ours", NINE)


def test_a_clock_that_goes_back_over_a_slot_lets_none_come_twice_after_a_pause() -> None:
    back = NINE - HOUR
    digest = paused(posted_at_nine(), BOB, back, until=None)
    for_an_hour = paused(posted_at_nine(), BOB, back - MINUTE, until=back)
    weekdays = replace(digest.plan, schedule=replace(DAILY, days=frozenset(range(5))))

    assert resumed(digest, back).next.due_at == NINE + DAY
    assert run_state.end_pause_in_time(for_an_hour, back).next.due_at == NINE + DAY
    assert update(posted_at_nine(), weekdays, BOB, back, version=1).next.due_at == NINE + 3 * DAY


def test_send_now_at_the_moment_of_a_slot_does_not_take_its_place() -> None:
    until_nine = paused(a_daily_digest(), BOB, NINE - HOUR, until=NINE)

    digest = start_manual_run(until_nine, BOB, NINE, "hers")

    assert run_state.end_pause_in_time(digest, NINE).next.due_at == NINE


def test_a_slot_that_was_not_posted_comes_once_the_clock_shows_it_again() -> None:
    ahead = paused(a_daily_digest(), BOB, NINE + HOUR, until=None)

    assert outcomes(ahead) == [Outcome.FAILED]
    assert resumed(ahead, NINE - HOUR).next.due_at == NINE
