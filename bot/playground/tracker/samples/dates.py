"""The ways in which registrars and certificate tools write a moment."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

Writer = Callable[[datetime], object]


def moment_on(day: date) -> datetime:
    """Return a believable moment of a day, in UTC."""
    return datetime.combine(day, time(day.day % 24, day.month * 4, day.day), UTC)


def iso(moment: datetime) -> object:
    """Write 2026-03-09T17:21:40Z."""
    return moment.isoformat().replace("+00:00", "Z")


def plain_day(moment: datetime) -> object:
    """Write 2026-03-09."""
    return moment.date().isoformat()


def british(moment: datetime) -> object:
    """Write 09-Mar-2026."""
    return f"{moment.day:02d}-{MONTHS[moment.month - 1]}-{moment.year}"


def slashes(moment: datetime) -> object:
    """Write 2026/03/09."""
    return f"{moment.year}/{moment.month:02d}/{moment.day:02d}"


def openssl(moment: datetime) -> object:
    """Write Mar  9 17:21:40 2026 GMT, as `openssl x509 -dates` does."""
    month = MONTHS[moment.month - 1]
    return f"{month} {moment.day:2d} {moment:%H:%M:%S} {moment.year} GMT"


def epoch_s(moment: datetime) -> object:
    """Write whole seconds since 1970."""
    return int(moment.timestamp())


def epoch_ms(moment: datetime) -> object:
    """Write milliseconds since 1970."""
    return int(moment.timestamp()) * 1000
