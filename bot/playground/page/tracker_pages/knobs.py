"""The page with what makes the service slow, strict or faulty."""

from collections.abc import Callable

from nicegui import ui
from starlette.requests import Request

from bot.playground.page.tracker_pages.fault_form import draw_fault_form
from bot.playground.page.tracker_pages.frame import TRACKER_MENU, draw_head, draw_title, here
from bot.playground.page.tracker_pages.slack_faults import draw_slack_faults
from bot.playground.sandbox import Sandbox
from bot.playground.tracker import Tracker
from bot.playground.tracker.answers import ERROR_STYLES

MAX_LATENCY_S = 120.0
MAX_HOURLY = 1_000_000
STYLE_WORDS = {
    "json": '{"error": "…"}',
    "nested": "a code and a message",
    "deep": "deep inside a list",
    "upper": "in capitals",
    "plain": "plain text",
    "html": "a page of HTML",
}


def add(town: Sandbox) -> None:
    """Add the page."""

    @ui.page("/tracker/knobs")
    def page(request: Request) -> None:
        draw_head("Domain Tracker", TRACKER_MENU, here(request))
        with ui.column().classes("dt-page"):
            draw_title(
                "Knobs", "Make the service or Slack slow, strict or faulty, and watch the bot."
            )
            with ui.card().classes("dt-card"):
                _draw_settings(town.tracker)
            with ui.card().classes("dt-card"):
                draw_fault_form(town.tracker)
            with ui.card().classes("dt-card"):
                draw_slack_faults(town.slack)


def _draw_settings(tracker: Tracker) -> None:
    ui.label("Speed and limits").classes("text-lg")
    with ui.row().classes("w-full items-start"):
        _number("Every request takes, s", tracker, "latency_s", MAX_LATENCY_S)
        _number("A scan takes in addition, s", tracker, "scan_latency_s", MAX_LATENCY_S)
        _number("Requests per hour and key", tracker, "hourly_limit", MAX_HOURLY, make=int)
        ui.select(
            {style: STYLE_WORDS.get(style, style) for style in ERROR_STYLES},
            value=tracker.error_style,
            label="Errors look like",
            on_change=lambda event: setattr(tracker, "error_style", event.value),
        ).style("min-width: 220px")


def _number(
    label: str,
    tracker: Tracker,
    name: str,
    most: float,
    make: Callable[[float], float] = float,
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
