"""The page with the domains of a portfolio: look, search, sort, change scores, move."""

from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from bot.playground.page.theme import MARKUP
from bot.playground.page.tracker_pages.frame import Here, add_page, columns, draw_title
from bot.playground.page.tracker_pages.paged_table import PagedTable, Query, Row, rows_of
from bot.playground.sandbox import Sandbox
from bot.playground.tracker import Account, DomainRecord

GOOD_FROM, FAIR_FROM = 80, 50


def domain_rows(account: Account, query: Query) -> tuple[list[Row], int]:
    """Return the rows of a query, and how many domains fit it. No score sorts below 0."""
    searched = ("domain", "type", "folder", "tags")
    return rows_of([*account.domains.values()], _row, query, searched, ORDERS)


def score_from(typed: object) -> float | int:
    """Return the score that was typed. Raises: ValueError: not a number from 0 to 100."""
    number = float(str(typed))
    if not 0 <= number <= 100:
        raise ValueError("not from 0 to 100")
    return int(number) if number.is_integer() else number


def _score(record: DomainRecord) -> float | int | None:
    return record.health if isinstance(record.health, int | float) else None


def _band(score: float | None) -> str:
    if score is None:
        return "unknown"
    return "good" if score >= GOOD_FROM else "fair" if score >= FAIR_FROM else "poor"


# One function for each column: ten thousand rows are sorted again every second.
ORDERS: dict[str, Callable[[DomainRecord], Any]] = {
    "domain": lambda record: record.domain.lower(),
    "score": lambda record: -1 if (score := _score(record)) is None else score,
    "type": lambda record: record.domain_type.lower(),
    "folder": lambda record: (record.folder or "").lower(),
    "tags": lambda record: record.tags,
}
MARKS = {"good": "●", "fair": "◐", "poor": "○", "unknown": "?"}


def _row(record: DomainRecord) -> Row:
    score = _score(record)
    return {
        "id": record.domain_id,
        "domain": record.domain,
        "score": score,
        "band": _band(score),
        "mark": MARKS[_band(score)],
        "type": record.domain_type,
        "folder": record.folder or "",
        "tags": ", ".join(record.tags),
    }


COLUMNS = [
    column | {"sortable": column["name"] in ORDERS}
    for column in columns(
        domain="Domain",
        score="Health score",
        type="Type",
        folder="Folder",
        tags="Tags",
        moves="Change",
    )
]


def add(sandbox: Sandbox) -> None:
    def draw(here: Here) -> None:
        _draw(sandbox.tracker.account(here.portfolio))

    add_page("/tracker", draw, has_portfolio=True)


def _draw(account: Account) -> None:
    draw_title(
        f"Domains of {account.name}",
        "Click a score to change it: the next list or scan in Slack sees it. Press a"
        " button to change the registrar or name servers. The next scan shows it.",
    )
    listed = PagedTable(
        COLUMNS,
        lambda query: domain_rows(account, query),
        "domain",
        search_label="Search names, folders, types and tags",
    )
    listed.table.add_slot("body-cell-score", MARKUP["score_cell"])
    listed.table.add_slot("body-cell-moves", MARKUP["moves_cell"])

    def set_score(event: GenericEventArguments) -> None:
        try:
            account.domains[event.args["id"]].health = score_from(event.args["value"])
        except ValueError:
            ui.notify("A score is a number from 0 to 100.", type="negative")
        listed.refresh()

    def move(event: GenericEventArguments) -> None:
        record, to = account.domains[event.args["id"]], event.args["to"]
        record.registrar_moves += to == "registrar"
        record.dns_moves += to == "name servers"
        ui.notify(f"Other {to}: the next scan of {record.domain} shows it.")

    listed.table.on("score", set_score)
    listed.table.on("move", move)
