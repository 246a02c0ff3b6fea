from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.ops.stores import DatabaseStore, Process
from bot.process_heartbeat import SharedProcesses
from bot.store.postgres.address import parse_address
from bot.store.sqlite import Snapshot
from tests.memory import MemoryDocuments

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def a_process(documents: MemoryDocuments, role: str) -> SharedProcesses:
    return SharedProcesses(documents, role=role, clock=lambda: NOW)


class Watched(DatabaseStore):
    """A store in memory; `watch` happens between its two reads."""

    def __init__(self, documents: MemoryDocuments, watch: Callable[[], Awaitable[object]]) -> None:
        super().__init__(parse_address("postgresql://db.example/bot"), (), watch_s=0)
        self.documents = documents
        self.watch = watch
        self.reads = 0

    async def pages(self, **_wanted: Any) -> AsyncGenerator[Snapshot]:
        self.reads += 1
        if self.reads > 1:
            await self.watch()
        yield Snapshot(documents=tuple(await self.documents.list_prefix("")))


async def lived(documents: MemoryDocuments, *refreshing: SharedProcesses) -> Sequence[Process]:
    async def watch() -> None:
        for each in refreshing:
            await each.heartbeat()

    return await Watched(documents, watch).living()


async def test_those_that_show_themselves_live_and_a_killed_one_does_not() -> None:
    documents = MemoryDocuments()
    web, worker, killed = (a_process(documents, role) for role in ("web", "worker", "worker"))
    for each in (web, worker, killed):
        await each.heartbeat()

    assert {each.role for each in await lived(documents, web, worker)} == {"web", "worker"}


@pytest.mark.parametrize(
    ("shown", "process"),
    [
        ({}, Process(role="?")),
        ({"role": ["web"]}, Process(role="?")),
        ({"role": "web\x1b[2J"}, Process(role="?")),
        ({"role": "web", "keys": ["k2", "k1"]}, Process(role="web", keys=("k2", "k1"))),
    ],
    ids=["nothing", "of another kind", "strange", "all"],
)
async def test_what_another_version_shows_is_no_trouble(
    shown: dict[str, object], process: Process
) -> None:
    documents = MemoryDocuments()

    async def watch() -> None:
        await documents.put("meta/process/x", shown)

    await watch()

    assert await Watched(documents, watch).living() == [process]
