"""The playground's clock: what time it is there, and how to move it ahead."""

from collections.abc import Callable
from datetime import time, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from nicegui import ui

from bot.playground.sandbox import MovableClock, Sandbox
from bot.playground.slack.model import PEOPLE_ZONE

LOOK_AGAIN_S = 1.0
MORNING = time(9)
Until = Callable[[MovableClock], timedelta]
MOVES: tuple[dict[str, Until], ...] = (
    {
        "+10 minutes": lambda _clock: timedelta(minutes=10),
        "+1 hour": lambda _clock: timedelta(hours=1),
        "+1 day": lambda _clock: timedelta(days=1),
        "+30 days": lambda _clock: timedelta(days=30),
    },
    {
        "To the next full hour": MovableClock.until_next_hour,
        f"To {MORNING:%H:%M} on the next weekday": lambda clock: clock.until_next_weekday(
            MORNING, ZoneInfo(PEOPLE_ZONE)
        ),
    },
)


def draw(town: Sandbox) -> None:
    """Draw the panel where the caller stands."""
    with ui.column().classes("gap-1"):
        now = (
            ui.label().classes("text-base font-medium").style("font-variant-numeric: tabular-nums")
        )
        here = ui.label().classes("text-xs")
        ahead = ui.label().classes("text-xs opacity-70")

        def look() -> None:
            now.text, here.text, ahead.text = clock_text(town), local_text(town), ahead_text(town)

        _draw_moves(town, look)
        note = "It only moves ahead: what has happened keeps its time. Start again to be back."
        ui.label(note).classes("text-xs opacity-70")
    look()
    ui.timer(LOOK_AGAIN_S, look)


def _draw_moves(town: Sandbox, look: Callable[[], None]) -> None:
    def move(until: Until) -> None:
        try:
            town.clock.move(until(town.clock))
        except ValueError as error:
            ui.notify(f"It cannot move: {error}.", type="negative")
        look()

    for moves in MOVES:
        with ui.row().classes("gap-1"):
            for label, until in moves.items():
                _button(label).on_click(partial(move, until))


def clock_text(town: Sandbox) -> str:
    """Return `Fri 20 Nov 2026, 08:03:47 UTC`."""
    now = town.clock()
    return f"{now:%a} {now.day} {now:%b %Y, %H:%M:%S} UTC"


def local_text(town: Sandbox) -> str:
    """Return what the clocks of the people show: `Fri 09:03 in Europe/Berlin`."""
    return f"{town.clock().astimezone(ZoneInfo(PEOPLE_ZONE)):%a %H:%M} in {PEOPLE_ZONE}"


def ahead_text(town: Sandbox) -> str:
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
