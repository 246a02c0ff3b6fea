"""`table`: rows as they come.

https://docs.slack.dev/reference/block-kit/blocks/table-block
"""

import html

from bot.playground.page.drawing.parts import put
from bot.playground.page.drawing.rich_text import rich_text_html
from bot.playground.page.drawing.sheet import Json, Names, Sheet

_ALIGNMENTS = {"left", "center", "right"}


def draw_table(sheet: Sheet, block: Json) -> None:
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
