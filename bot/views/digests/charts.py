"""The pictures of a digest: the average over time, and the bands. Pure.

https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block: at most two in a
message, 20 points a series, labels of 20 characters that are different from each other.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from bot.digests.post import TrendPoint
from bot.digests.report import Report
from bot.health import Band, Summary
from bot.message import Block
from bot.views.text import score_number

MAX_POINTS = 20
MIN_POINTS = 2

# label and value
Point = tuple[str, float]


def trend_chart(trend: Sequence[TrendPoint]) -> list[Block]:
    """Return a line of the average over time, or nothing when there is no time to speak of."""
    points = _points(trend)
    if len(points) < MIN_POINTS:
        return []
    return [_chart("line", _title(points), {"Average": points}, "Average health")]


def trend_text(trend: Sequence[TrendPoint]) -> str:
    """Return the same as a sentence, or nothing."""
    points = _points(trend)
    if len(points) < MIN_POINTS:
        return ""
    return f"{_title(points)}: {', '.join(f'{label} {value:g}' for label, value in points)}."


def bands_chart(report: Report) -> list[Block]:
    """Return bars of how many domains lie in each band, now and, where it differs, before."""
    if not report.totals.count:
        return []
    series = {"Now": _band_points(report.totals)}
    if report.before and report.before.bands != report.totals.bands:
        series = {"Last digest": _band_points(report.before)} | series
    return [_chart("bar", "Domains by health", series, "Domains")]


def point_labels(moments: Sequence[datetime]) -> list[str]:
    """Return `20 Nov` for each local moment, with as much more as tells them all apart."""
    labels = [_day(moment) for moment in moments]
    for longer in (_time, _year):
        counts = Counter(labels)
        labels = [
            longer(moment) if counts[label] > 1 else label
            for moment, label in zip(moments, labels, strict=True)
        ]
    return _numbered(labels, moments)


def _title(points: Sequence[Point]) -> str:
    return f"Average health, last {len(points)} digests"


def _points(trend: Sequence[TrendPoint]) -> list[Point]:
    """Label and average, as it is shown, of the latest points."""
    latest = trend[-MAX_POINTS:]
    labels = point_labels([point.local for point in latest])
    averages = [float(score_number(point.average)) for point in latest]
    return list(zip(labels, averages, strict=True))


def _day(moment: datetime) -> str:
    return f"{moment.day} {moment:%b}"


def _time(moment: datetime) -> str:
    return f"{_day(moment)} {moment:%H:%M}"


def _year(moment: datetime) -> str:
    return f"{_day(moment)} {moment:%Y} {moment:%H:%M}"


def _numbered(labels: Sequence[str], moments: Sequence[datetime]) -> list[str]:
    """Runs of the very same minute are counted."""
    counts = Counter(labels)
    seen: Counter[str] = Counter()
    numbered = []
    for label, moment in zip(labels, moments, strict=True):
        time = _time(moment)
        seen[time] += counts[label] > 1
        numbered.append(f"{time} ({seen[time]})" if counts[label] > 1 else label)
    return numbered


def _band_points(totals: Summary) -> list[Point]:
    return [(band.value, totals.bands[band]) for band in Band]


def _chart(kind: str, title: str, series: dict[str, list[Point]], y: str) -> Block:
    categories = [label for label, _ in next(iter(series.values()))]
    return {
        "type": "data_visualization",
        "title": title,
        "chart": {
            "type": kind,
            "series": [
                {
                    "name": name,
                    "data": [{"label": label, "value": value} for label, value in points],
                }
                for name, points in series.items()
            ],
            "axis_config": {"categories": categories, "y_label": y},
        },
    }
