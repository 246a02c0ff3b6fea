"""The findings about a fleet, as people read them."""

from collections.abc import Iterator, Sequence

from tests.benchmarks.fleet_people import Asked
from tests.benchmarks.fleet_plot import Incident
from tests.benchmarks.fleet_verdict import FleetVerdict

SHOWN_FAULTS = 20
SHOWN_WARNINGS = 15


def lines_of_verdict(verdict: FleetVerdict) -> Iterator[str]:
    """Yield the table of the slots, and how late they were."""
    outcomes = ", ".join(f"{count} {name}" for name, count in sorted(verdict.outcomes.items()))
    yield f"{verdict.slots} slots: {outcomes}"
    yield (
        f"uncertain {verdict.uncertain} ({verdict.uncertain_posted} of them are there) of"
        f" {verdict.in_flight} in flight at an incident; {verdict.directs} direct messages;"
        f" {verdict.refused} calls refused with 429"
    )
    heads = f"{'posts':>7}{quantile_heads()}{'a second':>10}"
    yield f"{'seconds from the slot to the post':<38}{heads}"
    for name, lags in verdict.lags_s.items():
        rate = len(lags) / max(1e-9, lags[-1] - lags[0]) if len(lags) > 1 else 0.0
        yield f"  {name:<36}{len(lags):>7}{quantiles(lags)}{rate:>10.0f}"
    for text, count in sorted(verdict.warnings.items(), key=lambda each: -each[1])[
        :SHOWN_WARNINGS
    ]:
        yield f"  {count:>6} x {text}"


def lines_of_incidents(incidents: Sequence[Incident], due_s: float) -> Iterator[str]:
    """Yield when each was, and what it met."""
    for each in incidents:
        yield (
            f"{each.at - due_s:7.1f} s after the slot: {each.name}, {each.posted} posted,"
            f" {len(each.in_flight)} in flight, over after {each.over_at - each.at:.1f} s"
        )


def lines_of_people(name: str, asked: Sequence[Asked]) -> Iterator[str]:
    """Yield how those were served who typed."""
    answered = [each for each in asked if each.answered_s is not None]
    troubled = [each for each in answered if not each.is_served]
    yield (
        f"{name}: {len(asked)} commands, {len(answered)} answered,"
        f" {len(troubled)} of them with a sentence about a trouble"
    )
    yield f"{'':<45}{quantile_heads()}"
    yield f"  {'ack, s':<43}{quantiles([each.ack_s for each in asked if each.ack_s])}"
    yield f"  {'answer, s':<43}{quantiles([each.answered_s or 0 for each in answered])}"
    for words in dict.fromkeys(" ".join(each.words.split())[:110] for each in troubled):
        yield f"  “{words}”"


def lines_of_faults(faults: Sequence[str]) -> Iterator[str]:
    """Yield the first of them."""
    yield from (f"!! {fault}" for fault in faults[:SHOWN_FAULTS])
    yield f"{len(faults)} faults" if faults else "nothing is amiss"


def quantile_heads() -> str:
    return "".join(f"{head:>9}" for head in ("p50", "p95", "p99", "max"))


def quantiles(values: Sequence[float]) -> str:
    ordered = sorted(values) or [float("nan")]
    last = len(ordered) - 1
    found = [ordered[round(last * share)] for share in (0.5, 0.95, 0.99, 1.0)]
    return "".join(f"{value:>9.3f}" if value < 10 else f"{value:>9.1f}" for value in found)
