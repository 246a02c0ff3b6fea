"""The gauges whose values are read when Prometheus asks."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass

import structlog
from prometheus_client import CollectorRegistry, Counter
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from bot.concurrency import SingleFlight

logger = structlog.get_logger()
KEPT_FOR_S = 5.0
LOOK_WITHIN_S = 2.0
# A gauge's values by its label values, in order.
Values = Mapping[tuple[str, ...], float]
# The values of each gauge, by its name.
Source = Callable[[], Awaitable[Mapping[str, Values]]]


@dataclass(frozen=True, slots=True)
class Gauge:
    """The name, help text and label names of a gauge."""

    name: str
    meaning: str
    labels: tuple[str, ...] = ()


class LazyGauges(Collector):
    """Gauges that are read from possibly slow sources; a source that fails shows no values."""

    def __init__(
        self,
        registry: CollectorRegistry,
        gauges: Mapping[str, tuple[Gauge, ...]],
        *,
        clock: Callable[[], float] = time.monotonic,
        look_within_s: float = LOOK_WITHIN_S,
    ) -> None:
        self._clock = clock
        self._look_within_s = look_within_s
        self._gauges = gauges
        self._sources: dict[str, Source] = {}
        self._values: dict[str, Mapping[str, Values]] = {}
        self._looked_at: float | None = None
        self._flights: SingleFlight[str, None] = SingleFlight()
        self._failures = Counter(
            "bot_look_failures",
            "Values that could not be looked up when somebody asked for the metrics.",
            ["look"],
            registry=registry,
        )
        for name in gauges:
            self._failures.labels(name)
        registry.register(self)

    def set_source(self, name: str, source: Source) -> None:
        """Read the gauges of the look `name` from `source`."""
        self._sources[name] = source

    async def refresh(self) -> None:
        """Read all sources, unless that was done less than 5 s ago. Never raises."""
        if self._looked_at is None or self._clock() - self._looked_at >= KEPT_FOR_S:
            await self._flights.run("", self._look_at_all)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the gauges with their last values."""
        for look, gauges in self._gauges.items():
            for gauge in gauges:
                family = GaugeMetricFamily(gauge.name, gauge.meaning, labels=gauge.labels)
                for labels, value in self._values.get(look, {}).get(gauge.name, {}).items():
                    family.add_metric(labels, value)
                yield family

    async def _look_at_all(self) -> None:
        given = [name for name in self._gauges if name in self._sources]  # in their order
        await asyncio.gather(*map(self._look, given))
        self._looked_at = self._clock()

    async def _look(self, name: str) -> None:
        try:
            async with asyncio.timeout(self._look_within_s):
                self._values[name] = await self._sources[name]()
        except Exception as error:  # noqa: BLE001  # the other metrics must still be shown
            self._values[name] = {}
            self._failures.labels(name).inc()
            logger.warning("could not look up metrics", look=name, error=repr(error))


QUEUE_STATES = ("todo", "doing")
ROLES = ("all", "web", "worker")
GAUGES: dict[str, tuple[Gauge, ...]] = {
    # First: the other looks take connections from the pool.
    "pool": (
        Gauge("bot_store_connections", "This process's connections to PostgreSQL.", ("state",)),
        Gauge("bot_store_waiting_calls", "Calls that wait for one of them."),
    ),
    "digests": (
        Gauge("bot_digests_due", "Digests that are due and not taken up yet."),
        Gauge(
            "bot_digests_overdue_seconds",
            "For how long the longest due of them has been due; 0 when none is.",
        ),
    ),
    "budget": (
        Gauge(
            "bot_budget_keys",
            "API keys that this process has used, by what it may ask for with them now.",
            ("state",),
        ),
        Gauge(
            "bot_budget_keys_by_requests_left",
            "The same keys, by how many requests the service has last said to remain.",
            ("left",),
        ),
    ),
    "queue": (Gauge("bot_queue_jobs", "Jobs in the queue.", ("task", "state")),),
    "processes": (
        Gauge("bot_processes", "Processes that have shown a sign of life lately.", ("role",)),
    ),
}


def due(source: Callable[[], Awaitable[tuple[int, float]]]) -> Source:
    """Return the look "digests": `source` returns the due count and the seconds overdue."""

    async def look() -> Mapping[str, Values]:
        count, overdue_s = await source()
        return {"bot_digests_due": {(): count}, "bot_digests_overdue_seconds": {(): overdue_s}}

    return look


def budget(source: Callable[[], tuple[Mapping[str, int], Mapping[str, int]]]) -> Source:
    """Return the look "budget": `source` counts keys by state and by requests left."""

    async def look() -> Mapping[str, Values]:
        states, left = source()
        return {
            "bot_budget_keys": {(state,): count for state, count in states.items()},
            "bot_budget_keys_by_requests_left": {(some,): count for some, count in left.items()},
        }

    return look


def queue(source: Callable[[], Awaitable[Mapping[tuple[str, str], int]]]) -> Source:
    """Return the look "queue": `source` counts jobs by task and state, "todo" or "doing"."""

    async def look() -> Mapping[str, Values]:
        found = await source()
        values: dict[tuple[str, ...], float] = {
            (task, state): found.get((task, state), 0)
            for task in {task for task, _ in found}
            for state in QUEUE_STATES
        }
        return {"bot_queue_jobs": values}

    return look


def processes(source: Callable[[], Awaitable[Mapping[str, int]]]) -> Source:
    """Return the look "processes": `source` counts live processes by role."""

    async def look() -> Mapping[str, Values]:
        found = await source()
        return {"bot_processes": {(role,): found.get(role, 0) for role in ROLES}}

    return look


def pool(stats: Callable[[], Mapping[str, int]]) -> Source:
    """Return the look "pool": `stats` is `get_stats` of a psycopg pool.

    https://www.psycopg.org/psycopg3/docs/advanced/pool.html#pool-stats
    """

    async def look() -> Mapping[str, Values]:
        found = stats()
        size, free = found.get("pool_size", 0), found.get("pool_available", 0)
        return {
            "bot_store_connections": {("used",): size - free, ("free",): free},
            "bot_store_waiting_calls": {(): found.get("requests_waiting", 0)},
        }

    return look
