"""`data_table`, which sorts, and `data_visualization` as an ECharts picture.

https://docs.slack.dev/reference/block-kit/blocks/data-table-block and /data-visualization-block.
A table is HTML that screen readers know.
"""

import html
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from bot.playground.page.drawing.context import Json, RenderContext, box, put
from bot.playground.page.drawing.mrkdwn import link_html
from bot.playground.page.theme import MARKUP


@dataclass(frozen=True, slots=True)
class Look:
    """What the reader made of the table: the column that sorts, and its direction."""

    column: int | None = None
    is_descending: bool = False

    def sorted_by(self, column: int) -> "Look":
        """Return the look after a column's title was pressed: up, then down, then as sent."""
        if self.column != column:
            return Look(column)
        return Look() if self.is_descending else Look(column, is_descending=True)


def draw_data_table(_context: RenderContext, block: Json) -> None:
    """Draw the table, and follow what the reader presses in it."""
    look = Look()
    with box("bk-data-table"):
        frame = put(data_table_html(block, look))

    async def pressed(event: GenericEventArguments) -> None:
        nonlocal look
        look = look.sorted_by(int(event.args))
        frame.content = data_table_html(block, look)

    frame.on("click", pressed, js_handler=MARKUP["pressed_in_table"])


def data_table_html(block: Json, look: Look) -> str:
    """Return the table as the reader has sorted it: the bot sends all of it as one page."""
    body = "".join(_row_html(block, row) for row in row_order(block, look))
    caption = f'<caption class="bk-caption">{html.escape(str(block["caption"]))}</caption>'
    return (
        f'<div class="bk-table-frame"><table class="bk-table">{caption}'
        f"<thead><tr>{_titles_html(block, look)}</tr></thead><tbody>{body}</tbody></table></div>"
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
        return cell["value"] if is_numeric else str(_words(cell)["text"]).casefold()

    return sorted(numbers, key=key, reverse=look.is_descending)


def _words(cell: Json) -> Json:
    """Return the object with the text of a cell: the bot's rich text is one link."""
    rich: Json = cell["elements"][0]["elements"][0] if cell["type"] == "rich_text" else cell
    return rich


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
            f'<button type="button" class="bk-sort" data-sort="{place}">'
            f"{html.escape(str(cell['text']))}"
            f'<span class="bk-arrow" aria-hidden="true">{arrow}</span></button></th>'
        )
    return "".join(made)


def _row_html(block: Json, row: int) -> str:
    heading = int(block.get("row_header_column_index") or 0)
    made = []
    for place, cell in enumerate(block["rows"][row]):
        tag, scope = ("th", ' scope="row"') if place == heading else ("td", "")
        side = "bk-right" if _is_numeric(block, place) else "bk-left"
        words = _words(cell)
        shown = html.escape(str(words["text"]))
        shown = link_html(str(words["url"]), shown) if "url" in words else shown
        made.append(f'<{tag}{scope} class="{side}">{shown}</{tag}>')
    return f"<tr>{''.join(made)}</tr>"


# The colours are distinct on a white and on a dark page, also for most who see fewer of them.
_LOOK: Json = json.loads(Path(__file__).with_name("charts.json").read_text("utf-8"))
_HEIGHT_PX = 260


def draw_chart(_context: RenderContext, block: Json) -> None:
    """Draw a chart under its title."""
    title, options = str(block["title"]), chart_options(block["chart"])
    with box("bk-chart", role="figure", aria_label=title):
        put(html.escape(title), "bk-strong")
        # SVG: its texts take their colour from the page, which may turn dark.
        chart = ui.echart(options, renderer="svg")
        chart.classes("bk-chart-picture").style(f"height: {_HEIGHT_PX}px")


def chart_options(chart: Json) -> Json:
    """Return what ECharts wants to know; see https://echarts.apache.org/en/option.html."""
    kind, axes = _LOOK[chart["type"]], chart["axis_config"]
    values = [point["value"] for series in chart["series"] for point in series["data"]]
    # Lines may leave zero out, as those who drew Slack's charts again found:
    # https://github.com/themashcodee/slack-blocks-to-jsx/pull/91.
    y_own = {"name": axes.get("y_label", ""), "scale": len(set(values)) > 1}
    # The title of the axis stands beyond its longest number.
    gap_px = 20 + 7 * max(len(f"{value:,.0f}") for value in values)
    return {
        **_LOOK["shared"],
        "grid": _LOOK["grid"],
        "xAxis": {**_LOOK["xAxis"], "data": axes["categories"]},
        "yAxis": {**_LOOK["yAxis"], **y_own, "nameGap": gap_px},
        "series": [kind | _series(axes["categories"], one) for one in chart["series"]],
    }


def _series(categories: list[str], series: Json) -> Json:
    values = {point["label"]: point["value"] for point in series["data"]}
    return {"name": series["name"], "data": [values.get(label) for label in categories]}
