"""Compute when a digest is due: weekdays and a wall clock in a time zone. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from itertools import islice, takewhile

from bot.process.zones import zone_of

GRACE = timedelta(hours=6)
_TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
# The minutes between two looks of a digest that is posted as soon as something gets worse.
LOOKS = (15, 30, 60)
_DAY = timedelta(days=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Some weekdays, counted from 0 for Monday as `date.weekday()` does, and a time of day.

    `at` is what the wall clock shows in `zone`, an IANA name; it has minutes, no seconds. With
    `every`, one of `LOOKS`, a slot comes every so many minutes of those days, and `at` is unused.
    """

    days: frozenset[int]
    at: time
    zone: str
    every: int | None = None


@dataclass(frozen=True, slots=True, order=True)
class Slot:
    """One moment at which a digest is due.

    `due_at` is in UTC. `local` is naive: the scheduled date and time, which identifies a run.
    Where the wall clock skips that time, `due_at` is later.
    """

    due_at: datetime
    local: datetime


def time_of(text: str) -> time | None:
    """Return the time of day that a text like `09:30` spells, `None` for any other text."""
    found = _TIME.fullmatch(text)
    return time(int(found[1]), int(found[2])) if found else None


def next_slot(schedule: Schedule, after: datetime) -> Slot:
    """Return the first slot that is due strictly later than `after`, an aware moment.

    A time that the wall clock shows twice counts once, the first time; one that it skips moves
    forward by as much as the clock does.

    Raises ValueError: the schedule has no day.
    """
    return next(_slots(schedule, after))


def next_slots(schedule: Schedule, after: datetime, count: int) -> list[Slot]:
    """Return the first slots later than `after`, the earliest first. See `next_slot`."""
    return list(islice(_slots(schedule, after), count))


def slots_until(schedule: Schedule, after: datetime, until: datetime) -> list[Slot]:
    """Return all slots later than `after` and not later than `until`. See `next_slot`."""
    return list(takewhile(lambda slot: slot.due_at <= until, _slots(schedule, after)))


def grace(schedule: Schedule, slot: Slot) -> timedelta:
    """Return for how long after `slot` its run may still start.

    That is `GRACE`, or half the time until the following slot where that is less.
    """
    following = next_slot(schedule, slot.due_at)
    return min(GRACE, (following.due_at - slot.due_at) / 2)


def _slots(schedule: Schedule, after: datetime) -> Iterator[Slot]:
    """Return the slots later than `after` without end."""
    if not schedule.days & set(range(7)):
        raise ValueError("a schedule needs a weekday")
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
        if day.weekday() in schedule.days:
            local = datetime.combine(day, schedule.at, tzinfo=None)
            yield Slot(local.replace(tzinfo=place, fold=0).astimezone(UTC), local)
        day += _DAY


def slot_at(schedule: Schedule, moment: datetime) -> Slot:
    """Return `moment` as a slot of its own, to the minute on the schedule's wall clock."""
    local = moment.astimezone(zone_of(schedule.zone)).replace(tzinfo=None, second=0, microsecond=0)
    return Slot(moment, local)
