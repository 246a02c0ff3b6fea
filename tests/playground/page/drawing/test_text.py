"""Text objects, links and charts: as HTML, and safe."""

import pytest

from bot.playground.page.drawing.mrkdwn import link_html, text_html
from bot.playground.page.drawing.tables import chart_options, numbers_html
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


def test_both_axes_of_a_chart_bear_their_titles() -> None:
    axes = {"categories": ["day 0", "day 1"], "x_label": "Week of", "y_label": "Score"}

    drawn = chart_options(line_chart(axis_config=axes))

    assert (drawn["xAxis"]["name"], drawn["yAxis"]["name"]) == ("Week of", "Score")


def test_a_chart_s_numbers_can_be_read() -> None:
    shown = numbers_html(line_chart(), EVIL)

    assert '<th scope="row">line 0</th><td>day 0</td><td>-1.5</td>' in shown
    assert "<script" not in shown
