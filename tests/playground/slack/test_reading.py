"""What people see of blocks, and whom a message would ping."""

from typing import Any

import pytest

from bot.playground.slack import block_contents
from tests.playground.slack.samples import actions, button, field, options, plain, section

Json = dict[str, Any]

TABLE = {
    "type": "data_table",
    "caption": "Health",
    "rows": [
        [{"type": "raw_text", "text": "Domain"}, {"type": "raw_text", "text": "Score"}],
        [
            {"type": "raw_text", "text": "a.example"},
            {"type": "raw_number", "value": 4, "text": "4"},
        ],
    ],
}
CHART = {
    "type": "data_visualization",
    "title": "Trend",
    "chart": {
        "type": "line",
        "series": [{"name": "good", "data": [{"label": "9 Nov", "value": 31}]}],
    },
}
MENU = {"type": "static_select", "placeholder": plain("Sort"), "options": options("Unseen")}
BOXES = {"type": "checkboxes", "options": options("Seen")}


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        pytest.param(section("*a* &amp; <https://x.example|label>"), "*a* & label", id="markup"),
        pytest.param(section("<!date^1^{date}|1 Jan>"), "1 Jan", id="date"),
        pytest.param({"type": "header", "text": plain("a &amp; b")}, "a &amp; b", id="plain"),
        pytest.param(section("x", fields=[plain("f")]), "x\nf", id="fields"),
        pytest.param(actions(button("Scan", value="v"), MENU), "Scan\nSort", id="elements"),
        pytest.param(field("Scopes", BOXES), "Scopes\nSeen", id="input"),
        pytest.param(TABLE, "Health\nDomain | Score\na.example | 4", id="table"),
        pytest.param(CHART, "Trend\ngood\n9 Nov\n31", id="chart"),
    ],
)
def test_everything_visible_is_read(block: Json, shown: str) -> None:
    assert block_contents.everything("only in the notification", [block]) == shown


def test_text_is_visible_where_there_is_no_block() -> None:
    assert block_contents.everything("a &lt; b", []) == "a < b"


@pytest.mark.parametrize(
    ("content", "pinged"),
    [
        pytest.param({"text": "<!channel> <@U1|ada>"}, ["<!channel>", "<@U1>"], id="text"),
        pytest.param({"text": "&lt;!channel&gt; @here"}, [], id="escaped"),
        pytest.param({"blocks": [section("<!subteam^S1|x>")]}, ["<!subteam^S1>"], id="mrkdwn"),
        pytest.param({"blocks": [{"text": plain("<!here>")}]}, [], id="plain text"),
        pytest.param({"text": "<!date^1^{date}|x> <#C1>"}, [], id="dates and channels"),
    ],
)
def test_mentions_are_what_would_be_pinged(content: Json, pinged: list[str]) -> None:
    assert block_contents.mentions(content) == pinged
