"""When a digest runs, in words: its days, its next runs, and what the clocks do to them. Pure."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import groupby
from zoneinfo import ZoneInfo

from bot.digests.schedule import (
    Schedule,
    Slot,
    UnknownZoneError,
    next_slots,
    offset_at,
    zone_of,
)
from bot.views.clocks import DAY_NAMES, change_notes, clock_name, odd_time_notes, weekday_text
from bot.views.text import escaped

RUNS_SHOWN = 5
_DAY = timedelta(days=1)


def days_text(days: Iterable[int]) -> str:
    """Return `every day`, `Mon–Fri`, `Sat, Sun` or `Mon–Thu, Sat`."""
    chosen = sorted(set(days))
    if len(chosen) == len(DAY_NAMES):
        return "every day"
    parts: list[str] = []
    for _, group in groupby(enumerate(chosen), key=lambda numbered: numbered[1] - numbered[0]):
        names = [DAY_NAMES[day] for _, day in group]
        parts += [f"{names[0]}–{names[-1]}"] if len(names) > 2 else names
    return ", ".join(parts)


def schedule_text(schedule: Schedule) -> str:
    """Return `Mon–Fri at 09:00 (Europe/Berlin)`; the zone may be one that nobody knows."""
    at = f"{days_text(schedule.days)} at {schedule.at:%H:%M}"
    return f"{at} ({escaped(schedule.zone, 80)})"


def slot_text(slot: Slot, zone: str) -> str:
    """Return `Mon 23 Nov 2026, 09:00`: what the clocks in `zone` show when the slot is due.

    In a zone that nobody knows any more: what the schedule asked for.
    """
    try:
        local = slot.due_at.astimezone(zone_of(zone))
    except UnknownZoneError:
        local = slot.local
    return f"{weekday_text(local)}, {local:%H:%M}"


def zoned_slot_text(slot: Slot, zone: str) -> str:
    """Return the same with the zone behind it: `Mon 23 Nov 2026, 09:00 (Europe/Berlin)`."""
    return f"{slot_text(slot, zone)} ({escaped(zone, 60)})"


def days_ahead(slot: Slot, now: datetime, zone: str) -> int:
    """Return how many midnights lie between now and a slot, by the clocks in `zone`.

    Raises:
        UnknownZoneError: the zone.
    """
    place = zone_of(zone)
    return (slot.due_at.astimezone(place).date() - now.astimezone(place).date()) // _DAY


def next_runs(schedule: Schedule, after: datetime, reader_zone: str | None) -> list[str]:
    """Return lines of finished mrkdwn: the next five runs, then what is odd about the clocks.

    Each run is told in the schedule's zone, and in the reader's where that differs; a zone of
    the reader's that nobody knows is ignored. The notes are about every change of the clocks
    from `after` to the last of these runs, and about times that the clocks skip or show twice.

    Raises:
        UnknownZoneError: the schedule's zone.
    """
    slots = next_slots(schedule, after, RUNS_SHOWN)
    reader = _other_zone(reader_zone, schedule)
    return [
        *(_run_line(slot, schedule, reader) for slot in slots),
        *change_notes(schedule, reader, after, slots[-1].due_at),
        *odd_time_notes(schedule, slots),
    ]


def _other_zone(name: str | None, schedule: Schedule) -> ZoneInfo | None:
    if name is None or name == schedule.zone:
        return None
    try:
        return zone_of(name)
    except UnknownZoneError:
        return None


def _run_line(slot: Slot, schedule: Schedule, reader: ZoneInfo | None) -> str:
    here = slot.due_at.astimezone(zone_of(schedule.zone))
    line = f"{slot_text(slot, schedule.zone)} {clock_name(schedule.zone)}"
    if reader is None or offset_at(reader, slot.due_at) == here.utcoffset():
        return line
    theirs = slot.due_at.astimezone(reader)
    day = "" if theirs.date() == here.date() else f"{theirs:%a} {theirs.day} {theirs:%b}, "
    return f"{line}  ·  {day}{theirs:%H:%M} for you"
