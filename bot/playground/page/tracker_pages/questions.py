"""Questions before something is ended for good, and the end of every dialog."""

from typing import Any

from nicegui import ui


async def ask(question: str, yes: str, note: str = "") -> bool:
    """Return whether the reader pressed `yes`; closing the question means no."""
    with ui.dialog() as dialog, ui.card().style("max-width: 460px"):
        ui.label(question).classes("text-lg")
        if note:
            ui.label(note).classes("dt-note")
        with ui.row().classes("w-full justify-end"):
            ui.button("Cancel", on_click=dialog.close).props("flat no-caps")
            ui.button(yes, on_click=lambda: dialog.submit(yes)).props(
                "unelevated no-caps color=negative"
            )
    return await answer_of(dialog) is not None


async def answer_of(dialog: ui.dialog) -> Any:
    """Return what a dialog was closed with, None for nothing; it is gone from the page then."""
    answer = await dialog
    if not dialog.is_deleted:  # with the whole page, when that was closed first
        dialog.delete()
    return answer
