"""Tables: `table` as it comes, `data_table` sorted by any column and a page at a time.

https://docs.slack.dev/reference/block-kit/blocks/data-table-block

Sorting and paging happen here, and only the page that is seen goes to the browser: a table of 200
rows is as quick as one of ten, and its caption, header cells and order are plain HTML that screen
readers know.
"""

import html
from dataclasses import dataclass, replace
from typing import Any

from nicegui.events import GenericEventArguments

from bot.playground.page.drawing.buttons import button_class, press
from bot.playground.page.drawing.context import Json, Names, RenderContext, box, put
from bot.playground.page.drawing.fields import rich_text_words
from bot.playground.page.drawing.text import plain_words, rich_text_html

_ALIGNMENTS = {"left", "center", "right"}


def draw_table(sheet: RenderContext, block: Json) -> None:
    """Draw a table that neither sorts nor pages; it scrolls sideways where it is too wide."""
    put(
        table_html(block, sheet.names),
        "bk-table-frame",
        tabindex="0",
        role="region",
        aria_label="Table",
    )


def table_html(block: Json, names: Names) -> str:
    """Return the whole table; its first row is the header."""
    settings = block.get("column_settings") or []
    columns = [_cell_class(setting or {}) for setting in settings]

    def row(cells: list[Json], tag: str) -> str:
        scope = ' scope="col"' if tag == "th" else ""
        made = []
        for place, cell in enumerate(cells):
            css = columns[place] if place < len(columns) else ""
            made.append(f'<{tag}{scope} class="{css}">{cell_html(cell, names)}</{tag}>')
        return f"<tr>{''.join(made)}</tr>"

    head, *body = block["rows"]
    rows = "".join(row(cells, "td") for cells in body)
    return f'<table class="bk-table"><thead>{row(head, "th")}</thead><tbody>{rows}</tbody></table>'


def cell_html(cell: Json, names: Names) -> str:
    """Return what stands in a cell, other than a button."""
    if cell["type"] == "rich_text":
        return rich_text_html(cell, names)
    return html.escape(str(cell["text"]))


def _cell_class(setting: Json) -> str:
    align = setting.get("align")
    aligned = f"bk-{align}" if align in _ALIGNMENTS else "bk-left"
    return f"{aligned} bk-wrapped" if setting.get("is_wrapped") else aligned


_PAGE_SIZE = 5
# What was pressed in the table: one handler for all of it, however many cells there are.
_PRESSED = """(event) => {
    const pressed = event.target.closest('[data-do]');
    if (pressed) emit(pressed.dataset.do);
}"""


@dataclass(frozen=True, slots=True)
class Look:
    """What the reader made of the table: the column that sorts, its direction, the page."""

    column: int | None = None
    is_descending: bool = False
    page: int = 0

    def sorted_by(self, column: int) -> "Look":
        """Return the look after a column's title was pressed: up, then down, then as sent."""
        if self.column != column:
            return Look(column)
        return Look() if self.is_descending else Look(column, is_descending=True)


def draw_data_table(sheet: RenderContext, block: Json) -> None:
    """Draw the table, and follow what the reader presses in it."""
    look = Look()
    with box("bk-data-table"):
        frame = put(data_table_html(block, look, sheet.names))

    async def pressed(event: GenericEventArguments) -> None:
        nonlocal look
        what, _, number = str(event.args).partition(":")
        if what == "press":
            await _press_cell(sheet, block, number)
            return
        place = int(number)
        look = look.sorted_by(place) if what == "sort" else replace(look, page=place)
        frame.content = data_table_html(block, look, sheet.names)

    frame.on("click", pressed, js_handler=_PRESSED)


async def _press_cell(sheet: RenderContext, block: Json, number: str) -> None:
    row, _, column = number.partition(".")
    await press(sheet, block, block["rows"][int(row)][int(column)]["element"])


def data_table_html(block: Json, look: Look, names: Names) -> str:
    """Return one page of the table, with its pager where there are more."""
    size = int(block.get("page_size") or _PAGE_SIZE)
    order = row_order(block, look)
    shown = order[look.page * size : (look.page + 1) * size]
    body = "".join(_row_html(block, row, names) for row in shown)
    caption = f'<caption class="bk-caption">{html.escape(str(block["caption"]))}</caption>'
    return (
        f'<div class="bk-table-frame"><table class="bk-table">{caption}'
        f"<thead><tr>{_titles_html(block, look)}</tr></thead><tbody>{body}</tbody></table></div>"
        f"{_pager_html(len(order), size, look.page) if len(order) > size else ''}"
    )


def row_order(block: Json, look: Look) -> list[int]:
    """Return the numbers of the data rows as sorted: by value where a whole column has one."""
    rows = block["rows"]
    numbers = list(range(1, len(rows)))
    if look.column is None:
        return numbers
    column = look.column
    is_numeric = _is_numeric(block, column)

    def key(row: int) -> Any:
        cell = rows[row][column]
        return cell["value"] if is_numeric else cell_words(cell).casefold()

    return sorted(numbers, key=key, reverse=look.is_descending)


def cell_words(cell: Json) -> str:
    """Return the bare words of a cell of any kind."""
    if cell["type"] == "rich_text":
        return rich_text_words(cell)
    if cell["type"] == "action_cell":
        return plain_words(cell["element"]["text"])
    return str(cell["text"])


def _is_numeric(block: Json, column: int) -> bool:
    return all(row[column]["type"] == "raw_number" for row in block["rows"][1:])


def _titles_html(block: Json, look: Look) -> str:
    made = []
    for place, cell in enumerate(block["rows"][0]):
        order, arrow = "none", "↕"
        if look.column == place:
            order, arrow = ("descending", "↓") if look.is_descending else ("ascending", "↑")
        side = "bk-right" if _is_numeric(block, place) else "bk-left"
        made.append(
            f'<th scope="col" class="{side}" aria-sort="{order}">'
            f'<button type="button" class="bk-sort" data-do="sort:{place}">'
            f"{html.escape(cell_words(cell))}"
            f'<span class="bk-arrow" aria-hidden="true">{arrow}</span></button></th>'
        )
    return "".join(made)


def _row_html(block: Json, row: int, names: Names) -> str:
    heading = int(block.get("row_header_column_index") or 0)
    made = []
    for place, cell in enumerate(block["rows"][row]):
        tag, scope = ("th", ' scope="row"') if place == heading else ("td", "")
        side = "bk-right" if _is_numeric(block, place) else "bk-left"
        shown = _cell_html(cell, f"{row}.{place}", names)
        made.append(f'<{tag}{scope} class="{side}">{shown}</{tag}>')
    return f"<tr>{''.join(made)}</tr>"


def _cell_html(cell: Json, number: str, names: Names) -> str:
    if cell["type"] != "action_cell":
        return cell_html(cell, names)
    button = cell["element"]
    return (
        f'<button type="button" class="{button_class(button)} bk-small" data-do="press:{number}"'
        f' data-action-id="{html.escape(str(button.get("action_id", "")))}">'
        f"{html.escape(plain_words(button['text']))}</button>"
    )


def _pager_html(count: int, size: int, page: int) -> str:
    first, last = page * size + 1, min((page + 1) * size, count)
    back = _turn_html("←", "Previous rows", page - 1, is_possible=page > 0)
    on = _turn_html("→", "Next rows", page + 1, is_possible=last < count)
    where = f'<span role="status">{first}–{last} of {count}</span>'
    return f'<div class="bk-pager">{where}{back}{on}</div>'


def _turn_html(sign: str, words: str, page: int, *, is_possible: bool) -> str:
    state = "" if is_possible else " disabled"
    return (
        f'<button type="button" class="bk-turn" aria-label="{words}" data-do="page:{page}"{state}>'
        f'<span aria-hidden="true">{sign}</span></button>'
    )
