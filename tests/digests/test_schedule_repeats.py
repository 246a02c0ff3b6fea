"""Every two weeks and monthly, against a second opinion: see `test_schedule_everywhere`."""

from calendar import monthrange
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from dateutil import tz
from dateutil.rrule import MONTHLY, WEEKLY, rrule, weekday
from hypothesis import given
from hypothesis import strategies as st

from bot.digests.edits import create, update
from bot.digests.models import Plan
from bot.digests.repository import decode_digest, encode_digest
from bot.digests.schedule import (
    ORDINALS,
    WEEKDAYS,
    Schedule,
    Slot,
    month_day_of,
    slots_until,
    started,
)
from bot.digests.views.schedule import schedule_text
from tests.digests.builders import BOB, DUE, a_digest, a_plan, a_schedule
from tests.digests.test_schedule import (
    DAY,
    MOMENTS,
    SCHEDULES,
    assert_each_once,
    second_zone,
)
from tests.loops import loop_over

NUMBERS = st.integers(1, 31).map(str)
WEEKDAY_OF_MONTH = st.builds(
    lambda ordinal, day: f"{ordinal} {day}", st.sampled_from(ORDINALS), st.sampled_from(WEEKDAYS)
)


def second_slots(schedule: Schedule, dates: list[datetime]) -> list[Slot]:
    zone = second_zone(schedule.zone)
    locals_ = [datetime.combine(day.date(), schedule.at) for day in dates]
    return [
        Slot(tz.resolve_imaginary(local.replace(tzinfo=zone)).astimezone(UTC), local)
        for local in locals_
    ]


def monthly_dates(month_day: str, first: date, last: date) -> list[datetime]:
    start = datetime.combine(first.replace(day=1), time())
    end = datetime.combine(last, time())
    if month_day.isdecimal():
        months = rrule(MONTHLY, dtstart=start, until=end)
        days = [
            month.replace(day=min(int(month_day), monthrange(month.year, month.month)[1]))
            for month in months
        ]
        return [day for day in days if day <= end]
    ordinal, name = month_day.split()
    place = -1 if ordinal == "last" else ORDINALS.index(ordinal) + 1
    by = weekday(WEEKDAYS.index(name), place)
    return list(rrule(MONTHLY, dtstart=start, until=end, byweekday=by))


@given(SCHEDULES, MOMENTS, NUMBERS | WEEKDAY_OF_MONTH)
def test_any_monthly_schedule_is_that_of_a_second_opinion(
    any_schedule: Schedule, after: datetime, month_day: str
) -> None:
    schedule = replace(any_schedule, days=frozenset(), month_day=month_day)
    until = after + 200 * DAY

    slots = slots_until(schedule, after, until)

    dates = monthly_dates(month_day, (after - DAY).date(), (until + DAY).date())
    assert slots == [s for s in second_slots(schedule, dates) if after < s.due_at <= until]
    assert_each_once(slots)


@given(SCHEDULES, MOMENTS)
def test_any_schedule_of_two_weeks_is_that_of_a_second_opinion(
    any_schedule: Schedule, after: datetime
) -> None:
    schedule = started(replace(any_schedule, weeks=2), after)
    until = after + 60 * DAY

    slots = slots_until(schedule, after, until)

    assert schedule.start
    dates = rrule(
        WEEKLY,
        interval=2,
        wkst=schedule.start.weekday(),
        dtstart=datetime.combine(schedule.start, time()),
        until=(until + DAY).replace(tzinfo=None),
        byweekday=sorted(schedule.days),
    )
    assert slots == [s for s in second_slots(schedule, list(dates)) if after < s.due_at <= until]
    assert_each_once(slots)


@loop_over(
    ("typed", "day"),
    [
        ("1", "1"),
        ("01", "1"),
        ("31st", "31"),
        ("last Friday", "last fri"),
        ("first mon", "first mon"),
        ("Third THURSDAY", "third thu"),
        ("0", None),
        ("32", None),
        ("last", None),
        ("fifth mon", None),
        ("last day", None),
        ("last monkey", None),
        ("", None),
    ],
)
def test_a_day_of_the_month_is_read(typed: str, day: str | None) -> None:
    assert month_day_of(typed) == day


def test_schedules_are_said_in_words() -> None:
    plain = Schedule(frozenset(), time(9), "UTC")
    words = {
        "monthly on the 1st at 09:00 (UTC)": replace(plain, month_day="1"),
        "monthly on the 12th at 09:00 (UTC)": replace(plain, month_day="12"),
        "monthly on the last Fri at 09:00 (UTC)": replace(plain, month_day="last fri"),
        "every two weeks on Mon at 09:00 (UTC)": replace(plain, days=frozenset({0}), weeks=2),
    }

    assert {text: schedule_text(schedule) for text, schedule in words.items()} == {
        text: text for text in words
    }


def test_two_weeks_stay_the_same_ones_when_the_time_changes() -> None:
    fortnightly = a_plan(schedule=replace(a_schedule(days=[4]), weeks=2))
    digest = create("d1", fortnightly, BOB, DUE)
    later = DUE + timedelta(days=8)

    moved = update(
        digest,
        a_plan(schedule=replace(a_schedule(days=[4], at=time(10)), weeks=2)),
        BOB,
        later,
        version=1,
    )

    assert moved.plan.schedule.start == digest.plan.schedule.start
    assert digest.next.local.date() == date(2026, 11, 27)
    assert f"{moved.next.local:%d %b %H:%M}" == "11 Dec 10:00"


@given(SCHEDULES, MOMENTS, NUMBERS | WEEKDAY_OF_MONTH)
def test_a_stored_plan_is_read_as_it_was(
    schedule: Schedule, now: datetime, month_day: str
) -> None:
    for each in (
        replace(schedule, days=frozenset(), month_day=month_day),
        started(replace(schedule, weeks=2), now),
    ):
        digest = a_digest(plan=Plan(channel_id="C0", schedule=each, name="Prod"))

        assert decode_digest(encode_digest(digest), 0) == digest
