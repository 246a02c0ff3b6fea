"""Dates as Slack shows them to their reader. Pure.

https://docs.slack.dev/messaging/formatting-message-text#date-formatting and
https://docs.slack.dev/reference/block-kit/block-elements/date-element
"""

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

_TOKEN = re.compile(r"\{(\w+)\}")
_NEAR_DAYS = {-1: "yesterday", 0: "today", 1: "tomorrow"}
_STEPS = (("year", 365 * 86_400), ("month", 30 * 86_400), ("day", 86_400), ("hour", 3600))
_YEAR_IS_KNOWN = timedelta(days=182)


def date_text(timestamp: int, pattern: str, *, zone: ZoneInfo, now: datetime) -> str:
    """Return `pattern` with its tokens filled in for a reader in `zone`; unknown ones stay.

    Raises:
        OverflowError, ValueError, OSError: the timestamp is no moment that can be shown.
    """
    moment = datetime.fromtimestamp(timestamp, zone)
    text = _TOKEN.sub(lambda token: _token(token, moment, now.astimezone(zone)), pattern)
    # Slack begins a date with a capital: "Today at 6:39 AM".
    return text[:1].upper() + text[1:]


def _token(token: re.Match[str], moment: datetime, now: datetime) -> str:
    name = token[1]
    if name.startswith("date") and name.endswith("_pretty"):
        near = _NEAR_DAYS.get((moment.date() - now.date()).days)
        return near or _day(name.removesuffix("_pretty"), moment, now) or token[0]
    return _day(name, moment, now) or _time(name, moment, now) or token[0]


def _day(name: str, moment: datetime, now: datetime) -> str | None:
    # Slack leaves the year out of a date that is less than six months away.
    year = "" if abs(moment - now) < _YEAR_IS_KNOWN else f", {moment.year}"
    match name:
        case "date_num":
            return moment.date().isoformat()
        case "date_slash":
            return f"{moment:%d/%m/%Y}"
        case "date_long_full":
            return f"{moment:%B} {moment.day}, {moment.year}"
        case "date":
            return f"{moment:%B} {_ordinal(moment.day)}{year}"
        case "date_short":
            return f"{moment:%b} {moment.day}{year}"
        case "date_long":
            return f"{moment:%A}, {moment:%B} {_ordinal(moment.day)}{year}"
    return None


def _time(name: str, moment: datetime, now: datetime) -> str | None:
    hour = moment.hour % 12 or 12
    match name:
        case "time":
            return f"{hour}:{moment:%M %p}"
        case "time_secs":
            return f"{hour}:{moment:%M:%S %p}"
        case "ago":
            return _ago((now - moment).total_seconds())
    return None


def _ordinal(day: int) -> str:
    ending = "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def _ago(seconds: float) -> str:
    size = abs(seconds)
    if size < 60:
        return "just now"
    unit, length = next((step for step in _STEPS if size >= step[1]), ("minute", 60))
    count = int(size // length)
    words = f"{count} {unit}{'' if count == 1 else 's'}"
    return f"{words} ago" if seconds > 0 else f"in {words}"
