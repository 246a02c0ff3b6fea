"""What people ask for, and how soon Slack and they are answered."""

from prometheus_client import CollectorRegistry, Counter, Histogram

from bot.metrics.labels import FewValues

# Slack waits 3 s: https://docs.slack.dev/interactivity/handling-user-interaction
ACK_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 5)
REQUEST_BUCKETS_S = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
KINDS = ("command", "action", "view", "options", "event", "other")


class PeopleMetrics:
    """Requests by name and outcome, acks by kind, and HTTP requests by route."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._names = FewValues(most=150)  # 60 commands, buttons and forms, and room for more
        self._requests = Counter(
            "bot_requests",
            "What people asked for (a command, a press, a form), by how it ended.",
            ["what", "outcome"],
            registry=registry,
        )
        self._request_s = Histogram(
            "bot_request_seconds",
            "From the ack to the end of the work, its answer sent.",
            ["what"],
            buckets=REQUEST_BUCKETS_S,
            registry=registry,
        )
        self._ack_s = Histogram(
            "bot_ack_seconds",
            "From a request of Slack to its ack, over HTTP and Socket Mode; Slack waits 3 s.",
            ["kind"],
            buckets=ACK_BUCKETS_S,
            registry=registry,
        )
        self._refused = Counter(
            "bot_acks_refused",
            "Requests of Slack that were answered with an error instead of an ack.",
            ["kind"],
            registry=registry,
        )
        self._http_s = Histogram(
            "bot_http_request_seconds",
            "HTTP requests from their arrival to their answer, by route and status.",
            ["route", "status"],
            buckets=ACK_BUCKETS_S,
            registry=registry,
        )
        for kind in KINDS:
            self._ack_s.labels(kind)
            self._refused.labels(kind)

    def note_request(self, what: str, outcome: str, took_s: float) -> None:
        """Count something that people asked for; for `outcome` see `bot/listeners/outcomes.py`."""
        name = self._names(what)
        self._requests.labels(name, outcome).inc()
        self._request_s.labels(name).observe(took_s)

    def note_ack(self, kind: str, took_s: float, *, is_refused: bool) -> None:
        """Count a request of Slack; `kind` is one of `KINDS`."""
        self._ack_s.labels(kind).observe(took_s)
        if is_refused:
            self._refused.labels(kind).inc()

    def note_http(self, route: str, status: int, took_s: float) -> None:
        """Count an HTTP request; `route` is one of ours, or "other"."""
        self._http_s.labels(route, str(status)).observe(took_s)
