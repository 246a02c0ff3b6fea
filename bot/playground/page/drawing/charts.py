"""`data_visualization` as an ECharts picture: the lines and bars that the bot sends.

https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block
"""

import html
import json
from collections.abc import Iterator
from pathlib import Path

from nicegui import ui

from bot.playground.page.drawing.context import Json, RenderContext, box, put

# The colours are distinct on a white and on a dark page, also for most who see fewer of them.
_LOOK: Json = json.loads(Path(__file__).with_name("charts.json").read_text("utf-8"))
_HEIGHT_PX = 260


def draw_chart(_context: RenderContext, block: Json) -> None:
    """Draw a chart under its title, with its numbers in a table for those who cannot see it."""
    title, options = str(block["title"]), chart_options(block["chart"])
    with box("bk-chart", role="figure", aria_label=title):
        put(html.escape(title), "bk-strong")
        # SVG: its texts take their colour from the page, which may turn dark.
        chart = ui.echart(options, renderer="svg")
        chart.classes("bk-chart-picture").style(f"height: {_HEIGHT_PX}px")
        chart.props["aria-hidden"] = "true"
        put(numbers_html(block["chart"], title), "bk-unseen")


def chart_options(chart: Json) -> Json:
    """Return what ECharts wants to know; see https://echarts.apache.org/en/option.html.

    Raises: KeyError, if it is of a kind that the bot does not send.
    """
    kind, axes = _LOOK[{"line": "line", "bar": "bar"}[chart["type"]]], chart["axis_config"]
    x_label, y_label = axes.get("x_label", ""), axes.get("y_label", "")
    values = [value for _, _, value in _points(chart)]
    is_bar = chart["type"] == "bar"
    # At the edge the last label of a line would be cut off.
    edges = {} if is_bar or len(axes["categories"]) == 1 else _LOOK["edges"]
    x_own = {"data": axes["categories"], "name": x_label, "boundaryGap": is_bar}
    # Only lines may leave zero out, as those who drew Slack's charts again found:
    # https://github.com/themashcodee/slack-blocks-to-jsx/pull/91.
    y_own = {"name": y_label, "scale": not is_bar and len(set(values)) > 1}
    # The title of the axis stands beyond its longest number.
    gap_px = 20 + 7 * max(len(f"{value:,.0f}") for value in values)
    room = {"left": 24 if y_label else 8, "bottom": 60 if x_label else 36}
    return {
        **_LOOK["shared"],
        "grid": _LOOK["grid"] | room,
        "xAxis": {**_LOOK["xAxis"], **x_own, "axisLabel": {"hideOverlap": True, **edges}},
        "yAxis": {**_LOOK["yAxis"], **y_own, "nameGap": gap_px},
        "series": [kind | _series(axes["categories"], one) for one in chart["series"]],
    }


def _series(categories: list[str], series: Json) -> Json:
    values = {point["label"]: point["value"] for point in series["data"]}
    return {"name": series["name"], "data": [values.get(label) for label in categories]}


def numbers_html(chart: Json, title: str) -> str:
    """Return the chart's numbers as a table."""
    rows = "".join(
        f'<tr><th scope="row">{html.escape(name)}</th>'
        f"<td>{html.escape(label)}</td><td>{html.escape(str(value))}</td></tr>"
        for name, label, value in _points(chart)
    )
    return f"<table><caption>{html.escape(title)}</caption>{rows}</table>"


def _points(chart: Json) -> Iterator[tuple[str, str, float]]:
    for series in chart["series"]:
        for point in series["data"]:
            yield series["name"], point["label"], point["value"]
