"""The blocks that show data: `table`, `data_table` and `data_visualization`.

Slack's pages have carried two numbers for several limits during 2026. The smaller is enforced, so
that what passes here passes with clients that have not been updated.
"""

from collections.abc import Mapping
from typing import Any

from bot.playground.blockkit.composition import BLOCK_ID, BLOCKS
from bot.playground.blockkit.elements import ONLY_A_BUTTON
from bot.playground.blockkit.fields import Choice, Flag, Integer, ListOf, Nullable, Number, String
from bot.playground.blockkit.problems import Place
from bot.playground.blockkit.rich_text import RICH_TEXT
from bot.playground.blockkit.shapes import (
    MESSAGES,
    NOT_IN_MODALS,
    OneOf,
    Shape,
    all_different,
)

TABLE_DOCS = f"{BLOCKS}/table-block"
DATA_TABLE_DOCS = f"{BLOCKS}/data-table-block"
CHART_DOCS = f"{BLOCKS}/data-visualization-block"

# Over all cells of all tables of one kind in a payload; newer page for data tables: 20 000.
MAX_CELL_CHARS = 10_000
MAX_TABLES = 1
MAX_CHARTS = 2
MAX_COLUMNS = 20

# An empty cell is refused: send a dash.
RAW_TEXT = Shape(kind="raw_text", docs=DATA_TABLE_DOCS, required={"text": String()})
RAW_NUMBER = Shape(
    kind="raw_number", docs=DATA_TABLE_DOCS, required={"value": Number(), "text": String()}
)
ACTION_CELL = Shape(
    kind="action_cell",
    docs=DATA_TABLE_DOCS,
    required={"element": ONLY_A_BUTTON, "fallback": OneOf(RAW_TEXT)},
)

TABLE = Shape(
    kind="table",
    docs=TABLE_DOCS,
    required={
        "rows": ListOf(
            item=ListOf(item=OneOf(RAW_TEXT, RAW_NUMBER, RICH_TEXT), most=MAX_COLUMNS), most=100
        )
    },
    optional={
        "block_id": BLOCK_ID,
        # `null` leaves a column as it is.
        "column_settings": ListOf(
            item=Nullable(
                Shape(
                    docs=TABLE_DOCS,
                    optional={
                        "align": Choice("left", "center", "right"),
                        "is_wrapped": Flag(),
                    },
                )
            ),
            most=MAX_COLUMNS,
        ),
    },
    surfaces=NOT_IN_MODALS,
)


def _rows_agree(value: Mapping[str, Any], place: Place) -> None:
    columns = len(value["rows"][0])
    for index, row in enumerate(value["rows"]):
        if len(row) != columns:
            spot = place / "rows" / index
            spot.refuse("unequal_rows", f"must have {columns} cells like the first row")


def _header_is_plain(value: Mapping[str, Any], place: Place) -> None:
    for index, cell in enumerate(value["rows"][0]):
        if cell["type"] not in ("raw_text", "raw_number"):
            spot = place / "rows" / 0 / index / "type"
            spot.refuse("bad_header", f"unsupported type: {cell['type']}")


def _row_header_exists(value: Mapping[str, Any], place: Place) -> None:
    columns = len(value["rows"][0])
    if value.get("row_header_column_index", 0) >= columns:
        spot = place / "row_header_column_index"
        spot.refuse("too_large", f"must be less than {columns}")


DATA_TABLE = Shape(
    kind="data_table",
    docs=DATA_TABLE_DOCS,
    required={
        "caption": String(),
        # The header and 1 to 100 rows; newer page: 200.
        "rows": ListOf(
            item=ListOf(
                item=OneOf(RAW_TEXT, RAW_NUMBER, RICH_TEXT, ACTION_CELL), most=MAX_COLUMNS
            ),
            least=2,
            most=101,
        ),
    },
    optional={
        "block_id": BLOCK_ID,
        "page_size": Integer(least=1, most=100),
        "row_header_column_index": Integer(least=0),
    },
    surfaces=NOT_IN_MODALS,
    rules=(_rows_agree, _header_is_plain, _row_header_exists),
)

_LABEL = String(most=20)
_AXIS_TITLE = String(most=50)
# Newer page: 12 series or segments, older: 6.
_MAX_SERIES = 6
_MAX_POINTS = 20

SERIES = Shape(
    docs=CHART_DOCS,
    required={
        "name": _LABEL,
        "data": ListOf(
            item=Shape(docs=CHART_DOCS, required={"label": _LABEL, "value": Number()}),
            most=_MAX_POINTS,
        ),
    },
)
AXES = Shape(
    docs=CHART_DOCS,
    required={"categories": ListOf(item=_LABEL, most=_MAX_POINTS)},
    optional={"x_label": _AXIS_TITLE, "y_label": _AXIS_TITLE},
)


def _names_differ(value: Mapping[str, Any], place: Place) -> None:
    categories = value["axis_config"]["categories"]
    spot = place / "axis_config" / "categories"
    all_different(((word, spot / i) for i, word in enumerate(categories)), "category")
    series = enumerate(value["series"])
    all_different(((one["name"], place / "series" / i / "name") for i, one in series), "name")


def _one_point_per_category(value: Mapping[str, Any], place: Place) -> None:
    categories = value["axis_config"]["categories"]
    for index, series in enumerate(value["series"]):
        spot = place / "series" / index / "data"
        labels = [point["label"] for point in series["data"]]
        for point, label in enumerate(labels):
            if label not in categories:
                (spot / point / "label").refuse("bad_value", "must be one of the categories")
        if sorted(labels) != sorted(categories):
            spot.refuse("unequal_points", "must have exactly one point per category")


def _axes_chart(kind: str) -> Shape:
    return Shape(
        kind=kind,
        docs=CHART_DOCS,
        required={"series": ListOf(item=SERIES, most=_MAX_SERIES), "axis_config": AXES},
        rules=(_names_differ, _one_point_per_category),
    )


PIE = Shape(
    kind="pie",
    docs=CHART_DOCS,
    required={
        # Unlike series, nothing says that two segments may not be called the same.
        "segments": ListOf(
            item=Shape(docs=CHART_DOCS, required={"label": _LABEL, "value": Number(above=0)}),
            most=_MAX_SERIES,
        )
    },
)

DATA_VISUALIZATION = Shape(
    kind="data_visualization",
    docs=CHART_DOCS,
    required={
        "title": String(most=50),
        "chart": OneOf(_axes_chart("bar"), _axes_chart("line"), _axes_chart("area"), PIE),
    },
    optional={"block_id": BLOCK_ID},
    surfaces=MESSAGES,
)
