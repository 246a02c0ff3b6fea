"""The gauges that are looked up, by look, and the form in which their sources tell them."""

from collections.abc import Awaitable, Callable, Mapping

from bot.metrics.looks import Gauge, Source, Values

QUEUE_STATES = ("todo", "doing")
ROLES = ("all", "web", "worker")
GAUGES: dict[str, tuple[Gauge, ...]] = {
    # First: it tells at once, before the others take connections to look with.
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
    """Return the look "digests": `source` tells how many are due, and the longest for how long."""

    async def look() -> Mapping[str, Values]:
        count, overdue_s = await source()
        return {"bot_digests_due": {(): count}, "bot_digests_overdue_seconds": {(): overdue_s}}

    return look


def budget(source: Callable[[], tuple[Mapping[str, int], Mapping[str, int]]]) -> Source:
    """Return the look "budget": `source` counts keys by state, and by requests left."""

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
    """Return the look "processes": `source` counts those that live, by role."""

    async def look() -> Mapping[str, Values]:
        found = await source()
        return {"bot_processes": {(role,): found.get(role, 0) for role in ROLES}}

    return look


def pool(stats: Callable[[], Mapping[str, int]]) -> Source:
    """Return the look "pool": `stats` is `get_stats` of a pool of psycopg's.

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
