"""Every counter and histogram of the bot, with its labels."""

import re
import time
from collections.abc import Awaitable, Callable
from types import SimpleNamespace

import aiohttp
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    Info,
    PlatformCollector,
    ProcessCollector,
)
from prometheus_client.exposition import choose_encoder

from bot.metrics.gauges import GAUGES, LazyGauges

OTHER = "other"
_HARMLESS = re.compile(r"[/a-z][a-zA-Z0-9_./-]{0,47}")


class FewValues:
    """Lets the first `most` values of a label through; all others become "other".

    Each value of a label is a time series of its own, kept for as long as the process lives:
    https://prometheus.io/docs/practices/naming/#labels
    """

    def __init__(self, most: int = 60) -> None:
        self._most = most
        self._known: set[str] = set()

    def __call__(self, value: str) -> str:
        """Return `value`, or "other"."""
        if value in self._known:
            return value
        if len(self._known) >= self._most or not _HARMLESS.fullmatch(value):
            return OTHER
        self._known.add(value)
        return value


LEVELS = ("warning", "error", "critical")


class LineMetrics:
    """Lines of the log by level, those of libraries too."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._lines = Counter(
            "bot_log_lines",
            "Lines of the log, from warnings on. An error is a mistake of the bot.",
            ["level"],
            registry=registry,
        )
        for level in LEVELS:
            self._lines.labels(level)

    def note_line(self, level: str) -> None:
        """Count a line; `level` is one of `LEVELS`."""
        self._lines.labels(level).inc()


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
        """Count a request of a person; for `outcome` see `bot/listeners/error_boundary.py`."""
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


OPERATIONS = ("list", "add", "scan")
REQUEST_OUTCOMES = (
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
    """Calls of the service by operation and outcome (see `bot/tracker/client.py`)."""

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
            for outcome in REQUEST_OUTCOMES:
                self._calls.labels(operation, outcome)

    def note_call(self, operation: str, outcome: str, took_s: float) -> None:
        """Count a call that has ended."""
        self._calls.labels(operation, outcome).inc()
        self._call_s.labels(operation).observe(took_s)

    def note_sent(self, _fingerprint: str = "") -> None:
        """Count a request; whose it was is not told."""
        self._sent.inc()


CALL_OUTCOMES = ("answered", "rate_limited", "failed", "unreachable")
SLACK_BUCKETS_S = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15)


class SlackMetrics:
    """Calls of Slack by method and outcome (see `bot/metrics/definitions.py`)."""

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
            for each in CALL_OUTCOMES:
                self._calls.labels(name, each)
        self._calls.labels(name, outcome).inc()
        self._call_s.labels(name).observe(took_s)


STORE_OPERATIONS = (
    "get",
    "put",
    "delete",
    "delete_prefix",
    "vacuum",
    "list_prefix",
    "list_keys",
    "due_before",
    "due_keys",
    "check",
)
STORE_OUTCOMES = ("ok", "conflict", "failed", "cut_off")
# An SQLite read takes 0.1 ms, one over a network 1 ms; after 10 s a call is given up.
STORE_BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class StoreMetrics:
    """Calls of the store by operation and outcome (see `bot/store/measured.py`)."""

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
        for operation in STORE_OPERATIONS:
            self._call_s.labels(operation)
            for outcome in STORE_OUTCOMES:
                self._calls.labels(operation, outcome)

    def note_call(self, operation: str, outcome: str, took_s: float) -> None:
        """Count a call that has ended."""
        self._calls.labels(operation, outcome).inc()
        self._call_s.labels(operation).observe(took_s)


# That of pyproject.toml, of which a process that runs from a checkout knows nothing.
VERSION = "0.1.0"


class Metrics:
    """The metrics of one process: parts note in them what happens, `page` shows them.

    `role` is "all", "web" or "worker"; `store` is "sqlite" or "postgresql". Each has a registry
    of its own, as tests run many bots in one process. Noting takes microseconds and never fails.
    """

    def __init__(self, *, role: str, store: str) -> None:
        self.registry = registry = CollectorRegistry(auto_describe=True)
        self.people = PeopleMetrics(registry)
        self.service = ServiceMetrics(registry)
        self.digests = DigestMetrics(registry)
        self.store = StoreMetrics(registry)
        self.slack = SlackMetrics(registry)
        self.periodic = PeriodicMetrics(registry)
        self.lines = LineMetrics(registry)
        self.looks = LazyGauges(registry, GAUGES)
        Info("bot_build", "Which bot runs, as what, on which store.", registry=registry).info(
            {"version": VERSION, "role": role, "store": store}
        )
        for collector in _OF_THE_PROCESS:
            collector(registry=registry)

    async def page(self, accepts: str) -> tuple[bytes, str]:
        """Return all metrics, and the content type that `accepts`, an Accept header, asks for."""
        await self.looks.refresh()
        encode, content_type = choose_encoder(accepts)
        return encode(self.registry), content_type


# Memory, processor time and open files; the interpreter; its garbage collection.
_OF_THE_PROCESS: tuple[Callable[..., object], ...] = (
    ProcessCollector,
    PlatformCollector,
    GCCollector,
)
# (method, outcome, seconds): "chat.postMessage" …; "answered", "rate_limited", "failed" (a status
# of 400 or more) or "unreachable". What Slack refuses with `"ok": false` it has answered.
Note = Callable[[str, str, float], object]
_METHOD = re.compile(r"[a-z]+(\.[a-zA-Z]+)+")


def traced_calls(note: Note) -> aiohttp.TraceConfig:
    """Return what lets a session tell `note` of each request, from its start to its answer.

    A `response_url` is a secret and each is another: all of them are called "response_url".
    """
    config = aiohttp.TraceConfig()

    async def begin(
        _session: aiohttp.ClientSession,
        context: SimpleNamespace,
        _params: aiohttp.TraceRequestStartParams,
    ) -> None:
        context.began = time.perf_counter()

    async def end(
        _session: aiohttp.ClientSession,
        context: SimpleNamespace,
        params: aiohttp.TraceRequestEndParams,
    ) -> None:
        took_s = time.perf_counter() - context.began
        note(_method(params.url.path), _outcome(params.response.status), took_s)

    async def fail(
        _session: aiohttp.ClientSession,
        context: SimpleNamespace,
        params: aiohttp.TraceRequestExceptionParams,
    ) -> None:
        note(_method(params.url.path), "unreachable", time.perf_counter() - context.began)

    config.on_request_start.append(begin)
    config.on_request_end.append(end)
    config.on_request_exception.append(fail)
    return config


def _method(path: str) -> str:
    name = path.rpartition("/")[2]
    return name if _METHOD.fullmatch(name) else "response_url"


def _outcome(status: int) -> str:
    if status == 429:
        return "rate_limited"
    return "failed" if status >= 400 else "answered"
