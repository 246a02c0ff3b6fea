"""Periodic work: whether it is done, and how long it takes."""

import time
from collections.abc import Awaitable, Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

PERIODIC_BUCKETS_S = (0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120)


class PeriodicMetrics:
    """Runs of periodic work by name. `clock` is the wall clock, in seconds since 1970."""

    def __init__(
        self, registry: CollectorRegistry, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._clock = clock
        self._runs = Counter(
            "bot_periodic_runs",
            "Runs of periodic work, by how they ended: well or failed.",
            ["name", "outcome"],
            registry=registry,
        )
        self._run_s = Histogram(
            "bot_periodic_run_seconds",
            "How long a run of periodic work took.",
            ["name"],
            buckets=PERIODIC_BUCKETS_S,
            registry=registry,
        )
        self._last = Gauge(
            "bot_periodic_last_success_timestamp_seconds",
            "When this process last did it well, 0 before the first time.",
            ["name"],
            registry=registry,
        )

    def timed(
        self, name: str, work: Callable[[], Awaitable[object]]
    ) -> Callable[[], Awaitable[None]]:
        """Return `work`, measured under `name`; what it raises is passed on."""
        self._last.labels(name)
        for outcome in ("well", "failed"):
            self._runs.labels(name, outcome)

        async def measured() -> None:
            began, outcome = time.perf_counter(), "failed"
            try:
                await work()
                outcome = "well"
                self._last.labels(name).set(self._clock())
            finally:
                self._runs.labels(name, outcome).inc()
                self._run_s.labels(name).observe(time.perf_counter() - began)

        return measured
