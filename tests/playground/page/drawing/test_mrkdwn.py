"""mrkdwn becomes HTML, and nothing from outside becomes a tag."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from bot.playground.page.drawing import mrkdwn_html
from bot.playground.page.drawing.mrkdwn import text_html
from bot.playground.page.session import SlackNames

NOON = datetime(2027, 2, 3, 12, tzinfo=UTC)


class Berlin(SlackNames):
    """Names as Ada reads them, in Berlin, at noon UTC of 3 February 2027."""

    def __init__(self) -> None:
        pass

    def user(self, user_id: str) -> str | None:
        return {"U1": "ada", "U666": "<b>mallory"}.get(user_id)

    def channel(self, channel_id: str) -> str | None:
        return {"C1": "general"}.get(channel_id)

    def user_group(self, group_id: str) -> str | None:
        return {"S1": "web-team"}.get(group_id)

    def zone(self) -> ZoneInfo:
        return ZoneInfo("Europe/Berlin")

    def now(self) -> datetime:
        return NOON


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("*bold _both_* and ~gone~", "<b>bold <i>both</i></b> and <s>gone</s>"),
        ("snake_case_name 2 * 3 * 4", "snake_case_name 2 * 3 * 4"),
        ("`*x*`", '<code class="bk-code">*x*</code>'),
        ("a &lt;b&gt; &amp; c &amp;lt; &quot;", "a &lt;b&gt; &amp; c &amp;lt; &amp;quot;"),
        (":white_check_mark: :nope:", "✅ :nope:"),
    ],
)
def test_marks_format_words(text: str, shown: str) -> None:
    assert mrkdwn_html(text, names=Berlin()) == f"<div>{shown}</div>"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<@U1> <@U9|gone>", "@ada @gone"),
        ("<#C1> <#C9>", "#general #C9"),
        ("<!here> <!channel|x>", "@here @channel"),
        ("<!subteam^S1> <!subteam^S9|@ops>", "@web-team @ops"),
        ("<!date^1801656000^{date_short_pretty} {time}|x>", "Today 1:00 PM"),
        ("<!date^999999999999^{date}|far>", "far"),
    ],
)
def test_names_and_dates_are_shown_as_the_reader_knows_them(text: str, words: str) -> None:
    assert re.sub("<[^>]*>", "", mrkdwn_html(text, names=Berlin())) == words


def test_a_link_leads_where_it_says() -> None:
    shown = mrkdwn_html("<https://a.example/?a=1&amp;b=2|*the* label>", names=Berlin())

    assert 'href="https://a.example/?a=1&amp;b=2"' in shown
    assert ">*the* label</a>" in shown


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "<javascript:alert(1)|click>",
    "<data:text/html,x|click>",
    '<https://a.example/" onclick="alert(1)|x>',
    "<https://a.example|&lt;img src=x onerror=1&gt;>",
    "<@U666>",
    "<@U9|&lt;script&gt;>",
    "<!date^1801656000^&lt;script&gt;^javascript:alert(1)|&lt;script&gt;>",
    "`<script>` ```<img src=x onerror=alert(1)>```",
    "\ue0000\ue001 *\ue0001\ue001*",
]
TAGS = re.compile(r"</?(?:a|b|code|div|i|s|span|time)(?: [^<>]*)?>")


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_from_outside_becomes_a_tag(text: str) -> None:
    for kind in ("mrkdwn", "plain_text"):
        shown = text_html({"type": kind, "text": text}, Berlin())

        assert not re.search("[<>]", TAGS.sub("", shown)), shown
        assert not re.search(r"href=\"(?!https?:|mailto:)", shown), shown
        for tag in re.findall("<[^>]*>", shown):
            assert not re.search(r"\son\w+=", re.sub('"[^"]*"', "", tag)), shown
