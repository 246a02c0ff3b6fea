"""Health scores in words: the bands, and the average of a list of domains."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

GOOD_FROM = 80
FAIR_FROM = 50


class Band(StrEnum):
    """How a score is to be read. A missing or unreadable score is a band of its own, never 0."""

    POOR = "poor"
    FAIR = "fair"
    GOOD = "good"
    UNKNOWN = "no score yet"


def band_of(score: float | None) -> Band:
    """Return the band of a score from 0 to 100, or of `None`: unknown."""
    if score is None:
        return Band.UNKNOWN
    if score >= GOOD_FROM:
        return Band.GOOD
    return Band.FAIR if score >= FAIR_FROM else Band.POOR


@dataclass(frozen=True, slots=True)
class Summary:
    """What many scores add up to; `average` is over the known ones, `None` when there are none."""

    count: int
    average: float | None
    bands: dict[Band, int]


def summary(scores: Iterable[float | None]) -> Summary:
    counted = Counter(scores)  # a few scores come often
    known = {score: times for score, times in counted.items() if score is not None}
    total, bands = sum(score * times for score, times in known.items()), Counter[Band]()
    for score, times in counted.items():
        bands[band_of(score)] += times
    return Summary(
        count=counted.total(),
        average=total / sum(known.values()) if known else None,
        bands={band: bands[band] for band in Band},
    )
