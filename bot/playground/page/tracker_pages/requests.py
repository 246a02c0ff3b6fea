"""The page with every request that the service got. No key is in it: see `requestlog.py`."""

from nicegui import ui
from starlette.requests import Request as HttpRequest

from bot.playground.page.tracker_pages.frame import (
    TRACKER_MENU,
    columns,
    draw_head,
    draw_title,
    here,
    time_text,
)
from bot.playground.page.tracker_pages.paged_table import PagedTable, Query, Row, rows_of
from bot.playground.sandbox import Sandbox
from bot.playground.tracker import Request, Tracker

COLUMNS = columns(
    time="Time (UTC)", method="Method", path="Path", account="Account", key="Key", status="Status"
)


def add(sandbox: Sandbox) -> None:
    """Add the page."""

    @ui.page("/tracker/requests")
    def page(request: HttpRequest) -> None:
        draw_head("Domain Tracker", TRACKER_MENU, here(request))
        with ui.column().classes("dt-page"):
            draw_title("Requests", "Everything that was asked of the service, newest first.")
            PagedTable(COLUMNS, lambda query: request_rows(sandbox.tracker, query))


def request_rows(tracker: Tracker, query: Query) -> tuple[list[Row], int]:
    """Return the requests of a query, newest first."""
    numbered = [*enumerate(tracker.requests)][::-1]
    return rows_of(numbered, lambda each: _row(*each), query, [str(c["name"]) for c in COLUMNS])


def _row(number: int, request: Request) -> Row:
    return {
        "id": number,
        "time": time_text(request.at),
        "method": request.method,
        "path": request.path,
        "account": request.account or "unknown",
        "key": request.key_name or "none that is known",
        "status": "no answer" if request.status is None else str(request.status),
    }
