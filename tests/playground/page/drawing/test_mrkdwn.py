"""mrkdwn becomes HTML, and nothing from outside becomes a tag."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.playground.page.drawing import mrkdwn_html
from bot.playground.page.drawing.mrkdwn import date_text
from tests.playground.page.drawing.people import NOON, Berlin


def inner(text: str, *, verbatim: bool = False) -> str:
    """Return a single paragraph without the element around it."""
    return mrkdwn_html(text, names=Berlin(), verbatim=verbatim)[len("<div>") : -len("</div>")]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("*bold*", "<b>bold</b>", id="bold"),
        pytest.param("_it_ and ~gone~", "<i>it</i> and <s>gone</s>", id="italic-and-struck"),
        pytest.param("*bold _both_*", "<b>bold <i>both</i></b>", id="nested"),
        pytest.param("snake_case_name", "snake_case_name", id="within-a-word"),
        pytest.param("2 * 3 * 4", "2 * 3 * 4", id="loose-asterisks"),
        pytest.param("*no\nbold*", "*no\nbold*", id="over-two-lines"),
        pytest.param("`*x*`", '<code class="bk-code">*x*</code>', id="nothing-in-code"),
        pytest.param("a &lt;b&gt; &amp; c", "a &lt;b&gt; &amp; c", id="entities"),
        pytest.param("&amp;lt;", "&amp;lt;", id="decoded-once"),
        pytest.param("&quot;", "&amp;quot;", id="no-other-entity"),
        pytest.param(":white_check_mark: :nope:", "✅ :nope:", id="emoji"),
        pytest.param("", "", id="empty"),
    ],
)
def test_marks_format_words(text: str, shown: str) -> None:
    assert mrkdwn_html(text, names=Berlin()) == (f"<div>{shown}</div>" if shown else "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("<@U1>", "@ada", id="person"),
        pytest.param("<@U9|gone>", "@gone", id="unknown-person"),
        pytest.param("<#C1>", "#general", id="channel"),
        pytest.param("<#C9>", "#C9", id="unknown-channel"),
        pytest.param("<!here>", "@here", id="here"),
        pytest.param("<!channel|x>", "@channel", id="channel-with-label"),
        pytest.param("<!subteam^S1>", "@web-team", id="group"),
        pytest.param("<!subteam^S1|@ops>", "@web-team", id="group-with-label"),
        pytest.param("<!subteam^S9|@ops>", "@ops", id="unknown-group"),
        pytest.param("<!subteam^S9>", "@S9", id="unknown-group-without-label"),
    ],
)
def test_a_mention_is_read_by_its_name(text: str, words: str) -> None:
    shown = inner(text)

    assert 'class="bk-mention' in shown
    assert re.sub("<[^>]*>", "", shown) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(
            "<!date^1801656000^{date_short_pretty} {time}|x>", "Today 1:00 PM", id="zone"
        ),
        pytest.param("<!date^nonsense^{date}|the fallback>", "the fallback", id="no-moment"),
        pytest.param("<!date^999999999999^{date}|far>", "far", id="beyond-the-calendar"),
        pytest.param("<!date^1801656000^{date}>", "&lt;!date^1801656000^{date}&gt;", id="none"),
    ],
)
def test_a_date_is_shown_in_the_reader_s_zone(text: str, words: str) -> None:
    assert re.sub("<[^>]*>", "", inner(text)) == words


def test_a_link_leads_where_it_says() -> None:
    shown = inner("<https://a.example/?a=1&amp;b=2|*the* label>")

    assert 'href="https://a.example/?a=1&amp;b=2"' in shown
    assert ">*the* label</a>" in shown


def test_a_bare_address_is_a_link_unless_the_text_is_verbatim() -> None:
    text = "see https://a.example/x."

    assert '<a class="bk-link" href="https://a.example/x"' in inner(text)
    assert inner(text, verbatim=True) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param(
            "a\n> q\n&gt; r\nb",
            '<div>a</div><blockquote class="bk-quote">q\nr</blockquote><div>b</div>',
            id="quote",
        ),
        pytest.param(
            "a\n>>> q\nr",
            '<div>a</div><blockquote class="bk-quote">q\nr</blockquote>',
            id="quote-to-the-end",
        ),
        pytest.param(
            "a\n```\n*x*\n y\n```\nb",
            '<div>a</div><pre class="bk-pre">*x*\n y</pre><div>b</div>',
            id="fenced-code",
        ),
        pytest.param("```\n```", '<pre class="bk-pre"></pre>', id="empty-code"),
    ],
)
def test_quotes_and_code_stand_by_themselves(text: str, shown: str) -> None:
    assert mrkdwn_html(text, names=Berlin()) == shown


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "<javascript:alert(1)|click>",
    "<data:text/html,x|click>",
    '<https://a.example/" onclick="alert(1)|x>',
    "<https://a.example|<b>x>",
    "<https://a.example|&lt;img src=x onerror=1&gt;>",
    "<@U666>",
    "<@U9|&lt;script&gt;>",
    "<!date^1801656000^{date}<script>|x>",
    "<!date^1801656000^&lt;script&gt;^javascript:alert(1)|&lt;script&gt;>",
    "`<script>` ```<img src=x onerror=alert(1)>```",
    "`<https://a.example|&lt;script&gt;>`",
    "\ue0000\ue001 *\ue0001\ue001*",
    "https://a.example/'\"><script>",
]
TAGS = re.compile(r"</?(?:a|b|blockquote|code|div|i|pre|s|span|time)(?: [^<>]*)?>")


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_from_outside_becomes_a_tag(text: str) -> None:
    shown = mrkdwn_html(text, names=Berlin())

    assert not re.search("[<>]", TAGS.sub("", shown)), shown
    assert not re.search(r"href=\"(?!https?:|mailto:)", shown), shown
    for tag in re.findall("<[^>]*>", shown):
        assert not re.search(r"\son\w+=", re.sub('"[^"]*"', "", tag)), shown


def shown(when: datetime, pattern: str = "{date_short_pretty}") -> str:
    return date_text(int(when.timestamp()), pattern, zone=ZoneInfo("Europe/Berlin"), now=NOON)


def test_days_have_names_or_a_date_and_the_year_where_it_is_far() -> None:
    words = {-1: "Yesterday", 0: "Today", 1: "Tomorrow", 2: "Feb 5", -400: "Dec 30, 2025"}
    assert {days: shown(NOON + timedelta(days=days)) for days in words} == words
    midnight = datetime(2027, 2, 3, 23, tzinfo=UTC)
    assert [shown(midnight - timedelta(minutes=1)), shown(midnight)] == ["Today", "Tomorrow"]
