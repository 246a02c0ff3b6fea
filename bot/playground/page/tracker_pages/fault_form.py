"""The part of the knobs that orders faults."""

from nicegui import ui

from bot.playground.tracker import Tracker
from bot.playground.tracker.answers import MESSAGES
from bot.playground.tracker.service import ENDPOINTS

EVERY = 1_000_000_000  # more requests than a playground lives to see
FAULTS = dict(MESSAGES) | {
    "500": "500, an error as JSON",
    "502": "502, Bad Gateway",
    "503": "503, Service Unavailable",
    "html_500": "500, an error as HTML",
    "html_200": "200, a sign-in page as HTML",
    "empty_200": "200, nothing in it",
    "foreign_json": "200, JSON of another shape",
    "truncated": "Half of the JSON",
    "cut_off": "Ends before its announced length",
    "slow_drip": "Byte by byte",
    "drop": "Connection dropped, nothing done",
    "drop_after": "Done, then the connection dropped",
    "huge": "100 MB",
    "redirect": "Redirect to elsewhere",
}
ANY = "any"
PLACES = {ANY: "Any request", "list": "Listing", "add": "Adding", "scan": "Scanning"}


def draw_fault_form(tracker: Tracker) -> None:
    """Draw the form."""
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
    """Order a fault; return what is told about it."""
    count = int(times or 0)
    if count < 1:
        return "Say how many requests."
    tracker.fail_next(kind, count, place if place in ENDPOINTS else None)
    which = {"list": "listing ", "add": "adding ", "scan": "scanning "}.get(place, "")
    if count >= EVERY:
        return f"From now on every {which}request gets: {FAULTS[kind]}."
    noun = "request gets" if count == 1 else f"{count} requests get"
    return f"The next {which}{noun}: {FAULTS[kind]}. Faults happen in the order you ask for them."
