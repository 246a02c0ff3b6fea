"""When a digest is due: weekdays and a wall clock in a time zone. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import cache
from importlib.resources import files
from itertools import islice, pairwise, takewhile
from zoneinfo import ZoneInfo

from bot.errors import BotError

GRACE = timedelta(hours=6)
_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)


class UnknownZoneError(BotError):
    """The database of IANA has no time zone of that name."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """Some weekdays, counted from 0 for Monday as `date.weekday()` does, and a time of day.

    `at` is what the wall clock shows in `zone`, an IANA name; it has minutes, no seconds.
    """

    days: frozenset[int]
    at: time
    zone: str


@dataclass(frozen=True, slots=True, order=True)
class Slot:
    """One moment at which a digest is due.

    `due_at` is in UTC. `local` is naive: the date and time that the schedule asked for, by which
    a run is known. Where the wall clock skips that time, `due_at` is later than it.
    """

    due_at: datetime
    local: datetime


@dataclass(frozen=True, slots=True)
class ClockChange:
    """The moment, in UTC, from which on a zone's clocks are `after` ahead of UTC, not `before`."""

    at: datetime
    before: timedelta
    after: timedelta


@cache
def zone_names() -> frozenset[str]:
    """Return every name of a time zone, those of former times too, in the spelling of IANA."""
    return frozenset(files("tzdata").joinpath("zones").read_text("utf-8").split()) - {"Factory"}


@cache
def zone_of(name: str) -> ZoneInfo:
    """Return a time zone by its exact IANA name.

    Raises:
        UnknownZoneError: there is none. Nothing but a listed name is ever looked for in a file.
    """
    if name not in zone_names():
        raise UnknownZoneError(f"no time zone: {name[:80]!r}")
    # Of the package and never of the system, which `ZoneInfo(name)` would prefer: so that every
    # process, on whatever host, and the tests know the same rules. Governments change them with
    # months of notice, and hosts get them late (Debian 12 had 2025b when 2026f was out).
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def next_slot(schedule: Schedule, after: datetime) -> Slot:
    """Return the first slot that is due strictly later than `after`, an aware moment.

    A time that the wall clock shows twice counts once, the first time; one that it skips moves
    forward by as much as the clock does. A date that a zone skips as a whole (30 December 2011
    in Apia) moves to the next one too, unless that one has a slot of its own at that moment.

    Raises:
        UnknownZoneError: the schedule's zone.
        ValueError: it has no day.
    """
    return next(_slots(schedule, after))


def next_slots(schedule: Schedule, after: datetime, count: int) -> list[Slot]:
    """Return the first slots later than `after`, the earliest first. See `next_slot`."""
    return list(islice(_slots(schedule, after), count))


def slots_until(schedule: Schedule, after: datetime, until: datetime) -> list[Slot]:
    """Return all slots later than `after` and not later than `until`. See `next_slot`."""
    return list(takewhile(lambda slot: slot.due_at <= until, _slots(schedule, after)))


def grace(schedule: Schedule, slot: Slot) -> timedelta:
    """Return for how long after `slot` its run may still be made up for.

    That is `GRACE`, or half the time until the following slot where that is less.
    """
    following = next_slot(schedule, slot.due_at)
    return min(GRACE, (following.due_at - slot.due_at) / 2)


def clock_changes(zone: str, first: datetime, last: datetime) -> list[ClockChange]:
    """Return when a zone's offset from UTC changes, later than `first` and not later than `last`.

    Exact to the second, the earliest first.

    Raises:
        UnknownZoneError: the zone.
    """
    place = zone_of(zone)
    # Clocks change at whole seconds, and no two changes are less than a week apart (Boa Vista,
    # October 2000; Gaza from 2040 on): no step holds two of them, which could cancel each other.
    low, end = (moment.astimezone(UTC).replace(microsecond=0) for moment in (first, last))
    offset, changes = offset_at(place, low), list[ClockChange]()
    while low < end:
        high = min(low + 2 * _DAY, end)
        if offset_at(place, high) != offset:
            changes.append(_change_between(place, low, high))
            offset = changes[-1].after
        low = high
    return changes


def offset_at(place: ZoneInfo, moment: datetime) -> timedelta:
    """Return how far the clocks of a zone are ahead of UTC at an aware moment."""
    return moment.astimezone(place).utcoffset() or timedelta()


def _change_between(place: ZoneInfo, low: datetime, high: datetime) -> ClockChange:
    before, after = offset_at(place, low), offset_at(place, high)
    while high - low > _SECOND:
        middle = (low + (high - low) // 2).replace(microsecond=0)
        if offset_at(place, middle) == before:
            low = middle
        else:
            high = middle
    return ClockChange(high, before, after)


def _slots(schedule: Schedule, after: datetime) -> Iterator[Slot]:
    """Yield the slots later than `after` without end."""
    for slot, following in pairwise(_dated_slots(schedule, after)):
        # Not so where the first is of a date that was skipped as a whole: both are one moment.
        if after < slot.due_at < following.due_at:
            yield slot


def _dated_slots(schedule: Schedule, after: datetime) -> Iterator[Slot]:
    """Yield what each date gives, from early enough on that none later than `after` is missed."""
    if not schedule.days & set(range(7)):
        raise ValueError("a schedule needs a weekday")
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
