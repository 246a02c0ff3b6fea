"""What a real service does not show: its log of requests, and what it is made to do otherwise."""

from collections.abc import Callable

from nicegui import ui

from bot.playground.page.tracker_pages.frame import Here, add_page, columns, draw_title, time_text
from bot.playground.page.tracker_pages.paged_table import PagedTable, Query, Row, rows_of
from bot.playground.sandbox import Sandbox
from bot.playground.tracker import Request, Tracker
from bot.playground.tracker.samples.dialects import CHECKLIST, MIXED, OWN, SCANNER
from bot.playground.tracker.service import MESSAGES

FAULTS = {
    **MESSAGES,
    "500": "500, an error as JSON",
    "503": "503, Service Unavailable",
    "html_200": "200, a sign-in page as HTML",
    "truncated": "Half of the JSON",
    "drop": "Connection dropped, nothing done",
    "drop_after": "Done, then the connection dropped",
}
DIALECTS = {
    MIXED: "Mixed: each domain in one of the three",
    OWN: "The playground's own: records and a list of issues",
    CHECKLIST: "A checklist: yes or no for each check",
    SCANNER: "A security scanner: findings, RDAP; some sections fail",
}
MAX_LATENCY_S = 120.0
MAX_HOURLY = 1_000_000


def add(sandbox: Sandbox) -> None:
    def draw(_here: Here) -> None:
        draw_title("Knobs", "Make the service slow, strict or faulty, and watch the bot.")
        with ui.card().classes("dt-card"):
            _draw_settings(sandbox.tracker)
        with ui.card().classes("dt-card"):
            _draw_dialects(sandbox)
        with ui.card().classes("dt-card"):
            _draw_faults(sandbox.tracker)

    add_page("/tracker/knobs", draw)


def _draw_faults(tracker: Tracker) -> None:
    ui.label("Faults").classes("text-lg")
    with ui.row().classes("w-full items-center"):
        kind = ui.select(FAULTS, value="invalid_key", label="What goes wrong")
        kind.style("min-width: 280px")
        times = ui.number("Requests", value=1, min=1, max=1000, precision=0)
    said = ui.label().classes("dt-note")

    def order() -> None:
        count = int(times.value or 1)
        tracker.fail_next(kind.value, count)
        said.text = f"Requests that get this next: {count}, {FAULTS[kind.value]}."

    def clear() -> None:
        tracker.faults.clear()
        said.text = "The service works again."

    with ui.row():
        ui.button("Apply", on_click=order).props("unelevated no-caps")
        ui.button("Clear", on_click=clear).props("outline no-caps")


def _draw_settings(tracker: Tracker) -> None:
    ui.label("Speed and limits").classes("text-lg")
    with ui.row().classes("w-full items-start"):
        _number("Every request takes, s", tracker, "latency_s", MAX_LATENCY_S)
        _number("A scan takes in addition, s", tracker, "scan_latency_s", MAX_LATENCY_S)
        _number("Requests per hour and key", tracker, "hourly_limit", MAX_HOURLY, make=int)


def _draw_dialects(sandbox: Sandbox) -> None:
    ui.label("What scans look like inside").classes("text-lg")
    ui.label("The same facts, in another scanner's format.").classes("dt-note")
    with ui.row().classes("w-full items-start"):
        for name in sandbox.demo_keys:
            shown = ui.select(DIALECTS, label=f"Scans of {name}").style("min-width: 380px")
            shown.bind_value(sandbox.tracker.account(name), "dialect")


def _number(
    label: str, tracker: Tracker, name: str, most: float, make: Callable[[float], float] = float
) -> None:
    """Draw a field for one number of the tracker; what is out of range changes nothing."""

    def is_right(value: float | None) -> bool:
        return value is not None and 0 <= value <= most

    def take() -> None:
        if is_right(field.value):
            setattr(tracker, name, make(field.value))

    field = ui.number(
        label,
        value=getattr(tracker, name),
        min=0,
        max=most,
        on_change=take,
        validation={f"0 to {most:,.0f}": is_right},
    ).style("min-width: 220px")


LOG_COLUMNS = columns(
    time="Time (UTC)", method="Method", path="Path", account="Account", key="Key", status="Status"
)


def add_log(sandbox: Sandbox) -> None:
    def draw(_here: Here) -> None:
        draw_title("Requests", "Everything that was asked of the service, newest first.")
        PagedTable(LOG_COLUMNS, lambda query: request_rows(sandbox.tracker, query))

    add_page("/tracker/requests", draw)


def request_rows(tracker: Tracker, query: Query) -> tuple[list[Row], int]:
    numbered = [*enumerate(tracker.requests)][::-1]
    return rows_of(
        numbered, lambda each: _request_row(*each), query, [str(c["name"]) for c in LOG_COLUMNS]
    )


def _request_row(number: int, request: Request) -> Row:
    return {
        "id": number,
        "time": time_text(request.at),
        "method": request.method,
        "path": request.path,
        "account": request.account or "unknown",
        "key": request.key_name or "none that is known",
        "status": "no answer" if request.status is None else str(request.status),
    }
