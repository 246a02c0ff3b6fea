"""Portfolio → API Keys: the keys of a portfolio; make one, see its value once, delete one."""

from datetime import datetime
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments
from starlette.requests import Request

from bot.playground.page.tracker_pages.frame import (
    TRACKER_MENU,
    draw_head,
    draw_title,
    here,
)
from bot.playground.page.tracker_pages.key_form import ask_for_key, draw_demo_key, show_once
from bot.playground.page.tracker_pages.moments import moment_text
from bot.playground.page.tracker_pages.paged_table import (
    PagedTable,
    Query,
    Row,
    rows_of,
)
from bot.playground.page.tracker_pages.questions import ask
from bot.playground.sandbox import Sandbox
from bot.playground.tracker import Account, KeyRecord

COLUMNS: list[dict[str, Any]] = [
    {"name": name, "label": label, "field": name, "align": "left"}
    for name, label in (
        ("name", "Name"),
        ("key", "Key"),
        ("scopes", "Scopes"),
        ("expires", "Expires"),
        ("ips", "IP restrictions"),
        ("used", "Last used"),
        ("condition", "Condition"),
    )
] + [{"name": "acts", "label": "", "field": "id", "align": "right"}]
ACTS_CELL = """
<q-td :props="props" style="white-space: nowrap">
  <q-btn v-if="props.row.is_unseen" flat dense no-caps size="sm" label="Show once"
         @click="$parent.$emit('reveal', props.row.id)" />
  <q-btn v-if="props.row.is_there" flat round dense size="sm" icon="delete_outline"
         :aria-label="'Delete ' + props.row.name" @click="$parent.$emit('remove', props.row.id)" />
</q-td>
"""


def add(town: Sandbox) -> None:
    """Add the page."""

    @ui.page("/tracker/keys")
    def page(request: Request) -> None:
        place = here(request, has_portfolio=True)
        draw_head("Domain Tracker", TRACKER_MENU, place)
        with ui.column().classes("dt-page"):
            _KeysPage(town, town.tracker.account(place.portfolio)).draw()


class _KeysPage:
    def __init__(self, town: Sandbox, account: Account) -> None:
        self._town = town
        self._account = account

    def draw(self) -> None:
        with ui.row().classes("w-full items-center"):
            draw_title(
                f"API keys of {self._account.name}",
                "Make one key for the Slack bot alone. A value is shown exactly once.",
            )
            ui.space()
            ui.button("Create key", icon="add", on_click=self._create).props("unelevated no-caps")
        if demo := self._town.keys.demo_of(self._account):
            draw_demo_key(demo)
        self._table = PagedTable(COLUMNS, self._find, search_label="Search names and scopes")
        table = self._table.table
        table.add_slot("body-cell-acts", ACTS_CELL)
        table.on("reveal", self._reveal)
        table.on("remove", self._remove)

    def _find(self, query: Query) -> tuple[list[Row], int]:
        return key_rows(self._town, self._account, query)

    async def _create(self) -> None:
        if made := await ask_for_key(self._account, self._town.clock().date()):
            self._table.refresh()
            await show_once(*made)

    async def _reveal(self, event: GenericEventArguments) -> None:
        record = self._account.find_key(event.args)
        value = self._town.keys.take(record) if record else None
        self._table.refresh()
        if record and value:
            await show_once(record.name, value)
        else:
            ui.notify("This value was shown already.", type="warning")

    async def _remove(self, event: GenericEventArguments) -> None:
        record = self._account.find_key(event.args)
        note = "Whatever still uses it is told “Invalid API key” from then on."
        if record and await ask(f"Delete the key “{record.name}”?", "Delete key", note):
            self._account.delete_key(record)
            self._table.refresh()


def key_rows(town: Sandbox, account: Account, query: Query) -> tuple[list[Row], int]:
    """Return the keys of a query, newest first; rows are known by their digest, never a value."""
    now = town.clock()
    records = account.keys[::-1]
    return rows_of(records, lambda record: _row(town, record, now), query, ("name", "scopes"))


def _row(town: Sandbox, record: KeyRecord, now: datetime) -> Row:
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
        "is_unseen": condition != "deleted" and town.keys.is_unseen(record),
    }
