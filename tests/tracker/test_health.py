from hypothesis import given
from hypothesis import strategies as st

from bot.tracker.health import Band, band_of, summary
from tests.loops import loop_over

SCORES = st.none() | st.floats(0, 100)


@loop_over(
    ("score", "band"),
    [
        (0, Band.POOR),
        (49.999, Band.POOR),
        (50, Band.FAIR),
        (79.999, Band.FAIR),
        (80, Band.GOOD),
        (100, Band.GOOD),
        (None, Band.UNKNOWN),
    ],
)
def test_a_score_has_a_band(score: float | None, band: Band) -> None:
    assert band_of(score) is band


def test_an_unknown_score_does_not_lower_the_average() -> None:
    totals = summary([90, None, 70])

    assert (totals.count, totals.average) == (3, 80)
    assert totals.bands == {Band.GOOD: 1, Band.FAIR: 1, Band.UNKNOWN: 1, Band.POOR: 0}


def test_the_average_of_many_equal_scores_is_that_score() -> None:
    assert summary([70.1] * 10_000).average == 70.1


@given(st.lists(SCORES))
def test_every_score_is_in_one_band(scores: list[float | None]) -> None:
    totals = summary(iter(scores))

    assert sum(totals.bands.values()) == totals.count == len(scores)
