"""The playground's clock: what time it is there, and how to move it ahead."""

from datetime import timedelta

from nicegui import ui

from bot.playground.town import Town

LOOK_AGAIN_S = 1.0


def draw(town: Town) -> None:
    """Draw the panel where the caller stands."""
    with ui.column().classes("gap-1"):
        now = (
            ui.label().classes("text-base font-medium").style("font-variant-numeric: tabular-nums")
        )
        ahead = ui.label().classes("text-xs opacity-70")

        def look() -> None:
            now.text = clock_text(town)
            ahead.text = ahead_text(town)

        def move(by: timedelta) -> None:
            try:
                town.clock.move(by)
            except ValueError as error:
                ui.notify(f"It cannot move: {error}.", type="negative")
            look()

        with ui.row().classes("gap-1"):
            for label, by in (("+1 hour", timedelta(hours=1)), ("+1 day", timedelta(days=1))):
                _button(label).on_click(lambda by=by: move(by))
            _button("To the next full hour").on_click(lambda: move(town.clock.until_next_hour()))
        note = "It only moves ahead: what has happened keeps its time. Start again to be back."
        ui.label(note).classes("text-xs opacity-70")
    look()
    ui.timer(LOOK_AGAIN_S, look)


def clock_text(town: Town) -> str:
    """Return `Fri 20 Nov 2026, 08:03:47 UTC`."""
    now = town.clock()
    return f"{now:%a} {now.day} {now:%b %Y, %H:%M:%S} UTC"


def ahead_text(town: Town) -> str:
    """Return how far the playground is ahead of the real time."""
    minutes = round(town.clock.ahead.total_seconds() / 60)
    if not minutes:
        return "The real time"
    days, rest = divmod(minutes, 24 * 60)
    hours, minutes = divmod(rest, 60)
    parts = ((days, "d"), (hours, "h"), (minutes, "min"))
    return "Ahead by " + " ".join(f"{count} {unit}" for count, unit in parts if count)


def _button(label: str) -> ui.button:
    return ui.button(label).props("outline dense no-caps size=sm padding='2px 8px'")
