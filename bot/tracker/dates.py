"""Read dates as registries, certificate tools and programs write them. Pure."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from datetime import time as clock_time

# Seconds and milliseconds from the year 2000 to the end of the year 9999.
MIN_EPOCH_S = 946_684_800
MAX_EPOCH_S = 253_402_300_799
MAX_EPOCH_MS = MAX_EPOCH_S * 1000 + 999
_TIME = re.compile(
    r"(?:(?<=\d)T|\s|^)(\d\d?):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?\s?(Z|[+-]\d\d:?\d\d)?(?=\s|$)"
)
_ZONE = re.compile(r"\s\(?([A-Z]{3,4})\)?(?=$|\s\d{4}$)")
_WEEKDAY = re.compile(r"^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?\s")
_YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d\d?)\2(\d\d?)")
_DAY_FIRST = re.compile(r"(\d\d?)([-/. ])([A-Za-z]{3,9}|\d\d?)\2(\d{4})")
_MONTH_FIRST = re.compile(r"([A-Za-z]{3,9}) (\d\d?),? (\d{4})")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)


def read_date(value: object) -> datetime | date | None:
    """Return the moment, in UTC, or the day that a text or a number of seconds means.

    A moment whose zone is not given, or is a local one, comes without. `None` for anything else,
    and where day and month may be confused.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_epoch(value)
    if not isinstance(value, str) or not 8 <= len(value) <= 40 or not value.isascii():
        return None
    text = _WEEKDAY.sub("", " ".join(value.split()))
    time = _TIME.search(text)
    zone = time[4] if time else None
    if time:
        text = f"{text[: time.start()]} {text[time.end() :]}".strip().replace("  ", " ")
        if not zone and (named := _ZONE.search(text)):
            zone = "Z" if named[1] in {"UTC", "GMT"} else None
            text = text[: named.start()] + text[named.end() :]
    try:
        day = _day_in(text)
        return day if day is None or time is None else _moment(day, time, zone)
    except ValueError:
        return None


def _from_epoch(value: float) -> datetime | None:
    if not MIN_EPOCH_S <= value <= MAX_EPOCH_MS:
        return None
    seconds = value if value <= MAX_EPOCH_S else value // 1000
    return datetime.fromtimestamp(int(seconds), UTC) if seconds >= MIN_EPOCH_S else None


def _day_in(text: str) -> date | None:
    if found := _YEAR_FIRST.fullmatch(text):
        return date(int(found[1]), int(found[3]), int(found[4]))
    if found := _MONTH_FIRST.fullmatch(text):
        return date(int(found[3]), _month(found[1]), int(found[2]))
    if not (found := _DAY_FIRST.fullmatch(text)):
        return None
    if not found[3].isdecimal():
        return date(int(found[4]), _month(found[3]), int(found[1]))
    day, month = int(found[1]), int(found[3])
    if found[2] != "." and day != month:  # with dots the day always comes first
        if day <= 12 and month <= 12:
            return None
        day, month = (day, month) if day > 12 else (month, day)
    return date(int(found[4]), month, day)


def _month(name: str) -> int:
    """Return the number of an English month, 0 for any other name."""
    fits = (number for number, each in enumerate(_MONTHS, 1) if each.startswith(name.lower()))
    return next(fits, 0)  # `date` raises it


def _moment(day: date, time: re.Match[str], zone: str | None) -> datetime:
    hour, minute, second = (int(number or 0) for number in time.group(1, 2, 3))
    moment = datetime.combine(day, clock_time(hour, minute, second))
    if not zone:
        return moment
    if zone == "Z":
        return moment.replace(tzinfo=UTC)
    hours, minutes = int(zone[1:3]), int(zone[-2:])
    offset = timedelta(hours=hours, minutes=minutes) * (-1 if zone[0] == "-" else 1)
    try:
        return moment.replace(tzinfo=timezone(offset)).astimezone(UTC)
    except OverflowError:  # "never", said in a zone where it is a day later
        return moment
