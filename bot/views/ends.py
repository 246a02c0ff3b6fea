"""Draw when registrations and certificates end, as the last scans said. Pure."""

from collections.abc import Sequence
from datetime import datetime

from bot.portfolio.end_dates import EndDates
from bot.tracker.findings import SOON_DAYS, EndDate
from bot.views.scan_facts import end_sign, end_text, ends, span_text
from bot.views.text import age_text, plural

END_COLUMNS = ("Registration", "Certificate")
# The value by which a cell sorts that has no date: after all days.
LAST_VALUE = 10_000_000
Cell = tuple[int, str]


def end_cells(row: EndDates | None, now: datetime) -> tuple[Cell, Cell]:
    """Return the cells of both columns: the days left, and their text."""
    return (
        _cell(row.registration if row else None, now),
        _cell(row.certificate if row else None, now),
    )


def _cell(end: EndDate | None, now: datetime) -> Cell:
    if end is None:
        return LAST_VALUE, "–"
    left = end.days_left(now)
    text = f"{span_text(-left)} ago" if left < 0 else span_text(left) if left else "today"
    return left, f"{end_sign(end, now)} {text}".strip()


def first_text(row: EndDates | None, now: datetime) -> str:
    """Return `⚠️ certificate expires in 21 days`, the end that comes first, or nothing."""
    if row is None or not (given := ends(row)):
        return ""
    name, end = given[0]
    return f"{end_sign(end, now)} {end_text(name.lower(), end, now)}".strip()


def soon_text(row: EndDates, now: datetime, *, age: bool = True) -> str:
    """Return all that ends within 30 days, and the age of the scan that says so."""
    near = [each for each in ends(row) if each[1].days_left(now) <= SOON_DAYS]
    text = ", ".join(end_text(name.lower(), end, now) for name, end in near)
    signs = f"{end_sign(near[0][1], now)} " if near else ""
    return f"{signs}{text}{f' ({scanned_text([row], now)})' if age else ''}"


def scanned_text(rows: Sequence[EndDates], now: datetime) -> str:
    """Return `as scanned 3 days ago`, the age of the oldest scan, or nothing without rows."""
    if not rows:
        return ""
    scanned = [row.scanned_at for row in rows]
    oldest, newest = (age_text((now - at).total_seconds()) for at in (min(scanned), max(scanned)))
    return f"as scanned {oldest}{' or later' if newest != oldest else ''}"


def never_scanned_text(count: int) -> str:
    """Return how many domains were never scanned."""
    were, their = ("was", "its") if count == 1 else ("were", "their")
    return f"{plural(count, 'domain')} {were} never scanned: {their} dates are unknown."
