import pytest

from bot.tracker.decoding import requests_remaining, retry_after_s
from tests.loops import loop_over

DATE = "Fri, 01 Mar 2030 10:00:00 GMT"


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
    ("value", "date", "seconds"),
    [
        pytest.param("7", DATE, 7, id="seconds"),
        pytest.param("1.5", DATE, 1.5, id="parts-of-a-second"),
        pytest.param("0", DATE, None, id="none"),
        pytest.param("-3", DATE, None, id="negative"),
        pytest.param("soon", DATE, None, id="words"),
        pytest.param("Fri, 01 Mar 2030 10:02:00 GMT", DATE, 120, id="date"),
        pytest.param("Fri, 01 Mar 2030 10:02:00 GMT", "", None, id="date-without-now"),
        pytest.param("Fri, 01 Mar 2030 10:02:00 -0000", DATE, None, id="date-without-zone"),
        pytest.param("Fri, 01 Mar 2030 09:00:00 GMT", DATE, None, id="past"),
        pytest.param("Fri, 01 Mar 99999 10:02:00 GMT", DATE, None, id="no-such-year"),
    ],
)
def test_retry_after_is_read_in_both_forms(value: str, date: str, seconds: float | None) -> None:
    assert retry_after_s({"retry-after": value, "date": date}) == seconds
