"""The page with the domains of a portfolio: look, search, sort, change scores, remove."""

import math
from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from bot.playground.page.theme import MARKUP
from bot.playground.page.tracker_pages.frame import (
    Here,
    add_page,
    ask,
    columns,
    draw_title,
)
from bot.playground.page.tracker_pages.paged_table import PagedTable, Query, Row, rows_of
from bot.playground.sandbox import Sandbox
from bot.playground.tracker import NO_SCORE, Account, DomainRecord

GOOD_FROM, FAIR_FROM = 80, 50


def domain_rows(account: Account, query: Query) -> tuple[list[Row], int]:
    """Return the rows of a query, and how many domains fit it. No score sorts below 0."""
    searched = ("domain", "type", "folder", "tags")
    return rows_of([*account.domains.values()], _row, query, searched, ORDERS)


def score_from(typed: object) -> float | int | None:
    """Return the score that was typed; None for an empty field: the service has none.

    Raises: ValueError: not a number from 0 to 100.
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


COLUMNS = [
    column | {"sortable": True}
    for column in columns(
        domain="Domain", score="Health score", type="Type", folder="Folder", tags="Tags"
    )
]
COLUMNS.append({"name": "remove", "label": "", "field": "id", "align": "right"})


def add(sandbox: Sandbox) -> None:
    def draw(here: Here) -> None:
        _DomainsPage(sandbox.tracker.account(here.portfolio)).draw()

    add_page("/tracker", draw, has_portfolio=True)


class _DomainsPage:
    def __init__(self, account: Account) -> None:
        self._account = account

    def draw(self) -> None:
        draw_title(
            f"Domains of {self._account.name}",
            "Click a score to change it: the next list or scan in Slack sees it.",
        )
        self._table = PagedTable(
            COLUMNS,
            lambda query: domain_rows(self._account, query),
            "domain",
            search_label="Search names, folders, types and tags",
        )
        table = self._table.table
        table.add_slot("body-cell-score", MARKUP["score_cell"])
        table.add_slot("body-cell-remove", MARKUP["remove_cell"])
        table.on("score", self._set_score)
        table.on("remove", self._remove)

    def _set_score(self, event: GenericEventArguments) -> None:
        record = self._account.domains.get(event.args["id"])
        if record is None:
            ui.notify("That domain is gone.", type="warning")
            return
        try:
            record.health = score_from(event.args["value"])
        except ValueError as error:
            ui.notify(str(error), type="negative")
        self._table.refresh()

    async def _remove(self, event: GenericEventArguments) -> None:
        record = self._account.domains.get(event.args)
        if record and await ask(f"Remove {record.domain} from the portfolio?", "Remove"):
            self._account.domains.pop(record.domain_id, None)
            self._table.refresh()
