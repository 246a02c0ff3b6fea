"""What is looked up for the metrics, joined to them: a part of the composition root."""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime

from bot.digests.measured import Due
from bot.digests.shelf import Shelf
from bot.engine.queue import depth
from bot.metrics import gauges
from bot.metrics.metrics import Metrics
from bot.presence import PREFIX
from bot.storage import Stored
from bot.tracker.budget import Budget
from bot.tracker.standing import counted


def look_at_work(
    metrics: Metrics, shelf: Shelf, budget: Budget, *, clock: Callable[[], datetime]
) -> None:
    """Let the metrics tell what is due, and how the API keys stand."""
    metrics.looks.give("digests", gauges.due(Due(shelf, clock=clock)))
    metrics.looks.give("budget", gauges.budget(lambda: counted(budget.states())))


def look_at_processes(metrics: Metrics, stored: Stored) -> None:
    """Let the metrics tell which processes live, what the queue holds, and how the pool is."""
    if (shared := stored.shared) is None:
        metrics.looks.give("processes", gauges.processes(_alone))
        return

    async def roles() -> Mapping[str, int]:
        shown = await stored.documents.list_prefix(PREFIX)
        return Counter(str(each.value.get("role")) for each in shown)

    metrics.looks.give("processes", gauges.processes(roles))
    metrics.looks.give("queue", gauges.queue(lambda: depth(shared.pool)))
    metrics.looks.give("pool", gauges.pool(shared.pool.get_stats))


async def _alone() -> Mapping[str, int]:
    return {"all": 1}
