"""What is asked of Domain Tracker, and what it answers."""

from prometheus_client import CollectorRegistry, Counter, Histogram

OPERATIONS = ("list", "add", "scan")
OUTCOMES = (
    "ok",
    "invalid_key",
    "insufficient_scope",
    "ip_not_allowed",
    "rate_limited",
    "rejected",
    "unreadable",
    "too_large",
    "timed_out",
    "unavailable",
    "held_back",
    "reserve_reached",
    "cut_off",
    "broken",
)
SERVICE_BUCKETS_S = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class ServiceMetrics:
    """Calls of the service by operation and outcome (see `bot/tracker/measured.py`)."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._calls = Counter(
            "bot_service_calls",
            "Calls of Domain Tracker, by how they ended; also those that were not sent.",
            ["operation", "outcome"],
            registry=registry,
        )
        self._call_s = Histogram(
            "bot_service_call_seconds",
            "How long a call took, repetitions and the wait for a place included.",
            ["operation"],
            buckets=SERVICE_BUCKETS_S,
            registry=registry,
        )
        self._sent = Counter(
            "bot_service_requests_sent",
            "HTTP requests that may have reached Domain Tracker, repetitions too.",
            registry=registry,
        )
        # A counter that appears with its first event hides that event from `increase()`.
        for operation in OPERATIONS:
            self._call_s.labels(operation)
            for outcome in OUTCOMES:
                self._calls.labels(operation, outcome)

    def note_call(self, operation: str, outcome: str, took_s: float) -> None:
        """Count a call that has ended."""
        self._calls.labels(operation, outcome).inc()
        self._call_s.labels(operation).observe(took_s)

    def note_sent(self, _fingerprint: str = "") -> None:
        """Count a request; whose it was is not told."""
        self._sent.inc()
