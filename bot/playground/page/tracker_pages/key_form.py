"""The form that makes an API key, and the only sight of its value."""

from datetime import date, timedelta
from typing import Any

from nicegui import ui

from bot.playground.page.tracker_pages.questions import answer_of
from bot.playground.tracker import Account
from bot.playground.tracker.keys import LIFETIMES_DAYS, SCOPES

A_DATE = "date"
EXPIRATIONS: dict[int | str, str] = {days: f"{days} days" for days in LIFETIMES_DAYS} | {
    A_DATE: "A date…"
}
PROPOSED_SCOPES = ["read_domains", "write_domains"]


async def ask_for_key(account: Account, today: date) -> tuple[str, str] | None:
    """Return name and value of the key that was made, or None when the form was closed."""
    with ui.dialog() as dialog, ui.card().style("width: 460px"):
        ui.label("Create an API key").classes("text-lg")
        name = ui.input("Name").classes("w-full").props("autofocus")
        scopes = ui.select(list(SCOPES), value=PROPOSED_SCOPES, label="Scopes", multiple=True)
        scopes.classes("w-full").props("use-chips")
        lifetime = ui.select(EXPIRATIONS, value=LIFETIMES_DAYS[1], label="Expiration")
        lifetime.classes("w-full")
        day = ui.input("Works through this day", value=str(today + timedelta(days=90)))
        day.props("type=date stack-label").classes("w-full")
        day.bind_visibility_from(lifetime, "value", lambda chosen: chosen == A_DATE)
        ips = ui.input("IP restrictions", placeholder="none, or 203.0.113.7, 198.51.100.0/24")
        ips.classes("w-full")
        trouble = ui.label().classes("dt-poor")

        def save() -> None:
            try:
                value = make_key(
                    account, name.value, scopes.value, lifetime.value, day.value, ips.value
                )
            except ValueError as error:
                trouble.text = f"Not made: {error}."
            else:
                dialog.submit((name.value.strip(), value))

        with ui.row().classes("w-full justify-end"):
            ui.button("Cancel", on_click=dialog.close).props("flat no-caps")
            ui.button("Create", on_click=save).props("unelevated no-caps")
    made: tuple[str, str] | None = await answer_of(dialog)
    return made


def make_key(
    account: Account, name: str, scopes: list[str], lifetime: int | str, day: str, ips: str
) -> str:
    """Make a key of what was typed and return its value.

    Raises:
        ValueError: the sentence says what is wrong.
    """
    when: dict[str, Any] = {"days": lifetime}
    if lifetime == A_DATE:
        when = {"days": None, "expires_on": _day(day)}
    addresses = [part for part in ips.replace(",", " ").split() if part]
    return account.create_key(name, scopes, ips=addresses, **when)


def _day(typed: str) -> date:
    try:
        day = date.fromisoformat(typed)
    except (TypeError, ValueError):
        raise ValueError("pick the day of its expiration") from None
    if day.year > 9000:
        raise ValueError("that day is too far away")
    return day


async def show_once(name: str, value: str) -> None:
    """Show the value of a key until it is put away; then it is nowhere in the page."""
    with (
        ui.dialog().props("persistent") as dialog,
        ui.card().style("width: 560px; max-width: 92vw"),
    ):
        ui.label(f"The value of “{name}”").classes("text-lg")
        with ui.row().classes("w-full items-center no-wrap"):
            ui.label(value).classes("dt-code").mark("key-value")
            ui.button(icon="content_copy", on_click=lambda: _copy(value)).props(
                'flat round aria-label="Copy the key"'
            )
        ui.label("Copy it now: it is never shown again.").classes("dt-note")
        with ui.row().classes("w-full justify-end"):
            ui.button("I have copied it", on_click=dialog.close).props("unelevated no-caps")
    await answer_of(dialog)


def draw_demo_key(value: str) -> None:
    """Offer the key that is always at hand, so that a newcomer can connect within a minute."""
    with ui.row().classes("items-center gap-2"):
        ui.label("In a hurry? This portfolio's demo key:").classes("dt-note")
        ui.label(f"{value[:15]}…{value[-4:]}").classes("dt-code")
        ui.button("Copy", icon="content_copy", on_click=lambda: _copy(value)).props(
            "flat dense no-caps size=sm"
        )


def _copy(value: str) -> None:
    ui.clipboard.write(value)
    ui.notify("Copied.", type="positive")
