"""Metrics as Prometheus would read them: from the page, not from the objects."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from bot.web.metrics import Metrics


def a_bot() -> Metrics:
    return Metrics(role="all", store="sqlite")


async def samples(metrics: Metrics) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Return every sample of the page by its name and labels."""
    page, _ = await metrics.page("text/plain")
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(page.decode())
        for sample in family.samples
    }


async def value(metrics: Metrics, name: str, /, **labels: str) -> float | None:
    """Return a sample, or `None` when there is none."""
    return (await samples(metrics)).get((name, frozenset(labels.items())))


async def values(metrics: Metrics, name: str) -> Mapping[frozenset[tuple[str, str]], float]:
    """Return all samples of this name by their labels."""
    found = await samples(metrics)
    return {labels: each for (known_as, labels), each in found.items() if known_as == name}


def find_all(metrics: Metrics, found: Mapping[str, Any]) -> None:
    """Let each look find what stands under its name."""

    async def look(name: str) -> Any:
        return found[name]

    for name in found:
        metrics.gauges.sources[name] = partial(look, name)
