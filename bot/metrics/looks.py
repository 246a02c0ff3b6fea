"""Gauges whose values are looked up when somebody asks for the metrics, at most every 5 s."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field

import structlog
from prometheus_client import CollectorRegistry, Counter
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from bot.single_flight import SingleFlight

logger = structlog.get_logger()

KEPT_FOR_S = 5.0
LOOK_WITHIN_S = 2.0

# The values of a gauge by the values of its labels, in order.
Values = Mapping[tuple[str, ...], float]
# The values of each gauge of a look, by the gauge's name.
Source = Callable[[], Awaitable[Mapping[str, Values]]]


@dataclass(frozen=True, slots=True)
class Gauge:
    """What a gauge is called and means, and the names of its labels."""

    name: str
    meaning: str
    labels: tuple[str, ...] = ()


@dataclass(slots=True)
class _Look:
    gauges: tuple[Gauge, ...]
    source: Source | None = None
    found: Mapping[str, Values] = field(default_factory=dict)


class Looks(Collector):
    """Looks, each with a source that may be slow. A look that fails shows no values at all.

    `clock` counts seconds that never go back.
    """

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
        self._looks = {name: _Look(each) for name, each in gauges.items()}
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

    def give(self, name: str, source: Source) -> None:
        """Let `source` tell the values of the look called `name`."""
        self._looks[name].source = source

    async def refresh(self) -> None:
        """Look again, unless the last look is less than 5 s ago. Never raises."""
        if self._looked_at is None or self._clock() - self._looked_at >= KEPT_FOR_S:
            await self._flights.run("", self._look_at_all)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the gauges as they were found last."""
        for look in self._looks.values():
            for gauge in look.gauges:
                family = GaugeMetricFamily(gauge.name, gauge.meaning, labels=gauge.labels)
                for values, found in look.found.get(gauge.name, {}).items():
                    family.add_metric(values, found)
                yield family

    async def _look_at_all(self) -> None:
        await asyncio.gather(*(self._look(name) for name in self._looks))
        self._looked_at = self._clock()

    async def _look(self, name: str) -> None:
        look = self._looks[name]
        if look.source is None:
            return
        try:
            async with asyncio.timeout(self._look_within_s):
                look.found = await look.source()
        except Exception as error:  # noqa: BLE001  # the other metrics are wanted all the more
            look.found = {}
            self._failures.labels(name).inc()
            logger.warning("could not look up metrics", look=name, error=repr(error))
