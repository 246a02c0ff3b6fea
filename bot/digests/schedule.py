"""Compute when a digest is due: days and a wall clock in a time zone. Pure."""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice, takewhile

from bot.process.zones import zone_of

GRACE = timedelta(hours=6)
_TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
# The minutes between two looks of a digest that is posted as soon as something gets worse.
LOOKS = (15, 30, 60)
_DAY = timedelta(days=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FORTNIGHT = 2
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
ORDINALS = ("first", "second", "third", "fourth", "last")


@dataclass(frozen=True, slots=True)
class Schedule:
    """Some weekdays, counted from 0 for Monday as `date.weekday()` does, and a time of day.

    `at` is what the wall clock shows in `zone`, an IANA name. With `every`, one of `LOOKS`, a slot
    comes every so many minutes of those days, and `at` is unused. With two `weeks` only the days
    of every other seven count, from `start` on, which `started` sets. `month_day`, as
    `month_day_of` gives it, is the day of a monthly schedule, which has no `days`.
    """

    days: frozenset[int]
    at: time
    zone: str
    every: int | None = None
    weeks: int = 1
    start: date | None = None
    month_day: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Slot:
    """One moment at which a digest is due, in UTC.

    `local` is naive: the scheduled date and time, which identifies a run. Where the wall clock
    skips that time, `due_at` is later.
    """

    due_at: datetime
    local: datetime


def time_of(text: str) -> time | None:
    """Return the time of day that a text like `09:30` spells, `None` for any other text."""
    found = _TIME.fullmatch(text)
    return time(int(found[1]), int(found[2])) if found else None


def month_day_of(text: str) -> str | None:
    """Return the day of each month that a text like `15`, `1st` or `last Friday` spells.

    `None` for any other text. A month that lacks the day has the slot on its last day.
    """
    words = text.lower().split()
    if len(words) == 1:
        number = re.fullmatch(r"0?([1-9]|[12][0-9]|3[01])(st|nd|rd|th)?", words[0])
        return number[1] if number else None
    if len(words) != 2 or words[0] not in ORDINALS or (day := weekday_of(words[1])) is None:
        return None
    return f"{words[0]} {WEEKDAYS[day]}"


def weekday_of(text: str) -> int | None:
    """Return the weekday that `fri`, `Friday` or `fridays` spells, `None` for any other text."""
    names = re.fullmatch(
        r"(mon)(day)?s?|(tue)(s|sday)?s?|(wed)(nesday)?s?|(thu)(r|rs|rsday)?s?|(fri)(day)?s?"
        r"|(sat)(urday)?s?|(sun)(day)?s?",
        text.lower(),
    )
    return WEEKDAYS.index(text[:3].lower()) if names else None


def started(schedule: Schedule, now: datetime) -> Schedule:
    """Return a schedule of every two weeks counted from its first chosen day after `now`."""
    if schedule.weeks != FORTNIGHT or schedule.start:
        return schedule
    return replace(schedule, start=next_slot(replace(schedule, weeks=1), now).local.date())


def going_on(schedule: Schedule, before: Schedule, now: datetime) -> Schedule:
    """Return a changed schedule; every two weeks stay the same ones with the same days."""
    is_same = (schedule.weeks, schedule.days) == (before.weeks, before.days)
    return started(replace(schedule, start=before.start) if is_same else schedule, now)


def next_slot(schedule: Schedule, after: datetime) -> Slot:
    """Return the first slot that is due strictly later than `after`, an aware moment.

    A time that the wall clock shows twice counts once, the first time; one that it skips moves
    forward by as much as the clock does. ValueError: the schedule has no day or no start.
    """
    return next(_slots(schedule, after))


def next_slots(schedule: Schedule, after: datetime, count: int) -> list[Slot]:
    """Return the first slots later than `after`, the earliest first. See `next_slot`."""
    return list(islice(_slots(schedule, after), count))


def slots_until(schedule: Schedule, after: datetime, until: datetime) -> list[Slot]:
    """Return all slots later than `after` and not later than `until`. See `next_slot`."""
    return list(takewhile(lambda slot: slot.due_at <= until, _slots(schedule, after)))


def grace(schedule: Schedule, slot: Slot) -> timedelta:
    """Return for how long its run may still start: `GRACE`, or half the time to the next slot."""
    following = next_slot(schedule, slot.due_at)
    return min(GRACE, (following.due_at - slot.due_at) / 2)


def _slots(schedule: Schedule, after: datetime) -> Iterator[Slot]:
    if not schedule.month_day and not schedule.days & set(range(7)):
        raise ValueError("a schedule needs a weekday")
    if schedule.weeks == FORTNIGHT and not schedule.start:
        raise ValueError("a schedule of every two weeks needs its start")
    if schedule.every:
        return _grid(schedule, after, timedelta(minutes=schedule.every))
    return (slot for slot in _dated_slots(schedule, after) if slot.due_at > after)


def _grid(schedule: Schedule, after: datetime, every: timedelta) -> Iterator[Slot]:
    """Yield the moments at multiples of `every` in UTC that are on the schedule's days."""
    place = zone_of(schedule.zone)
    moment = after - (after - _EPOCH) % every
    while True:
        moment += every
        local = moment.astimezone(place).replace(tzinfo=None)
        if local.weekday() in schedule.days:
            yield Slot(moment.astimezone(UTC), local)


def _dated_slots(schedule: Schedule, after: datetime) -> Iterator[Slot]:
    """Yield the slot of each date, from one day before `after`."""
    place = zone_of(schedule.zone)
    # A day early: a time that is skipped late in the evening moves to the next date.
    day = after.astimezone(place).date() - _DAY
    while True:
        if _is_chosen(schedule, day):
            local = datetime.combine(day, schedule.at, tzinfo=None)
            yield Slot(local.replace(tzinfo=place, fold=0).astimezone(UTC), local)
        day += _DAY


def _is_chosen(schedule: Schedule, day: date) -> bool:
    if schedule.month_day:
        return _is_month_day(schedule.month_day, day)
    if schedule.start and (day - schedule.start).days % 14 >= 7:
        return False
    return day.weekday() in schedule.days


def _is_month_day(month_day: str, day: date) -> bool:
    length = monthrange(day.year, day.month)[1]
    if month_day.isdecimal():
        return day.day == min(int(month_day), length)
    ordinal, weekday = month_day.split()
    if day.weekday() != WEEKDAYS.index(weekday):
        return False
    if ordinal == "last":
        return day.day > length - 7
    return (day.day - 1) // 7 == ORDINALS.index(ordinal)


def slot_at(schedule: Schedule, moment: datetime) -> Slot:
    """Return `moment` as a slot of its own, to the minute on the schedule's wall clock."""
    local = moment.astimezone(zone_of(schedule.zone)).replace(tzinfo=None, second=0, microsecond=0)
    return Slot(moment, local)
