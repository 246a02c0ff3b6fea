"""Every metric of the bot, with its labels."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any, TypeVar

import aiohttp
import structlog
from prometheus_client import CollectorRegistry, Counter, Histogram, Info, ProcessCollector
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from bot import __version__
from bot.process.clock import seconds_now

logger = structlog.get_logger()

READ_WITHIN_S = 2.0
DIGESTS, QUEUE = "digests", "queue"
QUEUE_STATES = ("todo", "doing")
LEVELS = ("warning", "error", "critical")
OUTCOMES = ("posted", "quiet", "missed", "failed", "uncertain")
LAG_BUCKETS_S = (1, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)
# Slack waits 3 s: https://docs.slack.dev/interactivity/handling-user-interaction
ACK_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 5)
WAIT_BUCKETS_S = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
KINDS = (
    *("command", "action", "view", "options"),
    *("event", "ignored_event", "rate_limited", "other"),
)
OPERATIONS = ("list", "add", "scan")
REQUEST_OUTCOMES = (
    *("ok", "invalid_key", "insufficient_scope", "ip_not_allowed", "rate_limited", "rejected"),
    *("unreadable", "too_large", "timed_out", "unavailable", "held_back", "reserve_reached"),
    *("cut_off", "broken"),
)
CALL_OUTCOMES = ("answered", "rate_limited", "failed", "unreachable")
SLACK_BUCKETS_S = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15)
STORE_OPERATIONS = (
    *("get", "put", "delete", "delete_prefix", "list_prefix", "list_keys", "due_keys"),
    *("welcome", "check", "close"),
)
STORE_OUTCOMES = ("ok", "conflict", "failed", "cut_off")
# An SQLite read takes 0.1 ms, one over a network 1 ms; after 10 s a call is given up.
STORE_BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
# (method, one of CALL_OUTCOMES, seconds). "failed" is a status of 400 or more; a refusal with
# `"ok": false` counts as "answered".
Note = Callable[[str, str, float], object]
M = TypeVar("M", Counter, Histogram)
_METHOD = re.compile(r"[a-z]+(\.[a-zA-Z]+)+")


class CallMetrics:
    """The counter `bot_x_calls` and the histogram `bot_x_call_seconds`, by name and outcome.

    `metric` is `bot_x_call`. A counter that appears with its first event hides that event from
    `increase()`: so each name starts with all `outcomes` at 0, and `names` start at once.
    """

    def __init__(
        self,
        registry: CollectorRegistry,
        metric: str,
        label: str,
        about: str,
        buckets: Sequence[float],
        *,
        outcomes: Sequence[str] = (),
        names: Sequence[str] = (),
    ) -> None:
        self._outcomes = outcomes
        self._begun: set[str] = set()
        self._calls = Counter(
            f"{metric}s", f"{about}, by outcome.", [label, "outcome"], registry=registry
        )
        self._call_s = Histogram(
            f"{metric}_seconds", f"{about}: how long.", [label], buckets=buckets, registry=registry
        )
        for name in names:
            self._begin(name)

    def note_call(self, name: str, outcome: str, took_s: float) -> None:
        self._begin(name)
        self._calls.labels(name, outcome).inc()
        self._call_s.labels(name).observe(took_s)

    def _begin(self, name: str) -> None:
        if name not in self._begun:
            self._begun.add(name)
            self._call_s.labels(name)
            for outcome in self._outcomes:
                self._calls.labels(name, outcome)


def _from_0(metric: M, values: Sequence[str]) -> M:
    """Start a metric with one label at 0 for each of its values; return it."""
    for value in values:
        metric.labels(value)
    return metric


class DigestMetrics:
    """Runs of digests by outcome, with their lag."""

    def __init__(self, registry: CollectorRegistry) -> None:
        about = "Runs of digests that have ended, by how."
        runs = Counter("bot_digest_runs", about, ["outcome"], registry=registry)
        self._runs = _from_0(runs, OUTCOMES)
        about = "Runs of digests that were missed, failed or are uncertain, by why."
        self._failures = Counter("bot_digest_troubles", about, ["trouble"], registry=registry)
        about = "From a digest's slot to its post, at the first try or after a retry."
        lag_s = Histogram(
            "bot_digest_lag_seconds", about, ["tries"], buckets=LAG_BUCKETS_S, registry=registry
        )
        self._lag_s = _from_0(lag_s, ("first", "later"))

    def note_run(self, outcome: str, reason: str | None) -> None:
        """Count a run that has ended; `reason` is why it failed, if it did."""
        self._runs.labels(outcome).inc()
        if reason:
            self._failures.labels(reason).inc()

    def note_lag(self, lag_s: float, *, is_first_try: bool) -> None:
        self._lag_s.labels("first" if is_first_try else "later").observe(max(0.0, lag_s))


class LazyGauges(Collector):
    """Gauges that are read when Prometheus asks; a source that fails shows no values.

    The source `DIGESTS` returns how many are due, and for how many seconds the first of them; that
    of `QUEUE` the counts of jobs by task and state.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self.sources: dict[str, Callable[[], Awaitable[Any]]] = {}
        self._found: dict[str, Any] = {}
        registry.register(self)

    async def refresh(self) -> None:
        """Read all sources; never raise."""
        await asyncio.gather(*map(self._read, self.sources))

    def collect(self) -> Iterator[GaugeMetricFamily]:
        count, late_s = self._found.get(DIGESTS, (None, None))
        about = "Digests that are due and in no job yet."
        yield GaugeMetricFamily("bot_digests_due", about, count)
        about = "For how long the longest due of them has been due; 0 when none is."
        yield GaugeMetricFamily("bot_digests_overdue_seconds", about, late_s)
        jobs = GaugeMetricFamily("bot_queue_jobs", "Jobs in the queue.", labels=("task", "state"))
        counts = self._found.get(QUEUE, {})
        for task in {task for task, _ in counts}:
            for state in QUEUE_STATES:
                jobs.add_metric((task, state), counts.get((task, state), 0))
        yield jobs

    async def _read(self, name: str) -> None:
        try:
            async with asyncio.timeout(READ_WITHIN_S):
                self._found[name] = await self.sources[name]()
        except Exception as error:  # noqa: BLE001  # the other metrics must still be shown
            self._found.pop(name, None)
            logger.warning("could not look up metrics", look=name, error=repr(error))


class Metrics:
    """The metrics of one process. Noting a value takes microseconds and never fails.

    `role` is "all", "web" or "worker"; `store` is "sqlite" or "postgresql". Each instance has a
    registry of its own, as tests run many bots in one process.
    """

    def __init__(self, *, role: str, store: str) -> None:
        self.registry = registry = CollectorRegistry(auto_describe=True)
        self.digests = DigestMetrics(registry)
        self.gauges = LazyGauges(registry)
        about = "What people asked for (a command, a press, a form)"
        # For the outcomes see `bot/dispatch/error_boundary.py`.
        self.requests = CallMetrics(registry, "bot_request", "what", about, WAIT_BUCKETS_S)
        self.service = CallMetrics(  # for the outcomes see `bot/tracker/client.py`
            registry,
            "bot_service_call",
            "operation",
            "Calls of Domain Tracker, also those that were not sent",
            WAIT_BUCKETS_S,
            outcomes=REQUEST_OUTCOMES,
            names=OPERATIONS,
        )
        self.store = CallMetrics(
            registry,
            "bot_store_call",
            "operation",
            "Calls of the store",
            STORE_BUCKETS_S,
            outcomes=STORE_OUTCOMES,
            names=STORE_OPERATIONS,
        )
        about = "HTTP requests to Slack"
        self.slack = CallMetrics(
            registry, "bot_slack_call", "method", about, SLACK_BUCKETS_S, outcomes=CALL_OUTCOMES
        )
        about = "From a request of Slack to its ack, over HTTP and Socket Mode; Slack waits 3 s."
        ack_s = Histogram(
            "bot_ack_seconds", about, ["kind"], buckets=ACK_BUCKETS_S, registry=registry
        )
        self._ack_s = _from_0(ack_s, KINDS)
        about = "Requests of Slack that were answered with an error instead of an ack."
        refused = Counter("bot_acks_refused", about, ["kind"], registry=registry)
        self._refused = _from_0(refused, KINDS)
        about = "Lines of the log, from warnings on. An error is a mistake of the bot."
        lines = Counter("bot_log_lines", about, ["level"], registry=registry)
        self._lines = _from_0(lines, LEVELS)
        Info("bot_build", "Which bot runs, as what, on which store.", registry=registry).info(
            {"version": __version__, "role": role, "store": store}
        )
        ProcessCollector(registry=registry)

    def note_ack(self, kind: str, took_s: float, *, is_refused: bool) -> None:
        """Count a request from Slack; `kind` is one of `KINDS`."""
        self._ack_s.labels(kind).observe(took_s)
        if is_refused:
            self._refused.labels(kind).inc()

    def note_line(self, level: str) -> None:
        """Count a line of the log, also of a library; `level` is one of `LEVELS`."""
        self._lines.labels(level).inc()

    async def page(self, accepts: str) -> tuple[bytes, str]:
        """Return all metrics and their content type; `accepts` is an Accept header."""
        await self.gauges.refresh()
        encode, content_type = choose_encoder(accepts)
        return encode(self.registry), content_type


def traced_calls(note: Note) -> aiohttp.TraceConfig:
    """Return a trace that reports each request of an aiohttp session to `note`.

    Every `response_url` is a secret: all of them are called "response_url".
    """
    config = aiohttp.TraceConfig()

    async def begin(
        _session: aiohttp.ClientSession,
        context: SimpleNamespace,
        _params: aiohttp.TraceRequestStartParams,
    ) -> None:
        context.began = seconds_now()

    async def end(
        _session: aiohttp.ClientSession,
        context: SimpleNamespace,
        params: aiohttp.TraceRequestEndParams | aiohttp.TraceRequestExceptionParams,
    ) -> None:
        outcome = "unreachable"
        if isinstance(params, aiohttp.TraceRequestEndParams):
            outcome = "failed" if params.response.status >= 400 else "answered"
            if params.response.status == 429:
                outcome = "rate_limited"
        name = params.url.path.rpartition("/")[2]
        method = name if _METHOD.fullmatch(name) else "response_url"
        note(method, outcome, seconds_now() - context.began)

    config.on_request_start.append(begin)
    config.on_request_end.append(end)
    config.on_request_exception.append(end)
    return config
