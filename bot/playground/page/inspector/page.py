"""The inspector's page: a list that grows by itself, and what is behind each of its lines."""

from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments
from starlette.requests import Request

from bot.playground.page.inspector.entries import KINDS, all_entries, details, entry_rows
from bot.playground.page.tracker_pages.frame import INSPECTOR_MENU, draw_head, draw_title, here
from bot.playground.page.tracker_pages.paged_table import PagedTable, Query, Row
from bot.playground.page.tracker_pages.questions import answer_of
from bot.playground.sandbox import Sandbox

ALL = "all"
COLUMNS: list[dict[str, Any]] = [
    {"name": name, "label": label, "field": name, "align": "left"}
    for name, label in (
        ("time", "Time (UTC)"),
        ("kind", "Way"),
        ("what", "What"),
        ("who", "Who"),
        ("outcome", "Outcome"),
    )
]


def add(town: Sandbox) -> None:
    """Add the page under `/inspector`."""

    @ui.page("/inspector")
    def page(request: Request) -> None:
        draw_head("Inspector", INSPECTOR_MENU, here(request))
        with ui.column().classes("dt-page"):
            _draw(town)


def _draw(town: Sandbox) -> None:
    draw_title(
        "What Slack and the bot say to each other",
        "Newest first, and live. Press a line to see everything in it; keys and tokens are"
        " hidden.",
    )
    chosen = ui.toggle([ALL, *KINDS], value=ALL)
    chosen.props("no-caps unelevated dense padding='4px 12px'")

    def find(query: Query) -> tuple[list[Row], int]:
        kinds = KINDS if chosen.value == ALL else (chosen.value,)
        return entry_rows(town, frozenset(kinds), query)

    async def show(event: GenericEventArguments) -> None:
        await _show(town, event.args[1]["id"])

    listed = PagedTable(COLUMNS, find, search_label="Filter")
    chosen.on_value_change(listed.refresh)
    listed.table.props("dense").style("cursor: pointer").on(
        "rowClick", show, args=[[], ["id"], []]
    )


async def _show(town: Sandbox, entry_id: str) -> None:
    """Show what is behind a line until it is closed."""
    entry = next((each for each in all_entries(town) if each.id == entry_id), None)
    if entry is None:
        return
    with (
        ui.dialog().props("position=right full-height") as dialog,
        ui.card().style("width: 720px; max-width: 94vw; border-radius: 0"),
    ):
        with ui.row().classes("w-full items-center no-wrap"):
            ui.label(entry.kind).classes("text-lg")
            ui.space()
            ui.button(icon="close", on_click=dialog.close).props(
                'flat round dense aria-label="Close"'
            )
        for heading, text in details(entry):
            ui.label(heading).classes("dt-note")
            ui.label(text).classes("dt-code")
    await answer_of(dialog)
