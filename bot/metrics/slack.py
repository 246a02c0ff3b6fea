"""What is asked of Slack over HTTP."""

from prometheus_client import CollectorRegistry, Counter, Histogram

from bot.metrics.labels import FewValues

OUTCOMES = ("answered", "rate_limited", "failed", "unreachable")
SLACK_BUCKETS_S = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15)


class SlackMetrics:
    """Calls of Slack by method and outcome (see `bot/slack/traced.py`)."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._methods = FewValues()
        self._begun: set[str] = set()
        self._calls = Counter(
            "bot_slack_calls",
            "HTTP requests to Slack, by how they ended.",
            ["method", "outcome"],
            registry=registry,
        )
        self._call_s = Histogram(
            "bot_slack_call_seconds",
            "How long Slack took to begin its answer.",
            ["method"],
            buckets=SLACK_BUCKETS_S,
            registry=registry,
        )

    def note_call(self, method: str, outcome: str, took_s: float) -> None:
        """Count a request that has ended."""
        name = self._methods(method)
        if name not in self._begun:  # from its first call on, each has all of its counters
            self._begun.add(name)
            for each in OUTCOMES:
                self._calls.labels(name, each)
        self._calls.labels(name, outcome).inc()
        self._call_s.labels(name).observe(took_s)
