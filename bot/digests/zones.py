"""Look up, suggest and compare time zones, by the rules of IANA's database as tzdata has them."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from itertools import count, pairwise, takewhile
from zoneinfo import ZoneInfo

from bot.errors import BotError

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
_HALF_A_YEAR = timedelta(days=182)
_SIGNS = "+-\N{MINUS SIGN}\N{EN DASH}"
_OFFSET = re.compile(rf"(?:utc|gmt)?\s*([{_SIGNS}])\s*(\d{{1,2}})(?::?(\d\d))?", re.IGNORECASE)
_ABBREVIATION = re.compile(r"[a-z]{2,5}")


class UnknownZoneError(BotError):
    """IANA's database has no time zone of that name."""


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
    """Return a time zone by its exact IANA name; raise UnknownZoneError."""
    if name not in zone_names():
        raise UnknownZoneError(f"no time zone: {name[:80]!r}")
    # From the package, not the system as `ZoneInfo(name)` would: so that every process and the
    # tests have the same rules. Hosts get new rules late (Debian 12 had 2025b when 2026f was out).
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def is_zone(name: str) -> bool:
    return name in zone_names()


def offset_at(place: ZoneInfo, moment: datetime) -> timedelta:
    """Return how far the clocks of a zone are ahead of UTC at an aware moment."""
    return moment.astimezone(place).utcoffset() or timedelta()


def clock_changes(zone: str, first: datetime, last: datetime) -> list[ClockChange]:
    """Return when a zone's offset from UTC changes, later than `first` and not later than `last`.

    Clocks change at quarters of an hour in UTC, as all offsets of today are such. Raise
    UnknownZoneError.
    """
    place = zone_of(zone)
    start = first.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    quarters = takewhile(lambda at: at <= last, (start + _QUARTER * n for n in count()))
    offsets = ((at, offset_at(place, at)) for at in quarters)
    return [
        ClockChange(at, before, after)
        for (_, before), (at, after) in pairwise(offsets)
        if before != after and at > first
    ]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A zone in the search; its texts are `_plain`, `notes` are from zone.tab."""

    name: str
    text: str
    city: str
    country: str
    notes: str
    is_legacy: bool


def suggest_zones(typed: str, now: datetime, limit: int = 100) -> list[str]:
    """Return the names of zones that `typed` may mean, the likeliest first, at most `limit`.

    An offset (`utc+2`, `-5`, `gmt+5:30`) means the zones that have it at `now`. Any other text may
    be a part of the name, the beginning of a word of IANA's notes (the country, “Beijing Time”),
    or an abbreviation of summer or winter time. Legacy names (`US/Pacific`) come last, unless
    one is typed in full. While nothing is typed: one well-known zone for each offset.
    """
    # "utc+" and "+5:" are not complete yet.
    typed = typed.strip().rstrip(f"{_SIGNS}:")
    if not _plain(typed):
        return _WELL_KNOWN[:limit]
    if offset := _OFFSET.fullmatch(typed):
        ranks = _ranks_by_offset(offset, now)
    else:
        ranks = _ranks_by_text(_plain(typed), now)
    return sorted(ranks, key=lambda name: (ranks[name], _RANK.get(name, len(_RANK)), name))[:limit]


def offset_text(zone: str, at: datetime) -> str:
    """Return a zone's offset such as `UTC-3:30` at a moment; raise UnknownZoneError."""
    minutes = round(offset_at(zone_of(zone), at) / timedelta(minutes=1))
    hours, rest = divmod(abs(minutes), 60)
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{hours}{f':{rest:02}' if rest else ''}" if minutes else "UTC"


def _ranks_by_offset(found: re.Match[str], now: datetime) -> dict[str, tuple[bool, int]]:
    sign, hours, minutes = found.groups(default="0")
    offset = timedelta(hours=int(hours), minutes=int(minutes)) * (1 if sign == "+" else -1)
    return {
        entry.name: (entry.is_legacy, 0)
        for entry in _entries()
        if offset_at(zone_of(entry.name), now) == offset
    }


def _ranks_by_text(typed: str, now: datetime) -> dict[str, tuple[bool, int]]:
    """Return the rank of each name that fits: 0 is best, legacy names come last."""
    ranks: dict[str, tuple[bool, int]] = {}
    for entry in _entries():
        rank = _rank(entry, typed, now)
        if rank is not None:
            # "EST" or "GB" typed in full may mean something else than the name.
            is_meant = typed == entry.text and "/" in entry.name
            ranks[entry.name] = (entry.is_legacy and not is_meant, rank)
    return ranks


def _rank(entry: _Entry, typed: str, now: datetime) -> int | None:
    words = f" {entry.text} {entry.country} {entry.notes}"
    fits = (
        typed in (entry.city, entry.text, entry.country),
        entry.city.startswith(typed),
        _goes_by(entry.name, typed, now),
        all(f" {word}" in words for word in typed.split()),
        typed in entry.text,
    )
    return fits.index(True) if any(fits) else None


def _goes_by(name: str, typed: str, now: datetime) -> bool:
    """Return whether it is the zone's abbreviation now or half a year later: `cet`, `cest`."""
    if not _ABBREVIATION.fullmatch(typed):
        return False
    moments = (now, now + _HALF_A_YEAR)
    names = (moment.astimezone(zone_of(name)).tzname() or "" for moment in moments)
    return typed in {name.lower() for name in names}


@cache
def _entries() -> tuple[_Entry, ...]:
    # zone.tab lists the zones of today.
    offered = {row[2]: row for row in _table("zone.tab")}
    countries = {row[0]: row[1] for row in _table("iso3166.tab")}
    return tuple(
        _Entry(
            name,
            _plain(name),
            _plain(name.rpartition("/")[2]),
            _plain(countries[offered[name][0]] if name in offered else ""),
            _plain(" ".join(offered[name][3:]) if name in offered else ""),
            is_legacy=name not in offered and name != "UTC",
        )
        for name in sorted(zone_names())
    )


def _table(name: str) -> list[list[str]]:
    text = files("tzdata").joinpath("zoneinfo", name).read_text("utf-8")
    return [line.split("\t") for line in text.splitlines() if line and line[0] != "#"]


def _plain(text: str) -> str:
    """Return lower case without accents, everything between words as one space."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(re.findall(r"[\w+]+", letters.replace("_", " ")))
