"""Health scores in words: the bands, and the average of a list of domains."""

import math
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
    given = list(scores)
    known = [score for score in given if score is not None]
    bands = Counter(map(band_of, given))
    average = math.fsum(known) / len(known) if known else None
    return Summary(len(given), average, {band: bands[band] for band in Band})
