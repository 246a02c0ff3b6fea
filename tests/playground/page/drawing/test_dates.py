"""Every date token, for a reader in Berlin on 3 February 2027 at 13:00."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.playground.page.drawing.mrkdwn import date_text
from tests.playground.page.drawing.people import NOON

BERLIN = ZoneInfo("Europe/Berlin")


def shown(pattern: str, when: datetime = NOON) -> str:
    return date_text(int(when.timestamp()), pattern, zone=BERLIN, now=NOON)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("{date_num}", "2024-08-21"),
        ("{date_slash}", "21/08/2024"),
        ("{date}", "August 21st, 2024"),
        ("{date_short}", "Aug 21, 2024"),
        ("{date_long}", "Wednesday, August 21st, 2024"),
        ("{date_long_full}", "August 21, 2024"),
        ("{date_pretty}", "August 21st, 2024"),
        ("{date_short_pretty}", "Aug 21, 2024"),
        ("{date_long_pretty}", "Wednesday, August 21st, 2024"),
        ("{time}", "12:04 AM"),
        ("{time_secs}", "12:04:05 AM"),
        ("{ago}", "2 years ago"),
        ("{unknown} at {time}", "{unknown} at 12:04 AM"),
    ],
)
def test_a_token_is_filled_in(pattern: str, words: str) -> None:
    assert shown(pattern, datetime(2024, 8, 20, 22, 4, 5, tzinfo=UTC)) == words


@pytest.mark.parametrize(
    ("days", "words"), [(-1, "Yesterday"), (0, "Today"), (1, "Tomorrow"), (2, "Feb 5")]
)
def test_near_days_have_names(days: int, words: str) -> None:
    assert shown("{date_short_pretty}", NOON + timedelta(days=days)) == words


def test_a_day_begins_at_the_reader_s_midnight() -> None:
    assert shown("{date_pretty}", datetime(2027, 2, 3, 23, 30, tzinfo=UTC)) == "Tomorrow"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(5, "Just now"), (60, "1 minute ago"), (7300, "2 hours ago"), (-86_400, "In 1 day")],
)
def test_how_long_ago_is_told_in_one_unit(seconds: int, words: str) -> None:
    assert shown("{ago}", NOON - timedelta(seconds=seconds)) == words
