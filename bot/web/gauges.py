"""The gauges whose values are read when Prometheus asks."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, NamedTuple

import structlog
from prometheus_client import CollectorRegistry, Counter
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

logger = structlog.get_logger()
LOOK_WITHIN_S = 2.0
# A gauge's values by its label values, in order.
Values = Mapping[tuple[str, ...], float]
# What the gauges of a look read their values from.
Source = Callable[[], Awaitable[Any]]


class Gauge(NamedTuple):
    """A gauge whose `values` are made of what its look has found."""

    name: str
    meaning: str
    values: Callable[[Any], Values]
    labels: tuple[str, ...] = ()


class LazyGauges(Collector):
    """Gauges that are read from possibly slow sources; a source that fails shows no values."""

    def __init__(
        self,
        registry: CollectorRegistry,
        gauges: Mapping[str, tuple[Gauge, ...]],
    ) -> None:
        self._gauges = gauges
        self._sources: dict[str, Source] = {}
        self._found: dict[str, Any] = {}
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
        self._sources[name] = source

    async def refresh(self) -> None:
        """Read all sources; never raise."""
        given = [name for name in self._gauges if name in self._sources]  # in their order
        await asyncio.gather(*map(self._look, given))

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for look, gauges in self._gauges.items():
            for gauge in gauges:
                family = GaugeMetricFamily(gauge.name, gauge.meaning, labels=gauge.labels)
                if look in self._found:
                    for labels, value in gauge.values(self._found[look]).items():
                        family.add_metric(labels, value)
                yield family

    async def _look(self, name: str) -> None:
        try:
            async with asyncio.timeout(LOOK_WITHIN_S):
                self._found[name] = await self._sources[name]()
        except Exception as error:  # noqa: BLE001  # the other metrics must still be shown
            self._found.pop(name, None)
            self._failures.labels(name).inc()
            logger.warning("could not look up metrics", look=name, error=repr(error))


QUEUE_STATES = ("todo", "doing")


def _jobs(found: Mapping[tuple[str, str], int]) -> Values:
    tasks = {task for task, _ in found}
    return {(task, state): found.get((task, state), 0) for task in tasks for state in QUEUE_STATES}


GAUGES: dict[str, tuple[Gauge, ...]] = {
    # How many are due, and for how many seconds the first of them.
    "digests": (
        Gauge(
            "bot_digests_due",
            "Digests that are due and not taken up yet.",
            lambda found: {(): found[0]},
        ),
        Gauge(
            "bot_digests_overdue_seconds",
            "For how long the longest due of them has been due; 0 when none is.",
            lambda found: {(): found[1]},
        ),
    ),
    # The counts of jobs by task and state.
    "queue": (Gauge("bot_queue_jobs", "Jobs in the queue.", _jobs, ("task", "state")),),
}
