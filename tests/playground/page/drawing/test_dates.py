"""The dates that the bot sends, for a reader in Berlin on 3 February 2027 at 13:00."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from bot.playground.page.drawing.mrkdwn import date_text
from tests.playground.page.drawing.people import NOON


def shown(when: datetime, pattern: str = "{date_short_pretty}") -> str:
    return date_text(int(when.timestamp()), pattern, zone=ZoneInfo("Europe/Berlin"), now=NOON)


def test_days_have_names_or_a_date_and_the_year_where_it_is_far() -> None:
    words = {-1: "Yesterday", 0: "Today", 1: "Tomorrow", 2: "Feb 5", -400: "Dec 30, 2025"}
    assert {days: shown(NOON + timedelta(days=days)) for days in words} == words
    midnight = datetime(2027, 2, 3, 23, tzinfo=UTC)
    assert [shown(midnight - timedelta(minutes=1)), shown(midnight)] == ["Today", "Tomorrow"]
