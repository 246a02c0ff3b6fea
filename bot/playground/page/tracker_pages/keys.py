"""Portfolio → API Keys: the keys of a portfolio; make one, see its value once, delete one."""

from datetime import date, datetime, timedelta
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from bot.playground.page.theme import MARKUP
from bot.playground.page.tracker_pages.frame import (
    Here,
    add_page,
    answer_of,
    ask,
    columns,
    draw_title,
    moment_text,
)
from bot.playground.page.tracker_pages.paged_table import PagedTable, Query, Row, rows_of
from bot.playground.sandbox import Sandbox
from bot.playground.tracker import Account, KeyRecord
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
        _KeysPage(sandbox, sandbox.tracker.account(here.portfolio)).draw()

    add_page("/tracker/keys", draw, has_portfolio=True)


class _KeysPage:
    def __init__(self, sandbox: Sandbox, account: Account) -> None:
        self._sandbox = sandbox
        self._account = account

    def draw(self) -> None:
        with ui.row().classes("w-full items-center"):
            draw_title(
                f"API keys of {self._account.name}",
                "Make one key for the Slack bot alone. A value is shown exactly once.",
            )
            ui.space()
            ui.button("Create key", icon="add", on_click=self._create).props("unelevated no-caps")
        if demo := self._sandbox.keys.demo_of(self._account):
            draw_demo_key(demo)
        self._table = PagedTable(COLUMNS, self._find, search_label="Search names and scopes")
        table = self._table.table
        table.add_slot("body-cell-acts", MARKUP["acts_cell"])
        table.on("reveal", self._reveal)
        table.on("remove", self._remove)

    def _find(self, query: Query) -> tuple[list[Row], int]:
        return key_rows(self._sandbox, self._account, query)

    async def _create(self) -> None:
        if made := await ask_for_key(self._account, self._sandbox.clock().date()):
            self._table.refresh()
            await show_once(*made)

    async def _reveal(self, event: GenericEventArguments) -> None:
        record = self._account.find_key(event.args)
        value = self._sandbox.keys.take(record) if record else None
        self._table.refresh()
        if record and value:
            await show_once(record.name, value)
        else:
            ui.notify("This value was shown already.", type="warning")

    async def _remove(self, event: GenericEventArguments) -> None:
        record = self._account.find_key(event.args)
        note = "Whatever still uses it gets “Invalid API key” from then on."
        if record and await ask(f"Delete the key “{record.name}”?", "Delete key", note):
            self._account.delete_key(record)
            self._table.refresh()


def key_rows(sandbox: Sandbox, account: Account, query: Query) -> tuple[list[Row], int]:
    """Return the keys of a query, newest first; rows are known by their digest, never a value."""
    now = sandbox.clock()
    records = account.keys[::-1]
    return rows_of(records, lambda record: _row(sandbox, record, now), query, ("name", "scopes"))


def _row(sandbox: Sandbox, record: KeyRecord, now: datetime) -> Row:
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
        "is_unseen": condition != "deleted" and sandbox.keys.is_unseen(record),
    }
