"""Text objects, rich text, Markdown, links, pictures, charts: as HTML, and safe."""

import re
from typing import Any

import pytest

from bot.playground.page.drawing.charts import chart_options, numbers_html
from bot.playground.page.drawing.mrkdwn import image_html, link_html
from bot.playground.page.drawing.tables import table_html
from bot.playground.page.drawing.text import markdown_html, rich_text_html, text_html
from tests.playground.blockkit.samples import cell, line_chart, pie_chart, plain, rich_text
from tests.playground.page.drawing.people import Berlin

EVIL = '"><script>alert(1)</script><img src=x onerror=alert(1)>'


def line(**inline: Any) -> str:
    block = rich_text({"type": "rich_text_section", "elements": [inline]})
    return re.fullmatch('<div class="bk-line">(.*)</div>', rich_text_html(block, Berlin()))[1]  # type: ignore[index]  # None fails the test as well


def test_plain_text_is_not_parsed() -> None:
    assert text_html(plain("*x* &amp; <@U1>"), Berlin()) == "*x* &amp;amp; &lt;@U1&gt;"


def test_plain_text_shows_emoji_unless_told_not_to() -> None:
    assert text_html(plain(":wave:"), Berlin()) == "👋"
    assert text_html({**plain(":wave:"), "emoji": False}, Berlin()) == ":wave:"


@pytest.mark.parametrize(
    ("inline", "shown"),
    [
        ({"type": "text", "text": "*x* <"}, "*x* &lt;"),
        (
            {"type": "text", "text": "x", "style": {"bold": True, "italic": True}},
            "<i><b>x</b></i>",
        ),
        ({"type": "text", "text": "x", "style": {"code": True}}, '<code class="bk-code">x</code>'),
        ({"type": "emoji", "name": "wave", "unicode": "1f44b"}, "👋"),
        ({"type": "emoji", "name": "nope"}, ":nope:"),
        ({"type": "user", "user_id": "U1"}, '<span class="bk-mention">@ada</span>'),
        ({"type": "channel", "channel_id": "C1"}, '<span class="bk-mention">#general</span>'),
        ({"type": "link", "url": "javascript:alert(1)", "text": "x"}, "x"),
        (
            {"type": "date", "timestamp": 1801656000, "format": "{time}", "fallback": "f"},
            '<time title="f">1:00 PM</time>',
        ),
    ],
)
def test_rich_text_shows_each_of_its_elements(inline: dict[str, Any], shown: str) -> None:
    assert line(**inline) == shown


@pytest.mark.parametrize("kind", ["text", "emoji", "link", "color", "user", "usergroup", "team"])
def test_rich_text_never_becomes_a_tag(kind: str) -> None:
    named = {f"{kind}_id": EVIL, "text": EVIL, "url": EVIL, "name": EVIL, "value": EVIL}

    assert "<script" not in line(type=kind, **named)


def test_a_list_keeps_its_indent_and_its_first_number() -> None:
    item = {"type": "rich_text_section", "elements": [{"type": "text", "text": "x"}]}
    numbered = {"type": "rich_text_list", "style": "ordered", "indent": 2, "offset": 4}

    shown = rich_text_html(rich_text({**numbered, "elements": [item]}), Berlin())

    assert shown.startswith('<ol class="bk-list bk-indent-2" start="5"><li>')


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**b** *i*", "<p><strong>b</strong> <em>i</em></p>"),
        ("# One\n\n### Three", '<p class="bk-heading">One</p>'),
        ("[x](https://a.example)", '<a class="bk-link" href="https://a.example"'),
        ("![alt](https://a.example/x.png)", 'href="https://a.example/x.png"'),
        ("- a\n- b", "<li>a</li>"),
        ("| a |\n|---|\n| 1 |", "<td>1</td>"),
        ("```\n<b>\n```", "&lt;b&gt;"),
    ],
)
def test_markdown_is_drawn(text: str, shown: str) -> None:
    assert shown in markdown_html(text)


@pytest.mark.parametrize(
    "text",
    [
        EVIL,
        "[x](javascript:alert(1))",
        '[x](https://a.example" onclick="alert(1))',
        "![x](javascript:alert(1))",
        "<a href='javascript:alert(1)'>x</a>",
        "<p onclick=alert(1)>x</p>",
        "<iframe srcdoc='<script>'></iframe>",
        "<style>*{display:none}</style>",
        "<math><mtext></mtext><mglyph><style><img src=x onerror=alert(1)>",
        "</div></div><div class=x>",
    ],
)
def test_markdown_never_becomes_a_tag_of_its_own(text: str) -> None:
    shown = markdown_html(text)

    for tag in re.findall("<[^>]*>", shown):
        assert re.fullmatch(
            r'</?[a-z0-9]+>|<p class="bk-heading">|<a class="bk-link" href="https://[^"]*"'
            r' target="_blank" rel="noopener noreferrer">',
            tag,
        ), shown
    assert not re.search("<(script|img|style|iframe|div)", shown), shown
    assert shown.count("<a ") == shown.count("</a>")


@pytest.mark.parametrize("url", ["javascript:x", " https://a.example", "//a.example", "data:x"])
def test_an_address_that_could_run_something_is_no_link(url: str) -> None:
    assert link_html(url, "words") == "words"


@pytest.mark.parametrize(
    ("url", "is_loaded"),
    [
        ("http://127.0.0.1:8080/a.png", True),
        ("data:image/png;base64,AAAA", True),
        ("https://a.example/a.png", False),
        ("http://127.0.0.1.evil.example/a.png", False),
        ("http://127.0.0.1@evil.example/a.png", False),
    ],
)
def test_only_pictures_of_this_machine_are_loaded(url: str, is_loaded: bool) -> None:
    shown = image_html({"image_url": url, "alt_text": EVIL}, "x")

    assert shown.startswith("<img") is is_loaded
    assert "<script" not in shown


def test_a_table_has_titles_and_aligned_columns() -> None:
    rows = [[cell("Name"), cell("Score")], [cell("a"), cell(EVIL)]]
    settings = [None, {"align": "right", "is_wrapped": True}]

    shown = table_html({"rows": rows, "column_settings": settings}, Berlin())

    assert '<th scope="col" class="bk-left">Name</th>' in shown
    assert '<td class="bk-right bk-wrapped">' in shown
    assert "<script" not in shown


def test_points_stand_above_their_categories_whatever_their_order() -> None:
    chart = line_chart(points=2)
    chart["series"][0]["data"] = [{"label": "day 1", "value": 7}, {"label": "day 0", "value": 3}]

    assert chart_options(chart)["series"][0]["data"] == [3, 7]


@pytest.mark.parametrize(("kind", "drawn"), [("line", "line"), ("area", "line"), ("bar", "bar")])
def test_each_chart_has_its_series(kind: str, drawn: str) -> None:
    series = chart_options(line_chart(type=kind))["series"][0]

    assert series["type"] == drawn
    assert ("areaStyle" in series) is (kind == "area")


def test_a_chart_s_numbers_can_be_read() -> None:
    shown = numbers_html(pie_chart(), EVIL)

    assert "<td>good</td><td>1</td>" in shown
    assert "<script" not in shown


@pytest.mark.parametrize(
    ("kind", "values", "leaves_out_zero"),
    [
        pytest.param("line", (80, 90), True, id="line"),
        pytest.param("line", (80, 80), False, id="flat line"),
        pytest.param("bar", (80, 90), False, id="bars stand on zero"),
        pytest.param("area", (80, 90), False, id="areas stand on zero"),
    ],
)
def test_only_a_line_that_moves_may_leave_out_zero(
    kind: str, values: tuple[float, float], leaves_out_zero: bool
) -> None:
    chart = line_chart(points=2, type=kind)
    for point, value in zip(chart["series"][0]["data"], values, strict=True):
        point["value"] = value

    assert chart_options(chart)["yAxis"]["scale"] is leaves_out_zero


def test_the_title_of_an_axis_stands_beside_its_numbers() -> None:
    small, large = line_chart(points=1), line_chart(points=1)
    large["series"][0]["data"][0]["value"] = 1_234_567

    gaps = [chart_options(chart)["yAxis"]["nameGap"] for chart in (small, large)]

    assert gaps[0] + 40 < gaps[1]


def test_the_last_category_is_always_named() -> None:
    label = chart_options(line_chart(points=20))["xAxis"]["axisLabel"]

    assert (label["showMaxLabel"], label["alignMaxLabel"]) == (True, "right")


@pytest.mark.parametrize(("group_id", "shown"), [("S1", "@web-team"), ("S9", "@S9")])
def test_a_user_group_is_read_by_its_handle(group_id: str, shown: str) -> None:
    assert f">{shown}<" in line(type="usergroup", usergroup_id=group_id)
