"""Every block, one table each: https://docs.slack.dev/reference/block-kit/blocks.

`call`, `file` and `auth_provider` are missing on purpose: an app cannot send the first two, and
nothing settles where the third may stand.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from bot.playground.blockkit.elements import (
    BUTTON,
    CHECKBOXES,
    DATE_PICKER,
    DATETIME_PICKER,
    FEEDBACK_BUTTONS,
    ICON_BUTTON,
    IMAGE,
    MENUS,
    MULTI_MENUS,
    ONLY_A_BUTTON,
    ONLY_AN_IMAGE,
    OVERFLOW,
    RADIO_BUTTONS,
    TIME_PICKER,
    TYPED_INPUTS,
    URL_SOURCE,
    WORKFLOW_BUTTON,
)
from bot.playground.blockkit.objects import (
    BLOCK_ID,
    IMAGE_URL,
    SLACK_FILE,
    SLACK_ICON,
    URL,
    any_text,
    plain_text,
    text_shapes,
)
from bot.playground.blockkit.rich_text import ONLY_RICH_TEXT, RICH_TEXT
from bot.playground.blockkit.schema import (
    MESSAGES,
    MODALS,
    NOT_IN_MODALS,
    Choice,
    Flag,
    Integer,
    ListOf,
    Need,
    Nullable,
    Number,
    OneOf,
    Place,
    Shape,
    String,
    all_different,
    exactly_one_of,
    not_both,
    some_of,
    table,
)

BLOCKS = "https://docs.slack.dev/reference/block-kit/blocks"


def block(kind: str, **more: Any) -> Shape:
    """Make the table of a block; every block may have a `block_id`."""
    page = f"{BLOCKS}/{kind.replace('_', '-')}-block"
    return table(kind, page, block_id=BLOCK_ID, **more)


_CHOICES = (CHECKBOXES, RADIO_BUTTONS, DATE_PICKER, TIME_PICKER, *MENUS, *MULTI_MENUS)
_BUTTONS = (BUTTON, WORKFLOW_BUTTON, OVERFLOW)
ACCESSORY = OneOf(*_BUTTONS, *_CHOICES, IMAGE)
ACTION = OneOf(*_BUTTONS, *_CHOICES, DATETIME_PICKER)
INPUT_ELEMENT = OneOf(*_CHOICES, DATETIME_PICKER, *TYPED_INPUTS)


def _no_response_url(elements: Iterable[tuple[Mapping[str, Any], Place]]) -> None:
    # https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element:
    # "This field only works with menus in input blocks in modals."
    for element, place in elements:
        if element.get("response_url_enabled"):
            spot = place / "response_url_enabled"
            spot.refuse("not_allowed_here", "only works with menus in input blocks in modals")


def _accessory_has_no_response_url(value: Mapping[str, Any], place: Place) -> None:
    _no_response_url([(value.get("accessory", {}), place / "accessory")])


def _actions_have_no_response_url(value: Mapping[str, Any], place: Place) -> None:
    elements = enumerate(value["elements"])
    _no_response_url((element, place / "elements" / index) for index, element in elements)


def _input_has_response_url_in_modals_only(value: Mapping[str, Any], place: Place) -> None:
    if place.surface != "modal":
        _no_response_url([(value["element"], place / "element")])


def _files_are_not_dispatched(value: Mapping[str, Any], place: Place) -> None:
    if value["element"]["type"] == "file_input" and value.get("dispatch_action"):
        spot = place / "dispatch_action"
        spot.refuse("conflict", "cannot be used with a `file_input` element")


SECTION = block(
    "section",
    text=any_text(3000),
    fields=ListOf(item=any_text(2000), most=10),
    accessory=ACCESSORY,
    expand=Flag(),
    rules=(some_of("text", "fields"), _accessory_has_no_response_url),
)

HEADER = block("header", text=Need(plain_text(150)), level=Integer(least=1, most=4))

DIVIDER = block("divider")

CONTEXT = block("context", elements=Need(ListOf(item=OneOf(*text_shapes(), IMAGE), most=10)))

ACTIONS = block(
    "actions", elements=Need(ListOf(item=ACTION, most=25)), rules=(_actions_have_no_response_url,)
)

IMAGE_BLOCK = block(
    "image",
    alt_text=Need(String(most=2000)),
    image_url=IMAGE_URL,
    slack_file=SLACK_FILE,
    title=plain_text(2000),
    rules=exactly_one_of("image_url", "slack_file"),
)

INPUT = block(
    "input",
    label=Need(plain_text(2000)),
    element=Need(INPUT_ELEMENT),
    hint=plain_text(2000),
    optional=Flag(),
    dispatch_action=Flag(),
    rules=(_input_has_response_url_in_modals_only, _files_are_not_dispatched),
)

# All markdown blocks of a payload share MAX_MARKDOWN_CHARS, so one has no limit of its own.
MAX_MARKDOWN_CHARS = 12_000
MARKDOWN = block("markdown", text=Need(String()), surfaces=MESSAGES)


TABLE_DOCS = f"{BLOCKS}/table-block"
DATA_TABLE_DOCS = f"{BLOCKS}/data-table-block"
CHART_DOCS = f"{BLOCKS}/data-visualization-block"

# Over all cells of all tables of one kind in a payload; newer page for data tables: 20 000.
MAX_CELL_CHARS = 10_000
MAX_TABLES = 1
MAX_CHARTS = 2
MAX_COLUMNS = 20

# An empty cell is refused: send a dash.
RAW_TEXT = table("raw_text", DATA_TABLE_DOCS, text=Need(String()))
RAW_NUMBER = table("raw_number", DATA_TABLE_DOCS, value=Need(Number()), text=Need(String()))
ACTION_CELL = table(
    "action_cell", DATA_TABLE_DOCS, element=Need(ONLY_A_BUTTON), fallback=Need(OneOf(RAW_TEXT))
)

TABLE = block(
    "table",
    rows=Need(
        ListOf(
            item=ListOf(item=OneOf(RAW_TEXT, RAW_NUMBER, RICH_TEXT), most=MAX_COLUMNS), most=100
        )
    ),
    # `null` leaves a column as it is.
    column_settings=ListOf(
        item=Nullable(
            table("", TABLE_DOCS, align=Choice("left", "center", "right"), is_wrapped=Flag())
        ),
        most=MAX_COLUMNS,
    ),
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


DATA_TABLE = block(
    "data_table",
    caption=Need(String()),
    # The header and 1 to 100 rows; newer page: 200.
    rows=Need(
        ListOf(
            item=ListOf(
                item=OneOf(RAW_TEXT, RAW_NUMBER, RICH_TEXT, ACTION_CELL), most=MAX_COLUMNS
            ),
            least=2,
            most=101,
        )
    ),
    page_size=Integer(least=1, most=100),
    row_header_column_index=Integer(least=0),
    surfaces=NOT_IN_MODALS,
    rules=(_rows_agree, _header_is_plain, _row_header_exists),
)

_LABEL = String(most=20)
_AXIS_TITLE = String(most=50)
# Newer page: 12 series or segments, older: 6.
_MAX_SERIES = 6
_MAX_POINTS = 20

SERIES = table(
    "",
    CHART_DOCS,
    name=Need(_LABEL),
    data=Need(
        ListOf(
            item=table("", CHART_DOCS, label=Need(_LABEL), value=Need(Number())), most=_MAX_POINTS
        )
    ),
)
AXES = table(
    "",
    CHART_DOCS,
    categories=Need(ListOf(item=_LABEL, most=_MAX_POINTS)),
    x_label=_AXIS_TITLE,
    y_label=_AXIS_TITLE,
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
    return table(
        kind,
        CHART_DOCS,
        series=Need(ListOf(item=SERIES, most=_MAX_SERIES)),
        axis_config=Need(AXES),
        rules=(_names_differ, _one_point_per_category),
    )


PIE = table(
    "pie",
    CHART_DOCS,
    # Unlike series, nothing says that two segments may not be called the same.
    segments=Need(
        ListOf(
            item=table("", CHART_DOCS, label=Need(_LABEL), value=Need(Number(above=0))),
            most=_MAX_SERIES,
        )
    ),
)

DATA_VISUALIZATION = block(
    "data_visualization",
    title=Need(String(most=50)),
    chart=Need(OneOf(_axes_chart("bar"), _axes_chart("line"), _axes_chart("area"), PIE)),
    surfaces=MESSAGES,
)


ALERT = block(
    "alert",
    text=Need(any_text(200)),
    level=Choice("default", "info", "warning", "error", "success"),
    surfaces=MODALS,
)

# The fields stand in the block itself, and its texts are text objects, not strings.
CARD = block(
    "card",
    hero_image=ONLY_AN_IMAGE,
    icon=ONLY_AN_IMAGE,
    slack_icon=SLACK_ICON,
    title=any_text(150),
    subtitle=any_text(150),
    body=any_text(200),
    subtext=any_text(200),
    actions=ListOf(item=ONLY_A_BUTTON, most=3),
    rules=(some_of("hero_image", "title", "actions", "body"), not_both("icon", "slack_icon")),
)

CAROUSEL = block(
    "carousel", elements=Need(ListOf(item=OneOf(CARD), most=10)), surfaces=NOT_IN_MODALS
)

VIDEO = block(
    "video",
    # "Must be less than 200 characters", and 50 for the author.
    title=Need(plain_text(199)),
    video_url=Need(URL),
    thumbnail_url=Need(IMAGE_URL),
    alt_text=Need(String(most=2000)),
    title_url=URL,
    description=plain_text(199),
    author_name=String(most=49),
    provider_name=String(),
    provider_icon_url=IMAGE_URL,
)


def _collapsing_makes_sense(value: Mapping[str, Any], place: Place) -> None:
    is_collapsible = value.get("is_collapsible", False)
    if value.get("default_collapsed") and not is_collapsible:
        (place / "default_collapsed").refuse("conflict", "requires `is_collapsible` to be true")
    if value.get("has_header_divider") and is_collapsible:
        spot = place / "has_header_divider"
        spot.refuse("conflict", "cannot be set when `is_collapsible` is true")


CONTAINER = block(
    "container",
    child_blocks=Need(
        ListOf(
            item=OneOf(
                ACTIONS,
                CONTEXT,
                DIVIDER,
                HEADER,
                IMAGE_BLOCK,
                INPUT,
                RICH_TEXT,
                SECTION,
                TABLE,
                VIDEO,
            ),
            most=10,
        )
    ),
    title=plain_text(150),
    rich_text_title=ONLY_RICH_TEXT,
    subtitle=any_text(150),
    icon=ONLY_AN_IMAGE,
    width=Choice("narrow", "standard", "wide", "full"),
    is_collapsible=Flag(),
    default_collapsed=Flag(),
    has_header_divider=Flag(),
    surfaces=NOT_IN_MODALS,
    rules=(some_of("title", "rich_text_title"), _collapsing_makes_sense),
)

CONTEXT_ACTIONS = block(
    "context_actions",
    elements=Need(ListOf(item=OneOf(FEEDBACK_BUTTONS, ICON_BUTTON), most=5)),
    surfaces=MESSAGES,
)

TASK_CARD = block(
    "task_card",
    task_id=Need(String()),
    title=Need(String()),
    details=ONLY_RICH_TEXT,
    output=ONLY_RICH_TEXT,
    sources=ListOf(item=OneOf(URL_SOURCE)),
    status=Choice("pending", "in_progress", "complete", "error"),
    surfaces=MESSAGES,
)

PLAN = block(
    "plan",
    # In a plan a task card may leave its `type` out.
    title=Need(String()),
    tasks=ListOf(item=TASK_CARD),
    surfaces=MESSAGES,
)
