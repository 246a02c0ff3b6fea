"""Any schedule at any moment, against a second opinion.

The opinion is dateutil's, and shares nothing with the bot but the zones' files: a reader of
its own for them (not zoneinfo), `rrule` for the dates, `resolve_imaginary` for skipped times.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from importlib.resources import files
from io import BytesIO
from itertools import pairwise

from dateutil import tz
from dateutil.rrule import DAILY, rrule
from hypothesis import given
from hypothesis import strategies as st

from bot.digests.schedule import GRACE, Schedule, Slot, grace, next_slots, slots_until
from bot.process.zones import zone_names

FIRST, LAST = datetime(2020, 1, 1, tzinfo=UTC), datetime(2041, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def zone_file(name: str) -> bytes:
    return files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()


@cache
def second_zone(name: str) -> tz.tzfile:
    return tz.tzfile(BytesIO(zone_file(name)))


def second_slots(schedule: Schedule, after: datetime, until: datetime) -> list[Slot]:
    """Return the slots later than `after` and not later than `until`, as dateutil sees them."""
    zone = second_zone(schedule.zone)
    slots = []
    for day in second_dates(schedule.days, (after - DAY).date(), (until + DAY).date()):
        local = day.replace(hour=schedule.at.hour, minute=schedule.at.minute)
        due_at = tz.resolve_imaginary(local.replace(tzinfo=zone)).astimezone(UTC)
        slots.append(Slot(due_at, local))
    return [slot for slot in slots if after < slot.due_at <= until]


@cache
def second_dates(days: frozenset[int], first: date, last: date) -> Sequence[datetime]:
    """Return the midnights that begin the chosen days."""
    start, end = (datetime.combine(day, time()) for day in (first, last))
    return list(rrule(DAILY, dtstart=start, until=end, byweekday=sorted(days)))


def assert_each_once(slots: Sequence[Slot]) -> None:
    assert all(one.due_at < other.due_at for one, other in pairwise(slots))
    assert len({slot.local for slot in slots}) == len(slots)


SCHEDULES = st.builds(
    Schedule,
    days=st.frozensets(st.integers(0, 6), min_size=1),
    # A typed time names the first of two such hours.
    at=st.times().map(lambda at: at.replace(second=0, microsecond=0, fold=0)),
    zone=st.sampled_from(sorted(zone_names())),
)
MOMENTS = st.datetimes(FIRST.replace(tzinfo=None), LAST.replace(tzinfo=None)).map(
    lambda moment: moment.replace(tzinfo=UTC)
)


@given(SCHEDULES, MOMENTS)
def test_any_schedule_agrees_with_dateutil(schedule: Schedule, after: datetime) -> None:
    until = after + 60 * DAY

    slots = slots_until(schedule, after, until)

    assert slots == second_slots(schedule, after, until)
    assert_each_once(slots)


@given(SCHEDULES, MOMENTS)
def test_grace_ends_before_the_following_run(schedule: Schedule, after: datetime) -> None:
    slot, following = next_slots(schedule, after, 2)

    assert timedelta(0) < grace(schedule, slot) <= GRACE
    assert slot.due_at + grace(schedule, slot) < following.due_at
