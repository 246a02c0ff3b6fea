"""Each limit of a block: at the limit accepted, one past it refused, and pointed at."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.playground.blockkit import Problem, check_blocks
from bot.playground.blockkit.schema import Surface
from tests.playground.blockkit.samples import (
    Json,
    actions,
    button,
    card,
    cell,
    chart,
    container,
    data_table,
    form_field,
    image,
    line_chart,
    mrkdwn,
    pie_chart,
    plain,
    rich_text,
    section,
    table,
)


@dataclass(frozen=True)
class Limit:
    name: str
    most: int
    block: Callable[[int], Json]
    pointer: str
    surface: Surface = "message"


def buttons(count: int) -> list[Json]:
    return [button(action_id=str(index)) for index in range(count)]


def point_named(name: str) -> Json:
    drawn = line_chart(points=1)
    drawn["series"][0]["data"][0]["label"] = name
    drawn["axis_config"]["categories"] = [name]
    return drawn


def axes(**titles: str) -> Json:
    drawn = line_chart()
    drawn["axis_config"].update(titles)
    return drawn


def named_series(name: str) -> Json:
    drawn = line_chart()
    drawn["series"][0]["name"] = name
    return drawn


def video(**fields: Json) -> Json:
    url = "https://a.example/v"
    urls = {"video_url": url, "thumbnail_url": url, "alt_text": "A"}
    return {"type": "video", "title": plain(), **urls, **fields}


def one_column(chars: int) -> list[list[Json]]:
    return [[cell("a")], [cell("a" * (chars - 1))]]


def section_list() -> Json:
    return {"elements": rich_text()["elements"]}


def context(text: str) -> Json:
    return {"type": "context", "elements": [mrkdwn(text)]}


def feedback(count: int) -> Json:
    icons = [{"type": "icon_button", "icon": "trash", "text": plain()}] * count
    return {"type": "context_actions", "elements": icons}


def icon(**fields: Json) -> Json:
    button = {"type": "icon_button", "icon": "trash", "text": plain(), **fields}
    return {"type": "context_actions", "elements": [button]}


def rating(**fields: Json) -> Json:
    good, bad = {"text": plain(), "value": "good", **fields}, {"text": plain(), "value": "bad"}
    buttons = {"type": "feedback_buttons", "positive_button": good, "negative_button": bad}
    return {"type": "context_actions", "elements": [buttons]}


def workflow(text: str) -> Json:
    started = {"trigger": {"url": "https://a.example/w"}}
    return actions({"type": "workflow_button", "text": plain(text), "workflow": started})


def url(chars: int) -> str:
    return "https://a.example/".ljust(chars, "a")


RATED = "/elements/0/positive_button"
TYPED = {"type": "plain_text_input"}

LIMITS = [
    Limit("block_id", 255, lambda n: section(block_id="a" * n), "/block_id"),
    Limit("section text", 3000, lambda n: section(text=mrkdwn("a" * n)), "/text/text"),
    Limit("section fields", 10, lambda n: section(fields=[plain()] * n), "/fields"),
    Limit("field", 2000, lambda n: section(fields=[mrkdwn("a" * n)]), "/fields/0/text"),
    Limit("header", 150, lambda n: {"type": "header", "text": plain("a" * n)}, "/text/text"),
    Limit("level", 4, lambda n: {"type": "header", "text": plain(), "level": n}, "/level"),
    Limit("context", 10, lambda n: {"type": "context", "elements": [plain()] * n}, "/elements"),
    Limit("context text", 3000, lambda n: context("a" * n), "/elements/0/text"),
    Limit("actions", 25, lambda n: actions(*buttons(n)), "/elements"),
    Limit("image alt_text", 2000, lambda n: image(alt_text="a" * n), "/alt_text"),
    Limit("image title", 2000, lambda n: image(title=plain("a" * n)), "/title/text"),
    Limit("image_url", 3000, lambda n: image(image_url=url(n)), "/image_url"),
    Limit("label", 2000, lambda n: form_field(TYPED, label=plain("a" * n)), "/label/text"),
    Limit("hint", 2000, lambda n: form_field(TYPED, hint=plain("a" * n)), "/hint/text"),
    Limit("markdown", 12_000, lambda n: {"type": "markdown", "text": "a" * n}, "/text"),
    Limit(
        "list indent",
        8,
        lambda n: rich_text(
            {"type": "rich_text_list", "style": "bullet", "indent": n} | section_list()
        ),
        "/elements/0/indent",
    ),
    Limit("table rows", 100, lambda n: table(rows=n), "/rows"),
    Limit("table cells", 20, lambda n: table(1, columns=n), "/rows/0"),
    Limit("table chars", 10_000, lambda n: {**table(), "rows": [[cell("a" * n)]]}, "/rows"),
    Limit("columns", 20, lambda n: table(column_settings=[None] * n), "/column_settings"),
    Limit("data rows", 101, lambda n: data_table(rows=n), "/rows"),
    Limit("data chars", 10_000, lambda n: {**data_table(), "rows": one_column(n)}, "/rows"),
    Limit("page_size", 100, lambda n: data_table(page_size=n), "/page_size"),
    Limit(
        "row header",
        1,
        lambda n: data_table(row_header_column_index=n),
        "/row_header_column_index",
    ),
    Limit("chart title", 50, lambda n: chart(title="a" * n), "/title"),
    Limit("series", 6, lambda n: chart(line_chart(series=n)), "/chart/series"),
    Limit("series name", 20, lambda n: chart(named_series("a" * n)), "/chart/series/0/name"),
    Limit("axis title", 50, lambda n: chart(axes(x_label="a" * n)), "/chart/axis_config/x_label"),
    Limit("segments", 6, lambda n: chart(pie_chart(n)), "/chart/segments"),
    Limit("card title", 150, lambda n: card(title=plain("a" * n)), "/title/text"),
    Limit("card subtitle", 150, lambda n: card(subtitle=plain("a" * n)), "/subtitle/text"),
    Limit("card body", 200, lambda n: card(body=mrkdwn("a" * n)), "/body/text"),
    Limit("card subtext", 200, lambda n: card(subtext=mrkdwn("a" * n)), "/subtext/text"),
    Limit("card actions", 3, lambda n: card(actions=buttons(n)), "/actions"),
    Limit("carousel", 10, lambda n: {"type": "carousel", "elements": [card()] * n}, "/elements"),
    Limit("children", 10, lambda n: container(*[section()] * n), "/child_blocks"),
    Limit(
        "container title",
        150,
        lambda n: container(section(), title=plain("a" * n)),
        "/title/text",
    ),
    Limit(
        "container subtitle",
        150,
        lambda n: container(section(), subtitle=mrkdwn("a" * n)),
        "/subtitle/text",
    ),
    Limit("video title", 199, lambda n: video(title=plain("a" * n)), "/title/text"),
    Limit("video note", 199, lambda n: video(description=plain("a" * n)), "/description/text"),
    Limit("video alt_text", 2000, lambda n: video(alt_text="a" * n), "/alt_text"),
    Limit("icon text", 75, lambda n: icon(text=plain("a" * n)), "/elements/0/text/text"),
    Limit("icon value", 2000, lambda n: icon(value="a" * n), "/elements/0/value"),
    Limit("feedback text", 75, lambda n: rating(text=plain("a" * n)), f"{RATED}/text/text"),
    Limit("feedback value", 2000, lambda n: rating(value="a" * n), f"{RATED}/value"),
    Limit("workflow text", 75, lambda n: workflow("a" * n), "/elements/0/text/text"),
    Limit("feedback", 5, feedback, "/elements"),
    Limit("author", 49, lambda n: video(author_name="a" * n), "/author_name"),
    Limit(
        "alert", 200, lambda n: {"type": "alert", "text": plain("a" * n)}, "/text/text", "modal"
    ),
]


def check(limit: Limit, size: int) -> list[Problem]:
    return check_blocks([limit.block(size)], surface=limit.surface)


def test_a_block_at_its_limit_is_accepted() -> None:
    for limit in LIMITS:
        assert check(limit, limit.most) == [], limit.name


def test_a_block_past_its_limit_is_refused_where_it_is_too_big() -> None:
    for limit in LIMITS:
        problems = check(limit, limit.most + 1)

        assert [problem.pointer for problem in problems] == [f"/blocks/0{limit.pointer}"], (
            limit.name
        )
        assert problems[0].code in {"too_long", "too_many", "too_large"}, limit.name


def test_a_longest_label_of_a_chart_is_refused_at_its_point_and_its_category() -> None:
    assert check_blocks([chart(point_named("a" * 20))]) == []

    problems = check_blocks([chart(point_named("a" * 21))])

    assert [problem.pointer for problem in problems] == [
        "/blocks/0/chart/series/0/data/0/label",
        "/blocks/0/chart/axis_config/categories/0",
    ]


def test_a_series_of_more_than_20_points_is_refused_with_its_categories() -> None:
    assert check_blocks([chart(line_chart(points=20))]) == []

    problems = check_blocks([chart(line_chart(points=21))])

    assert [problem.pointer for problem in problems] == [
        "/blocks/0/chart/series/0/data",
        "/blocks/0/chart/axis_config/categories",
    ]


def test_a_data_table_of_more_than_20_columns_is_refused_row_by_row() -> None:
    assert check_blocks([data_table(columns=20)]) == []

    problems = check_blocks([data_table(columns=21)])

    assert [problem.pointer for problem in problems] == ["/blocks/0/rows/0", "/blocks/0/rows/1"]


def test_a_surface_takes_only_so_many_blocks() -> None:
    limits: dict[Surface, int] = {"message": 50, "modal": 100, "home": 100}
    for surface, most in limits.items():
        assert check_blocks([section()] * most, surface=surface) == [], (surface, most)

        problems = check_blocks([section()] * (most + 1), surface=surface)

        assert problems == [
            Problem("too_many", f"no more than {most} items allowed", "/blocks")
        ], (surface, most)
