"""What the clocks do to the runs of a digest, in words: summer time and its like. Pure."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.digests.schedule import (
    ClockChange,
    Schedule,
    Slot,
    clock_changes,
    offset_at,
    zone_of,
)
from bot.views.text import day_text, plural

DAY_NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)
# At most 26 hours lie between two zones.
_OTHER_DAYS = {
    -2: " two days before",
    -1: " the day before",
    0: "",
    1: " the next day",
    2: " two days later",
}


def change_notes(
    schedule: Schedule, reader: ZoneInfo | None, first: datetime, last: datetime
) -> Iterator[str]:
    """Yield a sentence for each change of the clocks, one for both zones where they go along."""
    ours = {change.at: change for change in clock_changes(schedule.zone, first, last)}
    theirs = {}
    if reader:
        theirs = {change.at: change for change in clock_changes(reader.key, first, last)}
    for at in sorted(ours | theirs):
        effect = _effect(schedule, reader, at)
        go_along = at in ours and at in theirs and _shift(ours[at]) == _shift(theirs[at])
        if at in ours:
            yield _our_note(schedule, ours[at], " (and yours)" if go_along else "", effect)
        if reader and at in theirs and not go_along:
            runs = f"runs at {schedule.at:%H:%M} {clock_name(schedule.zone)} are at {effect}"
            yield f"Your clocks ({place_name(reader.key)}) {_moves(theirs[at])}: {runs}."


def _our_note(schedule: Schedule, change: ClockChange, whose_too: str, effect: str) -> str:
    clocks = f"The clocks in {place_name(schedule.zone)}{whose_too} {_moves(change)}"
    stay = f"runs stay at {schedule.at:%H:%M} {clock_name(schedule.zone)}"
    return f"{clocks}: {stay}{f', which is {effect}' if effect else ''}."


def _shift(change: ClockChange) -> timedelta:
    return change.after - change.before


def _moves(change: ClockChange) -> str:
    """Return `go back an hour on Sun 25 Oct 2026 at 03:00`, as the clocks show it until then."""
    shift, local = _shift(change), change.at + change.before
    direction = "forward" if shift > timedelta() else "back"
    return f"go {direction} {_amount(abs(shift))} on {weekday_text(local)} at {local:%H:%M}"


def _effect(schedule: Schedule, reader: ZoneInfo | None, at: datetime) -> str:
    """Return what a change means for the reader's own clock, or nothing if it stays the same."""
    if reader is None:
        return ""
    before, after = (_for_reader(schedule, reader, moment) for moment in (at - _SECOND, at))
    return "" if before == after else f"{after} for you from then on, no longer {before}"


def _for_reader(schedule: Schedule, reader: ZoneInfo, moment: datetime) -> str:
    """Return when the runs are by the reader's clock, with the offsets of a moment."""
    ahead = offset_at(reader, moment) - offset_at(zone_of(schedule.zone), moment)
    here = datetime.combine(moment, schedule.at)
    there = here + ahead
    moved = (there.date() - here.date()) // _DAY
    return f"{there:%H:%M}{_OTHER_DAYS[moved]}"


def odd_time_notes(schedule: Schedule, slots: Iterable[Slot]) -> Iterator[str]:
    """Yield a sentence for each slot whose time the clocks skip, or show twice."""
    place, where = zone_of(schedule.zone), place_name(schedule.zone)
    for slot in slots:
        at, day = f"{slot.local:%H:%M}", weekday_text(slot.local)
        shown = slot.due_at.astimezone(place).replace(tzinfo=None)
        if shown != slot.local:
            when = "" if shown.date() == slot.local.date() else f" on {weekday_text(shown)}"
            yield f"{at} does not exist in {where} on {day}: that run is at {shown:%H:%M}{when}."
        elif _comes_twice(slot, place):
            yield f"{at} comes twice in {where} on {day}: the run comes once, the first time."


def _comes_twice(slot: Slot, place: ZoneInfo) -> bool:
    second_time = slot.local.replace(tzinfo=place, fold=1)
    return second_time.utcoffset() != offset_at(place, slot.due_at)


def weekday_text(day: datetime) -> str:
    """Return `Mon 23 Nov 2026`."""
    return f"{DAY_NAMES[day.weekday()]} {day_text(day)}"


def place_name(zone: str) -> str:
    """Return `New York` of `America/New_York`; names without a city stay as they are."""
    is_city = "/" in zone and not zone.startswith("Etc/")
    return zone.rpartition("/")[2].replace("_", " ") if is_city else zone


def clock_name(zone: str) -> str:
    """Return `Berlin time`, but `UTC` and `CET`."""
    place = place_name(zone)
    return place if place == zone else f"{place} time"


def _amount(shift: timedelta) -> str:
    minutes = shift // timedelta(minutes=1)
    if minutes == 60:
        return "an hour"
    if minutes == 30:
        return "half an hour"
    hours, rest = divmod(minutes, 60)
    return plural(minutes, "minute") if rest else plural(hours, "hour")
