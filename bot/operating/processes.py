"""The processes that use a database, as they show themselves there; see bot/presence.py."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.store.base import Document

# The store's own documents have no workspace; their kind stands in the same place.
PROCESS = "process"
PREFIX = f"meta/{PROCESS}/"
# Each writes its document anew every five seconds.
WATCH_S = 7.0
ALL, WEB, WORKER = "all", "web", "worker"


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One process. `role` is `all`, `web`, `worker`, or `?` where it does not say.

    `keys` are the names of its keys at rest, `None` where it does not say.
    """

    role: str
    keys: tuple[str, ...] | None = None


async def living(
    read: Callable[[], Awaitable[Sequence[Document]]], watch: Callable[[], Awaitable[object]]
) -> list[Process]:
    """Return the processes whose documents change between two reads; `watch` is the time between.

    So no clock of theirs matters, and one that was killed is not taken for alive.
    """
    before = {each.key: each.rev for each in _of_processes(await read())}
    if not before:
        return []
    await watch()
    after = _of_processes(await read())
    return [_process(each.value) for each in after if before.get(each.key) != each.rev]


def roles(processes: Iterable[Process]) -> str:
    """Return `1 web, 2 worker`."""
    counts = Counter(each.role for each in processes)
    return ", ".join(f"{count:,} {role}" for role, count in sorted(counts.items()))


def _of_processes(documents: Iterable[Document]) -> list[Document]:
    return [each for each in documents if each.key.startswith(PREFIX)]


def _process(value: dict[str, Any]) -> Process:
    """Read what a process of whatever version shows: what it lacks is nobody's mistake."""
    role, keys = value.get("role"), value.get("keys")
    return Process(
        role=role if isinstance(role, str) and role in (ALL, WEB, WORKER) else "?",
        keys=tuple(map(str, keys)) if isinstance(keys, list) and keys else None,
    )
