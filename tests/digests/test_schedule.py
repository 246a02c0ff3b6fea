"""When a digest is due by the clocks of its zone, also against a second opinion.

That opinion is dateutil's, and shares nothing with the bot but the zones' files: a reader of
its own for them (not zoneinfo), `rrule` for the dates, `resolve_imaginary` for skipped times.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from importlib.resources import files
from io import BytesIO
from itertools import pairwise

import pytest
from dateutil import tz
from dateutil.rrule import DAILY, rrule
from hypothesis import given
from hypothesis import strategies as st

from bot.digests.schedule import (
    GRACE,
    Schedule,
    Slot,
    grace,
    next_slot,
    next_slots,
    slots_until,
    time_of,
)
from bot.process.zones import (
    ClockChange,
    clock_changes,
    offset_at,
    offset_text,
    suggest_zones,
    zone_names,
    zone_of,
)
from tests.builders import HOSTILE_TEXTS
from tests.loops import loop_over

EVERY_DAY = frozenset(range(7))
HOUR = timedelta(hours=1)


def a_schedule(zone: str, at: str = "09:00", days: frozenset[int] = EVERY_DAY) -> Schedule:
    return Schedule(days, time.fromisoformat(at), zone)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def a_slot(due_at: str, local: str) -> Slot:
    return Slot(utc(due_at), datetime.fromisoformat(local))


# What the clocks do to one run: the zone, the time of day, some moment before it, when it is
# due in UTC, and what it is known by. `>` marks those whose time was skipped.
@loop_over(
    ("zone", "at", "after", "due_at", "local"),
    [
        pytest.param(*case.split(), id=name)
        for name, case in {
            "an ordinary day": "Europe/Berlin 09:00 2024-01-10T12 2024-01-11T08 2024-01-11T09",
            "Berlin, > in spring": (
                "Europe/Berlin 02:30 2024-03-30T12 2024-03-31T01:30 2024-03-31T02:30"
            ),
            "Berlin, twice in autumn": (
                "Europe/Berlin 02:30 2024-10-26T12 2024-10-27T00:30 2024-10-27T02:30"
            ),
            "Berlin, between the two": (
                "Europe/Berlin 02:30 2024-10-27T01:00 2024-10-28T01:30 2024-10-28T02:30"
            ),
            "Berlin, at the second": (
                "Europe/Berlin 02:30 2024-10-27T01:30 2024-10-28T01:30 2024-10-28T02:30"
            ),
            "Lord Howe, > half an hour": (
                "Australia/Lord_Howe 02:15 2024-10-05T12 2024-10-05T15:45 2024-10-06T02:15"
            ),
            "Lord Howe, half an hour twice": (
                "Australia/Lord_Howe 01:45 2024-04-06T00 2024-04-06T14:45 2024-04-07T01:45"
            ),
            "Sao Paulo, > at midnight": (
                "America/Sao_Paulo 00:00 2018-11-03T12 2018-11-04T03 2018-11-04T00"
            ),
            "Sao Paulo, twice before midnight": (
                "America/Sao_Paulo 23:30 2018-02-17T12 2018-02-18T01:30 2018-02-17T23:30"
            ),
            "Nuuk, > past midnight": (
                "America/Nuuk 23:45 2024-03-30T22 2024-03-31T01:45 2024-03-30T23:45"
            ),
            "Nuuk, > seen from the next date": (
                "America/Nuuk 23:45 2024-03-31T01:30 2024-03-31T01:45 2024-03-30T23:45"
            ),
        }.items()
    ],
)
def test_a_run_follows_the_clocks(zone: str, at: str, after: str, due_at: str, local: str) -> None:
    assert next_slot(a_schedule(zone, at), utc(after)) == a_slot(due_at, local)


def test_a_schedule_without_a_day_is_refused() -> None:
    for days in (frozenset[int](), frozenset({7})):
        with pytest.raises(ValueError, match="needs a weekday"):
            next_slot(a_schedule("UTC", days=days), utc("2024-05-06T12"))


def test_grace_is_half_of_the_time_to_the_next_run() -> None:
    # A slot that nothing of the schedule made, as of one that was changed since.
    slot = a_slot("2024-05-06T02", "2024-05-06T02")

    assert grace(a_schedule("UTC", "09:00"), slot) == 3.5 * HOUR


@loop_over(
    "name",
    [
        "",
        ".",
        "../UTC",
        "/etc/passwd",
        "Europe/../UTC",
        "europe/berlin",
        "Europe/Berlin\n",
        "Europe\\Berlin",
        "Factory",
        "zone.tab",
        "UTC\0",
        "\ud800",
        "UTC+2",
        "E" * 100_000,
    ],
)
def test_an_unknown_zone_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no time zone") as caught:
        zone_of(name)

    assert len(str(caught.value)) < 1000


def test_zones_are_those_of_the_package_wherever_the_bot_runs() -> None:
    # Debian 12 knew by then only of the older rule, by which this is a change of the clocks.
    assert offset_at(zone_of("Africa/Casablanca"), utc("2026-12-01T12")) == timedelta(0)


@loop_over(
    ("zone", "first", "last", "changes"),
    [
        pytest.param(
            "Europe/Berlin",
            "2024-01-01",
            "2025-01-01",
            [("2024-03-31T01", 60, 120), ("2024-10-27T01", 120, 60)],
            id="Berlin",
        ),
        pytest.param(
            "Australia/Lord_Howe",
            "2024-01-01",
            "2025-01-01",
            [("2024-04-06T15", 660, 630), ("2024-10-05T15:30", 630, 660)],
            id="Lord Howe",
        ),
        pytest.param(
            "Pacific/Apia",
            "2011-12-01",
            "2012-01-01",
            [("2011-12-30T10", -600, 840)],
            id="Apia",
        ),
        pytest.param("UTC", "2020-01-01", "2040-01-01", [], id="UTC"),
        pytest.param("Europe/Berlin", "2025-01-01", "2024-01-01", [], id="the wrong way round"),
    ],
)
def test_changes_of_the_clocks_are_found_to_the_second(
    zone: str, first: str, last: str, changes: list[tuple[str, int, int]]
) -> None:
    found = clock_changes(zone, utc(first), utc(last))

    assert found == [
        ClockChange(utc(at), timedelta(minutes=before), timedelta(minutes=after))
        for at, before, after in changes
    ]


@loop_over(
    ("text", "at"),
    [
        ("09:30", time(9, 30)),
        ("00:00", time()),
        ("23:59", time(23, 59)),
        ("24:00", None),
        ("9:30", None),
        ("09:60", None),
        ("09:30:00", None),
        ("", None),
    ],
)
def test_a_time_of_day_has_two_digits_of_each(text: str, at: time | None) -> None:
    assert time_of(text) == at


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


WINTER = datetime(2027, 1, 15, 12, tzinfo=UTC)
SUMMER = datetime(2027, 7, 15, 12, tzinfo=UTC)


@loop_over(
    ("typed", "first"),
    [
        ("", "UTC"),
        ("new york", "America/New_York"),
        ("york new", "America/New_York"),
        ("berl", "Europe/Berlin"),
        ("  BERLIN ", "Europe/Berlin"),
        ("são paulo", "America/Sao_Paulo"),
        ("Zürich", "Europe/Zurich"),
        ("kiev", "Europe/Kiev"),
        ("utc", "UTC"),
        ("us/pacific", "US/Pacific"),
        ("etc/gmt+5", "Etc/GMT+5"),
    ],
)
def test_the_likeliest_zone_comes_first(typed: str, first: str) -> None:
    assert suggest_zones(typed)[0] == first


@given(st.text(max_size=30) | st.sampled_from(list(HOSTILE_TEXTS.values())))
def test_whatever_is_typed_gives_real_zones_each_once(typed: str) -> None:
    found = suggest_zones(typed)

    assert len(found) == len(set(found)) <= 100
    assert set(found) <= zone_names()


@loop_over(
    ("zone", "at", "text"),
    [
        ("UTC", WINTER, "UTC"),
        ("Europe/London", WINTER, "UTC"),
        ("Europe/London", SUMMER, "UTC+1"),
        ("America/New_York", WINTER, "UTC-5"),
        ("America/St_Johns", WINTER, "UTC-3:30"),
        ("Asia/Kathmandu", WINTER, "UTC+5:45"),
        ("Etc/GMT+5", WINTER, "UTC-5"),
    ],
)
def test_an_offset_is_written_as_people_do(zone: str, at: datetime, text: str) -> None:
    assert offset_text(zone, at) == text
