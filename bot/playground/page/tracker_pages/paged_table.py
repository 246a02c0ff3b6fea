"""A table of which the browser holds one page only, so that ten thousand rows stay fluent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from nicegui import ui
from nicegui.events import GenericEventArguments

Row = dict[str, Any]
T = TypeVar("T")

ROWS_PER_PAGE = 25
LOOK_AGAIN_S = 1.0


@dataclass(frozen=True)
class Query:
    """What the reader asks for; `words` are in lower case."""

    words: str = ""
    sort_by: str = ""
    is_descending: bool = False
    first: int = 0
    count: int = ROWS_PER_PAGE


def matching(rows: Sequence[Row], words: str, names: Sequence[str]) -> list[Row]:
    """Return the rows in whose fields of these names every one of the words occurs."""
    wanted = words.split()
    texts = (" ".join(str(row[name]) for name in names).lower() for row in rows)
    return [row for row, text in zip(rows, texts, strict=True) if all(w in text for w in wanted)]


def page_of(rows: Sequence[T], query: Query) -> tuple[list[T], int]:
    """Return the part of the rows that a query is about, and how many there are in all."""
    first = query.first if query.first < len(rows) else 0
    return list(rows[first : first + query.count]), len(rows)


def rows_of(
    things: Sequence[T],
    row: Callable[[T], Row],
    query: Query,
    names: Sequence[str],
    orders: Mapping[str, Callable[[T], Any]] | None = None,
) -> tuple[list[Row], int]:
    """Return the rows of a query, searched in these fields and in one of these orders."""
    if order := (orders or {}).get(query.sort_by):
        things = sorted(things, key=order)
    if query.is_descending:
        things = things[::-1]
    if query.words.strip():
        return page_of(matching([row(thing) for thing in things], query.words, names), query)
    shown, total = page_of(things, query)
    return [row(thing) for thing in shown], total


class PagedTable:
    """Shows the rows that `find` returns and counts, and looks again each second."""

    def __init__(
        self,
        columns: list[Row],
        find: Callable[[Query], tuple[list[Row], int]],
        sort_by: str = "",
        *,
        search_label: str = "Search",
    ) -> None:
        self._find = find
        self._words = ""
        self.search = ui.input(search_label, on_change=self._searched)
        self.search.props('dense outlined clearable debounce=250 type="search"').classes("w-full")
        self.table = ui.table(
            columns=columns,
            rows=[],
            pagination={
                "sortBy": sort_by,
                "descending": False,
                "page": 1,
                "rowsPerPage": ROWS_PER_PAGE,
                "rowsNumber": 0,
            },
        )
        self.table.props(
            'flat binary-state-sort :rows-per-page-options="[25, 50, 100]"'
            ' no-data-label="Nothing here yet"'
        ).classes("dt-card dt-wrap")
        self.table.on("request", self._requested, args=["pagination"])
        self.refresh()
        ui.timer(LOOK_AGAIN_S, self.refresh)

    def refresh(self) -> None:
        """Look again, and redraw if anything is different."""
        rows, total = self._find(self._query())
        pagination = self.table.pagination | {"rowsNumber": total}
        if self.table.rows == rows and self.table.pagination == pagination:
            return
        self.table.pagination = pagination
        self.table.rows = rows

    def _query(self) -> Query:
        asked = self.table.pagination
        count = int(asked["rowsPerPage"])
        return Query(
            words=self._words,
            sort_by=str(asked.get("sortBy") or ""),
            is_descending=bool(asked.get("descending")),
            first=(int(asked["page"]) - 1) * count,
            count=count,
        )

    def _requested(self, event: GenericEventArguments) -> None:
        self.table.pagination = self.table.pagination | event.args["pagination"]
        self.refresh()

    def _searched(self) -> None:
        self._words = str(self.search.value or "").lower()
        self.table.pagination = self.table.pagination | {"page": 1}
        self.refresh()
