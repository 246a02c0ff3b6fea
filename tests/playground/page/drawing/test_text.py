"""Text objects, links and charts: as HTML, and safe."""

import pytest

from bot.playground.page.drawing.charts import chart_options, numbers_html
from bot.playground.page.drawing.mrkdwn import link_html, text_html
from tests.playground.blockkit.samples import line_chart, plain
from tests.playground.page.drawing.people import Berlin

EVIL = '"><script>alert(1)</script><img src=x onerror=alert(1)>'


def test_plain_text_is_not_parsed() -> None:
    assert text_html(plain("*x* &amp; <@U1>"), Berlin()) == "*x* &amp;amp; &lt;@U1&gt;"


def test_plain_text_shows_emoji_unless_told_not_to() -> None:
    assert text_html(plain(":wave:"), Berlin()) == "👋"
    assert text_html({**plain(":wave:"), "emoji": False}, Berlin()) == ":wave:"


@pytest.mark.parametrize("url", ["javascript:x", " https://a.example", "//a.example", "data:x"])
def test_an_address_that_could_run_something_is_no_link(url: str) -> None:
    assert link_html(url, "words") == "words"


def test_points_stand_above_their_categories_whatever_their_order() -> None:
    chart = line_chart(points=2)
    chart["series"][0]["data"] = [{"label": "day 1", "value": 7}, {"label": "day 0", "value": 3}]

    assert chart_options(chart)["series"][0]["data"] == [3, 7]


def test_a_chart_s_numbers_can_be_read() -> None:
    shown = numbers_html(line_chart(), EVIL)

    assert '<th scope="row">line 0</th><td>day 0</td><td>-1.5</td>' in shown
    assert "<script" not in shown


@pytest.mark.parametrize(
    ("kind", "values", "leaves_out_zero"),
    [
        pytest.param("line", (80, 90), True, id="line"),
        pytest.param("line", (80, 80), False, id="flat line"),
        pytest.param("bar", (80, 90), False, id="bars stand on zero"),
    ],
)
def test_only_a_line_that_moves_may_leave_out_zero(
    kind: str, values: tuple[float, float], leaves_out_zero: bool
) -> None:
    chart = line_chart(points=2, type=kind)
    for point, value in zip(chart["series"][0]["data"], values, strict=True):
        point["value"] = value

    options = chart_options(chart)
    assert options["series"][0]["type"] == kind
    assert options["yAxis"]["scale"] is leaves_out_zero


def test_the_title_of_an_axis_stands_beside_its_numbers() -> None:
    small, large = line_chart(points=1), line_chart(points=1)
    large["series"][0]["data"][0]["value"] = 1_234_567

    gaps = [chart_options(chart)["yAxis"]["nameGap"] for chart in (small, large)]

    assert gaps[0] + 40 < gaps[1]


def test_the_last_category_is_always_named() -> None:
    label = chart_options(line_chart(points=20))["xAxis"]["axisLabel"]

    assert (label["showMaxLabel"], label["alignMaxLabel"]) == (True, "right")
