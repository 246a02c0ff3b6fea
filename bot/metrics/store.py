"""What is asked of the store."""

from prometheus_client import CollectorRegistry, Counter, Histogram

OPERATIONS = (
    "get",
    "put",
    "delete",
    "delete_prefix",
    "wipe_traces",
    "list_prefix",
    "list_keys",
    "due_before",
    "due_keys",
    "check",
)
OUTCOMES = ("ok", "conflict", "failed", "cut_off")
# An SQLite read takes 0.1 ms, one over a network 1 ms; after 10 s a call is given up.
STORE_BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class StoreMetrics:
    """Calls of the store by operation and outcome (see `bot/store/timed.py`)."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._calls = Counter(
            "bot_store_calls",
            "Calls of the store, by how they ended.",
            ["operation", "outcome"],
            registry=registry,
        )
        self._call_s = Histogram(
            "bot_store_call_seconds",
            "How long a call of the store took, the wait for its turn included.",
            ["operation"],
            buckets=STORE_BUCKETS_S,
            registry=registry,
        )
        for operation in OPERATIONS:
            self._call_s.labels(operation)
            for outcome in OUTCOMES:
                self._calls.labels(operation, outcome)

    def note_call(self, operation: str, outcome: str, took_s: float) -> None:
        """Count a call that has ended."""
        self._calls.labels(operation, outcome).inc()
        self._call_s.labels(operation).observe(took_s)
