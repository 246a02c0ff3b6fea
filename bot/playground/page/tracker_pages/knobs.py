"""What a real service does not show: its log of requests, and how to make it or Slack fail."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import yaml
from nicegui import ui

from bot.playground.page.tracker_pages.frame import (
    Here,
    add_page,
    columns,
    draw_title,
    time_text,
)
from bot.playground.page.tracker_pages.paged_table import PagedTable, Query, Row, rows_of
from bot.playground.sandbox import Sandbox
from bot.playground.slack import LocalSlack
from bot.playground.tracker import Request, Tracker
from bot.playground.tracker.service import ENDPOINTS, MESSAGES

EVERY = 1_000_000_000  # more requests than a playground lives to see
WORDS = yaml.safe_load(Path(__file__).with_name("knobs.yaml").read_text("utf-8"))
FAULTS = {**MESSAGES, **WORDS["faults"]}
ANY = "any"
PLACES = {ANY: "Any request", "list": "Listing", "add": "Adding", "scan": "Scanning"}


def draw_fault_form(tracker: Tracker) -> None:
    ui.label("Faults").classes("text-lg")
    with ui.row().classes("w-full items-center"):
        kind = ui.select(FAULTS, value="invalid_key", label="What goes wrong")
        kind.style("min-width: 280px")
        place = ui.select(PLACES, value=ANY, label="With").style("min-width: 140px")
        times = ui.number("Requests", value=1, min=1, max=1000, precision=0)
        every = ui.checkbox("all from now on")
        times.bind_enabled_from(every, "value", lambda checked: not checked)
    said = ui.label().classes("dt-note")

    def order() -> None:
        said.text = order_fault(
            tracker, kind.value, place.value, EVERY if every.value else times.value
        )

    def clear() -> None:
        tracker.faults.clear()
        said.text = "The service works again."

    with ui.row():
        ui.button("Let it happen", on_click=order).props("unelevated no-caps")
        ui.button("Back to normal", on_click=clear).props("outline no-caps")


def order_fault(tracker: Tracker, kind: str, place: str, times: float | None) -> str:
    """Order a fault; return a sentence about it."""
    count = int(times or 0)
    if count < 1:
        return "Say how many requests."
    tracker.fail_next(kind, count, place if place in ENDPOINTS else None)
    which = f"{PLACES[place].lower()} " if place in ENDPOINTS else ""
    if count >= EVERY:
        return f"From now on every {which}request gets: {FAULTS[kind]}."
    noun = "request gets" if count == 1 else f"{count} requests get"
    return f"The next {which}{noun}: {FAULTS[kind]}. Faults happen in the order you ask for them."


POST = "chat.postMessage"
RETRY_AFTER_S = 5
ORDERS: dict[str, Callable[[LocalSlack], None]] = {
    "Next post: Slack is too busy (429)": lambda slack: slack.fail_next(
        POST, retry_after_s=RETRY_AFTER_S
    ),
    "Next post: connection lost after posting": lambda slack: slack.fail_next(
        POST, kind="drop", after_acting=True
    ),
    "Next post refused: archived": lambda slack: slack.fail_next(POST, "is_archived"),
}


def draw_slack_faults(slack: LocalSlack) -> None:
    """Draw a button for each of them, and one that calls them off."""
    ui.label("Posts to Slack").classes("text-lg")
    said = ui.label().classes("dt-note")

    def order(words: str) -> None:
        ORDERS[words](slack)
        said.text = f"Ordered: {words}."

    def clear() -> None:
        slack.world.app.faults.clear()
        said.text = "Every post works."

    with ui.row():
        for words in ORDERS:
            ui.button(words, on_click=partial(order, words)).props("outline no-caps")
        calm = ui.button("None of it", on_click=clear).props("flat no-caps")
        calm.props["aria-label"] = "Let posts to Slack work"


MAX_LATENCY_S = 120.0
MAX_HOURLY = 1_000_000


def add(sandbox: Sandbox) -> None:
    def draw(_here: Here) -> None:
        note = "Make the service or Slack slow, strict or faulty, and watch the bot."
        draw_title("Knobs", note)
        with ui.card().classes("dt-card"):
            _draw_settings(sandbox.tracker)
        with ui.card().classes("dt-card"):
            draw_fault_form(sandbox.tracker)
        with ui.card().classes("dt-card"):
            draw_slack_faults(sandbox.slack)

    add_page("/tracker/knobs", draw)


def _draw_settings(tracker: Tracker) -> None:
    ui.label("Speed and limits").classes("text-lg")
    with ui.row().classes("w-full items-start"):
        _number("Every request takes, s", tracker, "latency_s", MAX_LATENCY_S)
        _number("A scan takes in addition, s", tracker, "scan_latency_s", MAX_LATENCY_S)
        _number("Requests per hour and key", tracker, "hourly_limit", MAX_HOURLY, make=int)
        ui.select(
            WORDS["styles"],
            value=tracker.error_style,
            label="Errors look like",
            on_change=lambda event: setattr(tracker, "error_style", event.value),
        ).style("min-width: 220px")


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
