"""Word a digest's schedule: its days, its next runs, daylight-saving changes. Pure."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import groupby
from zoneinfo import ZoneInfo

from bot.blocks.text import day_text, escaped, plural
from bot.digests.schedule import FORTNIGHT, Schedule, Slot, next_slots, started
from bot.process.zones import ClockChange, clock_changes, is_zone, offset_at, zone_of

DAY_NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
RUNS_SHOWN = 5


def _moves(change: ClockChange) -> str:
    """Return `go back an hour on Sun 25 Oct 2026 at 03:00`, by the clock before the change."""
    shift, local = change.after - change.before, change.at + change.before
    direction = "forward" if shift > timedelta() else "back"
    minutes = abs(shift) // timedelta(minutes=1)
    amount = "an hour" if minutes == 60 else plural(minutes, "minute")
    return f"go {direction} {amount} on {weekday_text(local)} at {local:%H:%M}"


def weekday_text(day: datetime) -> str:
    """Return `Mon 23 Nov 2026`."""
    return f"{DAY_NAMES[day.weekday()]} {day_text(day)}"


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


def month_day_text(month_day: str) -> str:
    """Return `on the 1st` or `on the last Fri`."""
    if not month_day.isdecimal():
        ordinal, weekday = month_day.split()
        return f"on the {ordinal} {weekday.capitalize()}"
    number = int(month_day)
    ending = "th" if 11 <= number <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"on the {number}{ending}"


def schedule_text(schedule: Schedule) -> str:
    """Return `Mon–Fri at 09:00 (Europe/Berlin)`; the zone may be unknown."""
    days = days_text(schedule.days)
    if schedule.month_day:
        days = f"monthly {month_day_text(schedule.month_day)}"
    elif schedule.weeks == FORTNIGHT:
        days = f"every two weeks on {days}"
    how = f", every {schedule.every} minutes" if schedule.every else f" at {schedule.at:%H:%M}"
    return f"{days}{how} ({escaped(schedule.zone, 80)})"


def slot_text(slot: Slot, zone: str) -> str:
    """Return `Mon 23 Nov 2026, 09:00`."""
    local = slot.due_at.astimezone(zone_of(zone))
    return f"{weekday_text(local)}, {local:%H:%M}"


def zoned_slot_text(slot: Slot, zone: str) -> str:
    """Return `Mon 23 Nov 2026, 09:00 (Europe/Berlin)`."""
    return f"{slot_text(slot, zone)} ({escaped(zone, 60)})"


def next_runs(schedule: Schedule, after: datetime, reader_zone: str | None) -> list[str]:
    """Return mrkdwn: the next five runs, also by the reader's clock, then clock changes."""
    slots = next_slots(started(schedule, after), after, RUNS_SHOWN)
    reader = zone_of(reader_zone) if reader_zone and is_zone(reader_zone) else None
    lines = [_run_line(slot, schedule, reader) for slot in slots]
    if schedule.every:  # at no time of day that a change of the clocks could move
        return lines
    where, stay = escaped(schedule.zone, 80), f"runs stay at {schedule.at:%H:%M}"
    changes = clock_changes(schedule.zone, after, slots[-1].due_at)
    return [*lines, *(f"The clocks in {where} {_moves(each)}: {stay}." for each in changes)]


def _run_line(slot: Slot, schedule: Schedule, reader: ZoneInfo | None) -> str:
    here = slot.due_at.astimezone(zone_of(schedule.zone))
    line = zoned_slot_text(slot, schedule.zone)
    if reader is None or offset_at(reader, slot.due_at) == here.utcoffset():
        return line
    theirs = slot.due_at.astimezone(reader)
    day = "" if theirs.date() == here.date() else f"{theirs:%a} {theirs.day} {theirs:%b}, "
    return f"{line}  ·  {day}{theirs:%H:%M} for you"
