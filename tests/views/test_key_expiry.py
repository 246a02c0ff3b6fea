from datetime import timedelta

from bot.views.api_key import expiry_text
from tests.builders import TODAY
from tests.loops import loop_over


@loop_over(
    ("days", "words"),
    [
        (-1, "28 Feb 2030 (expired)"),
        (0, "1 Mar 2030 (today)"),
        (1, "2 Mar 2030 (in 1 day)"),
        (365, "1 Mar 2031 (in 365 days)"),
    ],
)
def test_an_expiration_is_said_with_what_is_left(days: int, words: str) -> None:
    assert expiry_text(TODAY + timedelta(days=days), TODAY) == words
    assert expiry_text(None, TODAY) == "not known"
