from bot.tracker.decoding import requests_remaining, retry_after_s
from tests.loops import loop_over


@loop_over(
    ("value", "remaining"),
    [
        ("997", 997),
        (" 0 ", 0),
        ("-1", None),
        ("", None),
        ("many", None),
        ("12, 11", None),
        ("1.5", None),
        ("٣", None),
        ("9" * 5000, None),
    ],
)
def test_only_a_plain_count_is_taken_as_remaining(value: str, remaining: int | None) -> None:
    assert requests_remaining({"x-ratelimit-remaining": value}) == remaining


def test_without_the_header_nothing_is_known() -> None:
    assert requests_remaining({}) is None
    assert retry_after_s({}) is None


@loop_over(
    ("value", "seconds"),
    [("7", 7), ("0", None), ("-3", None), ("soon", None), ("Fri, 01 Mar 2030 10:02:00 GMT", None)],
)
def test_only_seconds_above_0_are_taken_as_a_wait(value: str, seconds: float | None) -> None:
    assert retry_after_s({"retry-after": value}) == seconds
