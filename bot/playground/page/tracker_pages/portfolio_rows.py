"""A portfolio as rows of a table, and what may be typed for a health score. Pure."""

import math
from collections.abc import Callable
from typing import Any

from bot.playground.page.tracker_pages.paged_table import Query, Row, page_of
from bot.playground.tracker import NO_SCORE, Account, DomainRecord

GOOD_FROM, FAIR_FROM = 80, 50


def domain_rows(account: Account, query: Query) -> tuple[list[Row], int]:
    """Return the rows of a query, and how many domains fit it. No score sorts below 0."""
    words = query.words.split()
    records = [
        record
        for record in account.domains.values()
        if not words or all(word in _searchable(record) for word in words)
    ]
    if order := ORDERS.get(query.sort_by):
        records.sort(key=order)
    if query.is_descending:
        records.reverse()
    shown, total = page_of(records, query)
    return [_row(record) for record in shown], total


def score_from(typed: object) -> float | int | None:
    """Return the score that was typed; None for an empty field: the service has none.

    Raises:
        ValueError: not a number from 0 to 100.
    """
    text = "" if typed is None else str(typed).strip().replace(",", ".")
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 100:
        raise ValueError("A score is a number from 0 to 100.")
    return int(number) if number.is_integer() else number


def band(health: object) -> str:
    """Return "good", "fair", "poor" or "unknown"."""
    if isinstance(health, bool) or not isinstance(health, int | float):
        return "unknown"
    return "good" if health >= GOOD_FROM else "fair" if health >= FAIR_FROM else "poor"


# One function for each column: ten thousand rows are sorted again every second.
ORDERS: dict[str, Callable[[DomainRecord], Any]] = {
    "domain": lambda record: record.domain.lower(),
    "score": lambda record: -1 if band(record.health) == "unknown" else record.health,
    "type": lambda record: record.domain_type.lower(),
    "folder": lambda record: (record.folder or "").lower(),
    "tags": lambda record: record.tags,
}
MARKS = {"good": "●", "fair": "◐", "poor": "○", "unknown": "?"}


def _row(record: DomainRecord) -> Row:
    health = None if record.health is NO_SCORE else record.health
    return {
        "id": record.domain_id,
        "domain": record.domain,
        "score": health if isinstance(health, int | float) else None,
        "band": band(health),
        "mark": MARKS[band(health)],
        "type": record.domain_type,
        "folder": record.folder or "",
        "tags": ", ".join(record.tags),
    }


def _searchable(record: DomainRecord) -> str:
    parts = (record.domain, record.domain_type, record.folder or "", *record.tags)
    return " ".join(parts).lower()
