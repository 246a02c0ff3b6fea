"""Time zones by what people type: a part of a name, a country, `CET`, `utc+2`."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files

from bot.digests.schedule import offset_at, zone_names, zone_of

# Offered while nothing is typed, the first of each offset, and ahead of their equals.
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


@dataclass(frozen=True, slots=True)
class _Entry:
    """A zone as it is looked for; its texts are `_plain`. `notes` is what zone.tab says of it."""

    name: str
    text: str
    city: str
    country: str
    notes: str
    is_legacy: bool


def suggest_zones(typed: str, now: datetime, limit: int = 100) -> list[str]:
    """Return the names of zones that `typed` may mean, the likeliest first, at most `limit`.

    An offset (`utc+2`, `-5`, `gmt+5:30`) means the zones that have it at `now`. Otherwise it may
    be anywhere in the name, or begin a word of what IANA says of the zone (its country,
    “Beijing Time”), or be an abbreviation that its clocks go by, in summer or in winter. Names
    that IANA keeps only for the sake of former users (`US/Pacific`) come last, unless one is
    typed in full. While nothing is typed: one well-known zone for each offset.
    """
    # What is still to be typed behind "utc+" or "+5:" is not known yet.
    typed = typed.strip().rstrip(f"{_SIGNS}:")
    if not _plain(typed):
        return _one_per_offset(now)[:limit]
    if offset := _OFFSET.fullmatch(typed):
        ranks = _ranks_by_offset(_offset(offset), now)
    else:
        ranks = _ranks_by_text(_plain(typed), now)
    return sorted(ranks, key=lambda name: (ranks[name], _RANK.get(name, len(_RANK)), name))[:limit]


def offset_text(zone: str, at: datetime) -> str:
    """Return how far a zone's clocks are from UTC at a moment: `UTC+1`, `UTC-3:30` or `UTC`.

    Raises:
        UnknownZoneError: the zone.
    """
    minutes = round(offset_at(zone_of(zone), at) / timedelta(minutes=1))
    hours, rest = divmod(abs(minutes), 60)
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{hours}{f':{rest:02}' if rest else ''}" if minutes else "UTC"


def _one_per_offset(now: datetime) -> list[str]:
    """UTC, then from west to east."""
    zones: dict[timedelta, str] = {}
    for name in _WELL_KNOWN[1:]:
        zones.setdefault(offset_at(zone_of(name), now), name)
    return ["UTC", *(zones[offset] for offset in sorted(zones))]


def _offset(found: re.Match[str]) -> timedelta:
    sign, hours, minutes = found.groups(default="0")
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    return offset if sign == "+" else -offset


def _ranks_by_offset(offset: timedelta, now: datetime) -> dict[str, tuple[bool, int]]:
    return {
        entry.name: (entry.is_legacy, 0)
        for entry in _entries()
        if offset_at(zone_of(entry.name), now) == offset
    }


def _ranks_by_text(typed: str, now: datetime) -> dict[str, tuple[bool, int]]:
    """Return how well each name that fits does so, 0 is best; a legacy name is worse than all."""
    ranks: dict[str, tuple[bool, int]] = {}
    for entry in _entries():
        rank = _rank(entry, typed, now)
        if rank is not None:
            # Of "EST" or "GB" typed in full nobody can say whether the name is meant.
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
    """Whether it is what the clocks are called, now or half a year later: `cet`, `cest`."""
    if not _ABBREVIATION.fullmatch(typed):
        return False
    moments = (now, now + _HALF_A_YEAR)
    names = (moment.astimezone(zone_of(name)).tzname() or "" for moment in moments)
    return typed in {name.lower() for name in names}


@cache
def _entries() -> tuple[_Entry, ...]:
    # The zones that are to be offered, in today's spelling, are what zone.tab was made for.
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
