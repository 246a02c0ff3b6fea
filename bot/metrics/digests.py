"""What becomes of digests, and how late they come."""

from prometheus_client import CollectorRegistry, Counter, Histogram

from bot.metrics.labels import FewValues

OUTCOMES = ("posted", "quiet", "missed", "failed", "uncertain")
LAG_BUCKETS_S = (1, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)
TRIES = ("first", "later")


class DigestMetrics:
    """Runs of digests by outcome, with their lag and their retries."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._reasons = FewValues(most=30)
        self._runs = Counter(
            "bot_digest_runs",
            "Runs of digests that have ended, by how.",
            ["outcome"],
            registry=registry,
        )
        self._troubles = Counter(
            "bot_digest_troubles",
            "Runs of digests that were missed, failed or are uncertain, by why.",
            ["trouble"],
            registry=registry,
        )
        self._retries = Counter(
            "bot_digest_retries",
            "How often a run of a digest was put off, to be tried again, by why.",
            ["trouble"],
            registry=registry,
        )
        self._lag_s = Histogram(
            "bot_digest_lag_seconds",
            "From a digest's slot to its post, at the first try or after a retry.",
            ["tries"],
            buckets=LAG_BUCKETS_S,
            registry=registry,
        )
        for outcome in OUTCOMES:
            self._runs.labels(outcome)
        for tries in TRIES:
            self._lag_s.labels(tries)

    def note_run(self, outcome: str, trouble: str | None) -> None:
        """Count a run that has ended; `trouble` is why, `None` when all went well."""
        self._runs.labels(outcome).inc()
        if trouble:
            self._troubles.labels(self._reasons(trouble)).inc()

    def note_retry(self, trouble: str) -> None:
        """Count a run that was put off."""
        self._retries.labels(self._reasons(trouble)).inc()

    def note_lag(self, lag_s: float, *, is_first_try: bool) -> None:
        """Record how long after its slot a digest was posted."""
        self._lag_s.labels("first" if is_first_try else "later").observe(max(0.0, lag_s))
