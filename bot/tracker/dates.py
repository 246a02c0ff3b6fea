"""Read dates as registries, certificate tools and programs write them. Pure."""

import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

# Seconds and milliseconds from the year 2000 to the end of the year 9999.
MIN_EPOCH_S = 946_684_800
MAX_EPOCH_S = 253_402_300_799
MAX_EPOCH_MS = MAX_EPOCH_S * 1000 + 999
_MONTH = re.compile(
    r"[-./]?\b(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?"
    r"|oct(ober)?|nov(ember)?|dec(ember)?)\b[-./]?",
    re.IGNORECASE,
)
_TWELVE_HOURS = re.compile(r"\d\s?[ap]\.?m\b", re.IGNORECASE)
_UTC = re.compile(r"\s?\(?(?:UTC|GMT)\)?$")
_LOCAL_ZONE = re.compile(r"\s\(?[A-Z]{3,4}\)?$")
_YEAR_FIRST = re.compile(r"(?P<year>\d{4})([-/.])(?P<month>\d\d?)\2(?P<day>\d\d?)(?!\d)")
# As in certificates (RFC 5280, section 4.1.2.5): `20261201024800Z`, `261201024800Z`; a day too.
_COMPACT = re.compile(r"(?:20)?\d{12}Z|20\d{6}")
_DAY_FIRST = re.compile(r"(?P<day>\d\d?)([-/.])(?P<month>\d\d?)\2(?P<year>\d{4})(?!\d)")


def read_date(value: object) -> datetime | date | None:
    """Return the moment, in UTC, or the day that a text or a number of seconds means.

    A moment whose zone is not given, or is a local one, comes without. `None` for anything else,
    and where day and month may be confused.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_epoch(value)
    if not isinstance(value, str) or not 8 <= len(value) <= 40 or not value.isascii():
        return None
    text = " ".join(value.split())
    try:
        if _COMPACT.fullmatch(text):
            digits = text if text.startswith("20") and len(text) != 13 else f"20{text}"
            day, time = digits[:8], digits[8:]
            return datetime.fromisoformat(f"{day}T{time}") if time else date.fromisoformat(day)
        return _in_words(text) if _MONTH.search(text) else _in_digits(text)
    except (ValueError, OverflowError):
        return None


def _from_epoch(value: float) -> datetime | None:
    if not MIN_EPOCH_S <= value <= MAX_EPOCH_MS:
        return None
    seconds = value if value <= MAX_EPOCH_S else value // 1000
    return datetime.fromtimestamp(int(seconds), UTC) if seconds >= MIN_EPOCH_S else None


def _in_words(text: str) -> datetime | date | None:
    plain = _MONTH.sub(lambda found: f" {found[1][:3]} ", text)
    read = parsedate_to_datetime(plain if ":" in plain else f"{plain} 00:00:00 +0000")
    # `email` leaves out `PM`, and takes the year 0001 for 2001.
    if _TWELVE_HOURS.search(text) or f"{read.year:04}" not in text:
        return None
    return _in_utc(read) if ":" in text else read.date()


def _in_digits(text: str) -> datetime | date | None:
    text = _LOCAL_ZONE.sub("", _UTC.sub("Z", text))
    if not (found := _YEAR_FIRST.match(text) or _DAY_FIRST.match(text)):
        return None
    year, month, day = (int(found[name]) for name in ("year", "month", "day"))
    is_clear = found.re is _YEAR_FIRST or found[2] == "." or day == month
    if not is_clear and max(day, month) <= 12:
        return None
    if not is_clear and month > 12:
        day, month = month, day
    read, time = date(year, month, day), text[found.end() :].replace(" ", "").removeprefix("T")
    if not time:
        return read
    hour, colon, rest = time.partition(":")
    if not colon:
        return None
    return _in_utc(datetime.fromisoformat(f"{read}T{hour:0>2}:{rest}"))


def _in_utc(moment: datetime) -> datetime:
    """Return a moment in UTC and in whole seconds, or as it is without a zone."""
    moment = moment.replace(microsecond=0)
    try:
        return moment.astimezone(UTC) if moment.tzinfo else moment
    except OverflowError:  # "never", said in a zone where it is a day later
        return moment.replace(tzinfo=None)
