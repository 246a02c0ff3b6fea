"""mrkdwn becomes HTML, and nothing from outside becomes a tag."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from bot.playground.page.drawing.mrkdwn import text_html
from bot.playground.page.session import SlackNames

NOON = datetime(2027, 2, 3, 12, tzinfo=UTC)


class Berlin(SlackNames):
    """Names as Ada reads them, in Berlin, at noon UTC of 3 February 2027."""

    def __init__(self) -> None:
        pass

    def user(self, user_id: str) -> str | None:
        return {"U666": "<b>mallory"}.get(user_id)

    def zone(self) -> ZoneInfo:
        return ZoneInfo("Europe/Berlin")

    def now(self) -> datetime:
        return NOON


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
