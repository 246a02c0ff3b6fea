"""What the local Slack refused, in red: nobody would see this in Slack."""

from collections.abc import Iterable

from nicegui import ui


def draw_refusal(code: str, details: Iterable[str], what: str) -> None:
    """Draw Slack's word for it and each reason with its JSON pointer; `what` was refused."""
    with ui.element("div").classes("sk-refused").props("role=note aria-label=Refused"):
        ui.label(f"Slack refused this: {code}").classes("sk-refused-code")
        for line in details:
            ui.label(line).classes("sk-refused-line")
        ui.label(f"{what} · in Slack nobody would see this").classes("sk-quiet")
