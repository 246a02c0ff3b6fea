"""The gauges whose values are read when Prometheus asks."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import structlog
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

logger = structlog.get_logger()
READ_WITHIN_S = 2.0
DIGESTS, QUEUE = "digests", "queue"
QUEUE_STATES = ("todo", "doing")


class LazyGauges(Collector):
    """Gauges that are read from possibly slow sources; a source that fails shows no values.

    That of `DIGESTS` returns how many are due, and for how many seconds the first of them; that
    of `QUEUE` the counts of jobs by task and state.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._sources: dict[str, Callable[[], Awaitable[Any]]] = {}
        self._found: dict[str, Any] = {}
        registry.register(self)

    def set_source(self, name: str, source: Callable[[], Awaitable[Any]]) -> None:
        self._sources[name] = source

    async def refresh(self) -> None:
        """Read all sources; never raise."""
        await asyncio.gather(*map(self._read, self._sources))

    def collect(self) -> Iterator[GaugeMetricFamily]:
        due = GaugeMetricFamily("bot_digests_due", "Digests that are due and in no job yet.")
        overdue = GaugeMetricFamily(
            "bot_digests_overdue_seconds",
            "For how long the longest due of them has been due; 0 when none is.",
        )
        jobs = GaugeMetricFamily("bot_queue_jobs", "Jobs in the queue.", labels=("task", "state"))
        if DIGESTS in self._found:
            count, late_s = self._found[DIGESTS]
            due.add_metric((), count)
            overdue.add_metric((), late_s)
        counts = self._found.get(QUEUE, {})
        for task in {task for task, _ in counts}:
            for state in QUEUE_STATES:
                jobs.add_metric((task, state), counts.get((task, state), 0))
        yield from (due, overdue, jobs)

    async def _read(self, name: str) -> None:
        try:
            async with asyncio.timeout(READ_WITHIN_S):
                self._found[name] = await self._sources[name]()
        except Exception as error:  # noqa: BLE001  # the other metrics must still be shown
            self._found.pop(name, None)
            logger.warning("could not look up metrics", look=name, error=repr(error))
