"""`data_visualization` as an ECharts picture.

https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block
"""

import html
from collections.abc import Iterator

from nicegui import ui

from bot.playground.page.drawing.context import Json, RenderContext, box, put

# Distinct on a white and on a dark page, also for most people who see fewer colours.
_COLORS = [
    "#1d9bd1", "#e8912d", "#2bac76", "#cd2553", "#7c5cde", "#c6a700",
    "#0f8f8c", "#e36bae", "#6b8e23", "#8c6d5a", "#4a69d4", "#8a8f98",
]  # fmt: skip
_LINES = "rgba(128, 128, 128, 0.28)"
_HEIGHT_PX = 260


def draw_chart(_context: RenderContext, block: Json) -> None:
    """Draw a chart under its title, with its numbers in a table for those who cannot see it."""
    title = str(block["title"])
    with box("bk-chart", role="figure", aria_label=title):
        put(html.escape(title), "bk-strong")
        # SVG: its texts take their colour from the page, which may turn dark.
        chart = ui.echart(chart_options(block["chart"]), renderer="svg")
        chart.classes("bk-chart-picture").style(f"height: {_HEIGHT_PX}px")
        chart.props["aria-hidden"] = "true"
        put(numbers_html(block["chart"], title), "bk-unseen")


def chart_options(chart: Json) -> Json:
    """Return what ECharts wants to know; see https://echarts.apache.org/en/option.html."""
    shared: Json = {
        "color": _COLORS,
        "animation": False,
        "textStyle": {"fontFamily": "inherit", "fontSize": 12},
        "tooltip": {
            "trigger": "item" if chart["type"] == "pie" else "axis",
            "className": "bk-tooltip",
            "confine": True,
        },
        "legend": {"bottom": 0, "type": "scroll", "icon": "circle", "itemWidth": 10},
    }
    if chart["type"] == "pie":
        return shared | _pie(chart)
    if chart["type"] in ("line", "bar", "area"):
        return shared | _axes(chart)
    raise ValueError(f"unsupported type: {chart['type']}")


def _pie(chart: Json) -> Json:
    parts = [{"name": part["label"], "value": part["value"]} for part in chart["segments"]]
    ring = {
        "type": "pie",
        "percentPrecision": 0,
        "radius": ["0%", "68%"],
        "center": ["50%", "44%"],
        "data": parts,
    }
    label = {"formatter": "{d}%", "edgeDistance": 0, "bleedMargin": 0}
    return {"series": [ring | {"label": label, "labelLine": {"length": 8, "length2": 6}}]}


def _axes(chart: Json) -> Json:
    axes = chart["axis_config"]
    is_bar = chart["type"] == "bar"
    values = [value for _, _, value in _points(chart)]
    names = {"nameLocation": "middle", "nameTextStyle": {"fontSize": 12}}
    line = {"lineStyle": {"color": _LINES}}
    label: Json = {"hideOverlap": True}
    if not is_bar and len(axes["categories"]) > 1:  # else the last one would be cut off
        label |= {
            "alignMinLabel": "left",
            "alignMaxLabel": "right",
            "showMinLabel": True,
            "showMaxLabel": True,
        }
    return {
        "grid": {"left": 24 if axes.get("y_label") else 8, "right": 16, "top": 12,
                 "bottom": 60 if axes.get("x_label") else 36, "containLabel": True},
        "xAxis": {
            **names, "type": "category", "data": axes["categories"], "nameGap": 28,
            "name": axes.get("x_label", ""), "boundaryGap": is_bar,
            "axisLine": line, "axisTick": {"show": False}, "axisLabel": label,
        },
        "yAxis": {
            **names, "type": "value", "name": axes.get("y_label", ""), "nameGap": _gap_px(values),
            # Only lines may leave zero out, as those who drew Slack's charts again found:
            # https://github.com/themashcodee/slack-blocks-to-jsx/pull/91.
            "scale": chart["type"] == "line" and len(set(values)) > 1,
            "splitLine": line, "splitNumber": 4,
        },
        "series": [_series(chart, one) for one in chart["series"]],
    }  # fmt: skip


def _gap_px(values: list[float]) -> int:
    """Return how far the title of the axis stands from it, beyond its longest number."""
    return 20 + 7 * max(len(f"{value:,.0f}") for value in values)


def _series(chart: Json, series: Json) -> Json:
    values = {point["label"]: point["value"] for point in series["data"]}
    data = [values.get(label) for label in chart["axis_config"]["categories"]]
    made: Json = {"name": series["name"], "data": data}
    if chart["type"] == "bar":
        return made | {"type": "bar", "barMaxWidth": 40, "itemStyle": {"borderRadius": 2}}
    made |= {"type": "line", "symbol": "circle", "symbolSize": 6, "lineStyle": {"width": 2}}
    made |= {"smooth": 0.4, "smoothMonotone": "x", "showAllSymbol": True}
    return made | ({"areaStyle": {"opacity": 0.25}} if chart["type"] == "area" else {})


def numbers_html(chart: Json, title: str) -> str:
    """Return the chart's numbers as a table."""
    rows = "".join(
        f'<tr><th scope="row">{html.escape(name)}</th>'
        f"<td>{html.escape(label)}</td><td>{html.escape(str(value))}</td></tr>"
        for name, label, value in _points(chart)
    )
    return f"<table><caption>{html.escape(title)}</caption>{rows}</table>"


def _points(chart: Json) -> Iterator[tuple[str, str, float]]:
    if chart["type"] == "pie":
        for part in chart["segments"]:
            yield "", part["label"], part["value"]
        return
    for series in chart["series"]:
        for point in series["data"]:
            yield series["name"], point["label"], point["value"]
