"""Portfolio → API Keys: the keys of a portfolio; make one, see its value once, delete one."""

from datetime import datetime

from nicegui import ui
from nicegui.events import GenericEventArguments

from bot.playground.page.theme import MARKUP
from bot.playground.page.tracker_pages.frame import (
    Here,
    add_page,
    answer_of,
    columns,
    draw_title,
    moment_text,
)
from bot.playground.page.tracker_pages.paged_table import PagedTable, Query, Row, rows_of
from bot.playground.sandbox import Sandbox
from bot.playground.tracker import Account, KeyRecord
from bot.playground.tracker.keys import LIFETIMES_DAYS, SCOPES

EXPIRATIONS = {days: f"{days} days" for days in LIFETIMES_DAYS}
PROPOSED_SCOPES = ["read_domains", "write_domains"]


async def ask_for_key(account: Account) -> tuple[str, str] | None:
    """Return name and value of the key that was made, or None when the form was closed."""
    with ui.dialog() as dialog, ui.card().style("width: 460px"):
        ui.label("Create an API key").classes("text-lg")
        name = ui.input("Name").classes("w-full").props("autofocus")
        scopes = ui.select(list(SCOPES), value=PROPOSED_SCOPES, label="Scopes", multiple=True)
        scopes.classes("w-full").props("use-chips")
        lifetime = ui.select(EXPIRATIONS, value=LIFETIMES_DAYS[1], label="Expiration")
        lifetime.classes("w-full")
        ips = ui.input("IP restrictions", placeholder="none, or 203.0.113.7, 198.51.100.0/24")
        ips.classes("w-full")
        trouble = ui.label().classes("dt-poor")

        def save() -> None:
            addresses = ips.value.replace(",", " ").split()
            try:
                value = account.create_key(
                    name.value, scopes.value, days=lifetime.value, ips=addresses
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


COLUMNS = [
    *columns(
        name="Name",
        key="Key",
        scopes="Scopes",
        expires="Expires",
        ips="IP restrictions",
        used="Last used",
        condition="Condition",
    ),
    {"name": "acts", "label": "", "field": "id", "align": "right"},
]


def add(sandbox: Sandbox) -> None:
    def draw(here: Here) -> None:
        _draw(sandbox, sandbox.tracker.account(here.portfolio))

    add_page("/tracker/keys", draw, has_portfolio=True)


def _draw(sandbox: Sandbox, account: Account) -> None:
    async def create() -> None:
        if made := await ask_for_key(account):
            listed.refresh()
            await show_once(*made)

    def remove(event: GenericEventArguments) -> None:
        if record := account.find_key(event.args):
            account.delete_key(record)
            listed.refresh()

    with ui.row().classes("w-full items-center"):
        draw_title(
            f"API keys of {account.name}",
            "Make one key for the Slack bot alone. A value is shown exactly once.",
        )
        ui.space()
        ui.button("Create key", icon="add", on_click=create).props("unelevated no-caps")
    draw_demo_key(sandbox.demo_keys[account.name])
    listed = PagedTable(
        COLUMNS,
        lambda query: key_rows(account, sandbox.clock(), query),
        search_label="Search names and scopes",
    )
    listed.table.add_slot("body-cell-acts", MARKUP["acts_cell"])
    listed.table.on("remove", remove)


def key_rows(account: Account, now: datetime, query: Query) -> tuple[list[Row], int]:
    """Return the keys of a query, newest first; rows are known by their digest, never a value."""
    return rows_of(account.keys[::-1], lambda key: _row(key, now), query, ("name", "scopes"))


def _row(record: KeyRecord, now: datetime) -> Row:
    condition = record.condition(now)
    return {
        "id": record.digest,
        "name": record.name,
        "key": f"service_sk_…{record.last4}",
        "scopes": ", ".join(record.scopes),
        "expires": moment_text(record.expires_at) if record.expires_at else "never",
        "ips": ", ".join(record.ips) or "none",
        "used": moment_text(record.last_used_at) if record.last_used_at else "never",
        "condition": condition,
        "is_there": condition != "deleted",
    }
