"""Everything that is measured in one process of the bot. Knows none of the parts it measures."""

from collections.abc import Callable

from prometheus_client import (
    CollectorRegistry,
    GCCollector,
    Info,
    PlatformCollector,
    ProcessCollector,
)
from prometheus_client.exposition import choose_encoder

from bot.metrics.digests import DigestMetrics
from bot.metrics.gauges import GAUGES
from bot.metrics.lines import LineMetrics
from bot.metrics.looks import Looks
from bot.metrics.people import PeopleMetrics
from bot.metrics.periodic import PeriodicMetrics
from bot.metrics.service import ServiceMetrics
from bot.metrics.slack import SlackMetrics
from bot.metrics.store import StoreMetrics

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
        self.looks = Looks(registry, GAUGES)
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
