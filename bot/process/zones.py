"""Look up, suggest and compare time zones, by the rules of IANA's database as tzdata has them."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from importlib.resources import files
from itertools import count, pairwise, takewhile
from zoneinfo import ZoneInfo

MAX_OPTIONS = 100  # https://docs.slack.dev/reference/block-kit/block-elements
_DAY = timedelta(days=1)
_QUARTER = timedelta(minutes=15)
# Suggested first, and while nothing is typed.
_WELL_KNOWN = """
UTC Europe/London Europe/Berlin Europe/Paris America/New_York America/Chicago America/Denver
America/Los_Angeles America/Toronto Europe/Athens Europe/Istanbul Asia/Kolkata Asia/Singapore
Asia/Shanghai Asia/Tokyo Australia/Sydney Pacific/Auckland America/Sao_Paulo America/Phoenix
America/Anchorage Pacific/Honolulu America/Halifax America/St_Johns America/Mexico_City
America/Bogota America/Caracas America/Nuuk Atlantic/Azores Atlantic/Cape_Verde America/Noronha
Africa/Lagos Africa/Johannesburg Africa/Nairobi Asia/Dubai Asia/Tehran Asia/Kabul Asia/Karachi
Asia/Kathmandu Asia/Dhaka Asia/Yangon Asia/Bangkok Australia/Brisbane Australia/Adelaide
Australia/Darwin Australia/Eucla Australia/Lord_Howe Pacific/Guadalcanal Pacific/Fiji
Pacific/Chatham Pacific/Tongatapu Pacific/Kiritimati Pacific/Pago_Pago Pacific/Marquesas
Pacific/Gambier
""".split()  # noqa: SIM905  # as a list it is one name to a line, and hides the rest of the module
_RANK = {name: rank for rank, name in enumerate(_WELL_KNOWN)}


@dataclass(frozen=True, slots=True)
class ClockChange:
    """The moment, in UTC, from which on a zone's clocks are `after` ahead of UTC, not `before`."""

    at: datetime
    before: timedelta
    after: timedelta


@cache
def zone_names() -> frozenset[str]:
    """Return the names of all time zones, former ones too, in IANA's spelling."""
    return frozenset(files("tzdata").joinpath("zones").read_text("utf-8").split()) - {"Factory"}


@cache
def zone_of(name: str) -> ZoneInfo:
    """Return a time zone by its exact IANA name; raise ValueError."""
    if name not in zone_names():
        raise ValueError(f"no time zone: {name[:80]!r}")
    # From the package, not the system as `ZoneInfo(name)` would: so that every process and the
    # tests have the same rules. Hosts get new rules late (Debian 12 had 2025b when 2026f was out).
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def is_zone(name: str) -> bool:
    return name in zone_names()


def offset_at(zone: ZoneInfo, moment: datetime) -> timedelta:
    """Return how far the clocks of a zone are ahead of UTC at an aware moment."""
    return moment.astimezone(zone).utcoffset() or timedelta()


def clock_changes(zone: str, first: datetime, last: datetime) -> list[ClockChange]:
    """Return when a zone's offset from UTC changes, later than `first` and not later than `last`.

    Clocks change at quarters of an hour in UTC, as all offsets of today are such, and not back
    within a day.
    """
    rules = zone_of(zone)
    start = first.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    days = takewhile(lambda at: at - _DAY <= last, (start + _DAY * n for n in count()))
    by_day = pairwise((day, offset_at(rules, day)) for day in days)
    changed = (day for (day, before), (_, after) in by_day if before != after)
    return [
        ClockChange(at, before, after)
        for day in changed
        for (_, before), (at, after) in pairwise(
            (day + _QUARTER * n, offset_at(rules, day + _QUARTER * n)) for n in range(97)
        )
        if before != after and first < at <= last
    ]


def suggest_zones(typed: str) -> list[str]:
    """Return at most 100 names that have all words of `typed`, or their beginnings.

    Cities that begin so come first, and well-known ones before others. While nothing is typed:
    one well-known zone for each offset.
    """
    text = _plain(typed)
    if not text:
        return _WELL_KNOWN

    def order(name: str) -> tuple[bool, int, str]:
        city = _plain(name.rpartition("/")[2])
        return not city.startswith(text), _RANK.get(name, len(_RANK)), name

    words = [f" {word}" for word in text.split()]
    names = [name for name in zone_names() if all(word in f" {_plain(name)}" for word in words)]
    return sorted(names, key=order)[:MAX_OPTIONS]


def offset_text(zone: str, at: datetime) -> str:
    """Return a zone's offset such as `UTC-3:30` at a moment."""
    minutes = round(offset_at(zone_of(zone), at) / timedelta(minutes=1))
    hours, rest = divmod(abs(minutes), 60)
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{hours}{f':{rest:02}' if rest else ''}" if minutes else "UTC"


@lru_cache(maxsize=2000)  # all names, and what was typed last
def _plain(text: str) -> str:
    """Return lower case without accents, everything between words as one space."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(re.findall(r"[\w+]+", letters.replace("_", " ")))
