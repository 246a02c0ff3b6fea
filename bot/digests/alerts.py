"""Decide what an alert is about: what got worse since the best that was seen. Pure.

A digest that looks every few minutes posts one alert for each fall. The baseline follows every
rise at once, so that a domain that fell, rose and falls again is posted again; it follows a fall
only with its post. Domains of a snoozed alert are left out, and compared with the same baseline
when that ends.
"""

from collections.abc import Collection
from dataclasses import replace

from bot.digests.report import Baseline, Report, worse_moves
from bot.portfolio.query import host_of
from bot.tracker.models import Domain


def fallen(report: Report) -> tuple[str, ...]:
    """Return the hosts that got worse; none without a baseline: see `got_worse`."""
    domains = [*(move.domain for move in worse_moves(report)), *report.nearer]
    return tuple(dict.fromkeys(host_of(domain) for domain in domains))


def without_snoozed(report: Report, snoozed: Collection[str]) -> Report:
    """Return the report in which none of these hosts got worse."""

    def is_awake(domain: Domain) -> bool:
        return host_of(domain) not in snoozed

    return replace(
        report,
        down=tuple(move for move in report.down if is_awake(move.domain)),
        crossed_down=tuple(move for move in report.crossed_down if is_awake(move.domain)),
        nearer=tuple(domain for domain in report.nearer if is_awake(domain)),
    )


def next_baseline(
    before: Baseline | None, now: Baseline, posted: Collection[str], snoozed: Collection[str]
) -> Baseline:
    """Return the baseline of the next look: the best score of each host since its last post."""
    if before is None:
        return now

    def best(host: str, score: float | None) -> float | None:
        known = [each for each in (before.scores.get(host), score) if each is not None]
        return score if host in posted else max(known, default=None)

    marks = {
        host: of_host
        for host, reached in (now.marks or {}).items()
        if (of_host := (before.marks or {}).get(host) if host in snoozed else reached)
    }
    scores = {host: best(host, score) for host, score in now.scores.items()}
    return replace(now, scores=scores, marks=marks)
