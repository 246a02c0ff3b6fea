"""The page with the domains of a portfolio: look, search, sort, change scores, add, remove."""

from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments
from starlette.requests import Request

from bot.playground.page.tracker_pages.domain_form import ask_for_domain
from bot.playground.page.tracker_pages.frame import (
    TRACKER_MENU,
    draw_head,
    draw_title,
    here,
)
from bot.playground.page.tracker_pages.paged_table import PagedTable
from bot.playground.page.tracker_pages.portfolio_rows import domain_rows, score_from
from bot.playground.page.tracker_pages.questions import ask
from bot.playground.sandbox import Sandbox
from bot.playground.tracker import Account

COLUMNS: list[dict[str, Any]] = [
    {"name": name, "label": label, "field": name, "align": "left", "sortable": True}
    for name, label in (
        ("domain", "Domain"),
        ("score", "Health score"),
        ("type", "Type"),
        ("folder", "Folder"),
        ("tags", "Tags"),
    )
] + [{"name": "remove", "label": "", "field": "id", "align": "right"}]
# Vue templates: https://quasar.dev/vue-components/table#body-slots. What is between double braces
# is shown as text, whatever it holds.
SCORE_CELL = """
<q-td :props="props">
  <span :class="'dt-band dt-edit dt-' + props.row.band" tabindex="0" role="button"
        :aria-label="'Change the score of ' + props.row.domain">
    {{ props.row.mark }} {{ props.row.score ?? 'none' }}
  </span>
  <q-popup-edit :model-value="props.row.score" v-slot="scope" buttons label-set="Save"
                @save="value => $parent.$emit('score', {id: props.row.id, value: value})">
    <q-input v-model="scope.value" type="number" min="0" max="100" step="any" dense autofocus
             label="Health score" hint="0 to 100, or empty: the service has none"
             style="min-width: 250px" @keyup.enter="scope.set" />
  </q-popup-edit>
</q-td>
"""
REMOVE_CELL = """
<q-td :props="props">
  <q-btn flat round dense size="sm" icon="delete_outline"
         :aria-label="'Remove ' + props.row.domain"
         @click="$parent.$emit('remove', props.row.id)" />
</q-td>
"""


def add(town: Sandbox) -> None:
    """Add the page."""

    @ui.page("/tracker")
    def page(request: Request) -> None:
        place = here(request, has_portfolio=True)
        draw_head("Domain Tracker", TRACKER_MENU, place)
        with ui.column().classes("dt-page"):
            _DomainsPage(town.tracker.account(place.portfolio)).draw()


class _DomainsPage:
    def __init__(self, account: Account) -> None:
        self._account = account

    def draw(self) -> None:
        with ui.row().classes("w-full items-center"):
            draw_title(
                f"Domains of {self._account.name}",
                "Click a score to change it: the next list or scan in Slack sees it.",
            )
            ui.space()
            ui.button("Add domain", icon="add", on_click=self._add).props("unelevated no-caps")
        self._table = PagedTable(
            COLUMNS,
            lambda query: domain_rows(self._account, query),
            "domain",
            search_label="Search names, folders, types and tags",
        )
        table = self._table.table
        table.add_slot("body-cell-score", SCORE_CELL)
        table.add_slot("body-cell-remove", REMOVE_CELL)
        table.on("score", self._set_score)
        table.on("remove", self._remove)

    def _set_score(self, event: GenericEventArguments) -> None:
        record = self._account.domains.get(event.args["id"])
        if record is None:
            ui.notify("That domain is gone.", type="warning")
            return
        try:
            record.health = score_from(event.args["value"])
        except ValueError as error:
            ui.notify(str(error), type="negative")
        self._table.refresh()

    async def _add(self) -> None:
        if name := await ask_for_domain(self._account):
            ui.notify(f"{name} is in the portfolio.", type="positive")
            self._table.refresh()

    async def _remove(self, event: GenericEventArguments) -> None:
        record = self._account.domains.get(event.args)
        if record and await ask(f"Remove {record.domain} from the portfolio?", "Remove"):
            self._account.domains.pop(record.domain_id, None)
            self._table.refresh()
