"""The shapes of the blocks that show data, and how much of them a message holds."""

from math import inf, nan

from bot.playground.blockkit import Problem, check_blocks
from tests.playground.blockkit.samples import (
    Json,
    button,
    cell,
    chart,
    container,
    data_table,
    line_chart,
    number_cell,
    pie_chart,
    rich_text,
    table,
)
from tests.playground.blockkit.sentences import (
    EMPTY,
    NO_CHOICE,
    missing,
    not_a,
    too_few,
    too_large,
    too_small,
    unknown,
    unsupported,
)


def rows_of(*rows: list[Json]) -> Json:
    return {**data_table(), "rows": list(rows)}


def acting(action_id: str = "open") -> Json:
    return {"type": "action_cell", "element": button(action_id=action_id), "fallback": cell()}


HEAD = [cell("Domain"), cell("Health")]
ROW = [cell("shop.example"), number_cell()]

REFUSED_TABLES = {
    "header only": (rows_of(HEAD), too_few(2), "/rows"),
    "no column": (rows_of(HEAD, []), too_few(1), "/rows/1"),
    "short row": (
        rows_of(HEAD, ROW, ROW[:1]),
        ("unequal_rows", "must have 2 cells like the first row"),
        "/rows/2",
    ),
    "rich header": (
        rows_of([cell(), rich_text()], ROW),
        ("bad_header", "unsupported type: rich_text"),
        "/rows/0/1/type",
    ),
    "button header": (
        rows_of([cell(), acting()], ROW),
        ("bad_header", "unsupported type: action_cell"),
        "/rows/0/1/type",
    ),
    "empty cell": (rows_of(HEAD, [cell(""), cell()]), EMPTY, "/rows/1/0/text"),
    "empty number": (rows_of(HEAD, [cell(), number_cell(1, "")]), EMPTY, "/rows/1/1/text"),
    "number in words": (
        rows_of(HEAD, [cell(), {**number_cell(), "value": "41"}]),
        not_a("a number"),
        "/rows/1/1/value",
    ),
    "number untold": (
        rows_of(HEAD, [cell(), {"type": "raw_number", "value": 1}]),
        missing("text"),
        "/rows/1/1",
    ),
    "text for a cell": (rows_of(HEAD, ["a", cell()]), not_a("an object"), "/rows/1/0"),
    "no caption": ({"type": "data_table", "rows": [HEAD, ROW]}, missing("caption"), ""),
    "empty caption": (data_table(caption=""), EMPTY, "/caption"),
    "settings of the other table": (
        data_table(column_settings=[]),
        unknown("column_settings"),
        "",
    ),
    "no row a page": (data_table(page_size=0), too_small(1), "/page_size"),
    "no such column": (
        data_table(row_header_column_index=2),
        too_large(2),
        "/row_header_column_index",
    ),
    "column before the first": (
        data_table(row_header_column_index=-1),
        too_small(0),
        "/row_header_column_index",
    ),
    "plain table of nothing": (table(rows=0), too_few(1), "/rows"),
    "button in a plain table": (
        {"type": "table", "rows": [[acting()]]},
        unsupported("action_cell"),
        "/rows/0/0/type",
    ),
    "strange alignment": (
        table(column_settings=[{"align": "top"}]),
        NO_CHOICE,
        "/column_settings/0/align",
    ),
}


def test_a_wrong_table_is_refused() -> None:
    for case, (block, refusal, pointer) in REFUSED_TABLES.items():
        assert check_blocks([block]) == [Problem(*refusal, f"/blocks/0{pointer}")], case


def test_a_data_table_takes_text_numbers_rich_text_and_buttons() -> None:
    rows = rows_of(HEAD, ROW, [rich_text(), acting("one")], [cell(), acting("two")])

    assert check_blocks([rows]) == []


def test_the_buttons_of_a_data_table_have_ids_of_their_own() -> None:
    (problem,) = check_blocks([rows_of(HEAD, [cell(), acting()], [cell(), acting()])])

    assert (problem.code, problem.pointer) == (
        "duplicate",
        "/blocks/0/rows/2/1/element/action_id",
    )


def test_a_number_cell_holds_a_real_number() -> None:
    for value in [nan, inf, True, None]:
        (problem,) = check_blocks([rows_of(HEAD, [cell(), {**number_cell(), "value": value}])])

        assert problem == Problem(
            "wrong_type", "must provide a number", "/blocks/0/rows/1/1/value"
        ), repr(value)


def test_a_number_of_any_size_is_accepted() -> None:
    assert check_blocks([rows_of(HEAD, [cell(), number_cell(10**400)])]) == []


def test_the_cells_of_all_data_tables_share_one_budget() -> None:
    half = rows_of([cell("a" * 2500)], [cell("a" * 2500)])

    assert check_blocks([half, half]) == []
    assert check_blocks([half, half, data_table(), data_table()]) == [
        Problem("too_long", "must be less than 10001 characters together", "/blocks/2/rows")
    ]


def test_a_message_holds_one_table_wherever_it_stands() -> None:
    assert check_blocks([table(), data_table(), data_table()]) == []

    assert check_blocks([table(), container(table())]) == [
        Problem(
            "only_one_table_allowed",
            "no more than 1 `table` blocks allowed in a message",
            "/blocks/1/child_blocks/0",
        )
    ]


def test_a_message_holds_two_charts() -> None:
    assert check_blocks([chart(), chart()]) == []

    (problem,) = check_blocks([chart(), chart(), chart()])

    assert (problem.code, problem.pointer) == ("too_many", "/blocks/2")


def with_series(*series: Json, categories: list[str] | None = None) -> Json:
    return {
        "type": "bar",
        "series": list(series),
        "axis_config": {"categories": categories or ["Mon", "Tue"]},
    }


def series(*labels: str, name: str = "All") -> Json:
    return {"name": name, "data": [{"label": label, "value": 1} for label in labels]}


def slice_of(value: Json) -> Json:
    return {"type": "pie", "segments": [{"label": "good", "value": value}]}


PER_CATEGORY = ("unequal_points", "must have exactly one point per category")
REFUSED_CHARTS = {
    "unknown kind": ({"type": "radar"}, unsupported("radar"), "/type"),
    "no series": (with_series(), too_few(1), "/series"),
    "no axes": ({"type": "line", "series": [series("Mon")]}, missing("axis_config"), ""),
    "no categories": (line_chart(points=2, axis_config={}), missing("categories"), "/axis_config"),
    "a day missing": (with_series(series("Mon")), PER_CATEGORY, "/series/0/data"),
    "a day twice": (with_series(series("Mon", "Mon", "Tue")), PER_CATEGORY, "/series/0/data"),
    "same name": (
        with_series(series("Mon", "Tue"), series("Mon", "Tue")),
        ("duplicate", '`name` "All" already exists'),
        "/series/1/name",
    ),
    "same category": (
        with_series(series("Mon", "Mon"), categories=["Mon", "Mon"]),
        ("duplicate", '`category` "Mon" already exists'),
        "/axis_config/categories/1",
    ),
    "empty label": (
        slice_of(1) | {"segments": [{"label": "", "value": 1}]},
        EMPTY,
        "/segments/0/label",
    ),
    "empty slice": (slice_of(0), too_small(0), "/segments/0/value"),
    "negative slice": (slice_of(-1), too_small(0), "/segments/0/value"),
    "pie with axes": (
        {**pie_chart(), "axis_config": {"categories": ["a"]}},
        unknown("axis_config"),
        "",
    ),
}


def test_a_wrong_chart_is_refused() -> None:
    for case, (drawn, refusal, pointer) in REFUSED_CHARTS.items():
        assert check_blocks([chart(drawn)]) == [Problem(*refusal, f"/blocks/0/chart{pointer}")], (
            case
        )


def test_a_point_outside_the_categories_is_named() -> None:
    problems = check_blocks([chart(with_series(series("Mon", "Wed")))])

    assert [problem.pointer for problem in problems] == [
        "/blocks/0/chart/series/0/data/1/label",
        "/blocks/0/chart/series/0/data",
    ]


def test_a_chart_may_show_negative_numbers_in_any_order() -> None:
    for kind in ["bar", "line", "area"]:
        points = series("Tue", "Mon")
        points["data"][0]["value"] = -3.5

        assert check_blocks([chart({**with_series(points), "type": kind})]) == [], kind


def test_two_slices_may_be_called_the_same_as_no_page_forbids_it() -> None:
    slices = [{"label": "good", "value": value} for value in (1, 2)]

    assert check_blocks([chart({"type": "pie", "segments": slices})]) == []
