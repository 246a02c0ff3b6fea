from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from bot.ops.stores import Process, living, roles
from bot.process_heartbeat import SharedProcesses
from bot.store.memory import MemoryDocuments

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def a_process(documents: MemoryDocuments, role: str) -> SharedProcesses:
    return SharedProcesses(documents, role=role, clock=lambda: NOW)


async def lived(documents: MemoryDocuments, *refreshing: SharedProcesses) -> list[Process]:
    async def watch() -> None:
        for each in refreshing:
            await each.refresh()

    return await living(lambda: documents.list_prefix(""), watch)


async def test_those_that_show_themselves_live_and_a_killed_one_does_not() -> None:
    documents = MemoryDocuments()
    web, worker, killed = (a_process(documents, role) for role in ("web", "worker", "worker"))
    for each in (web, worker, killed):
        await each.refresh()

    assert {each.role for each in await lived(documents, web, worker)} == {"web", "worker"}


async def test_one_that_starts_meanwhile_lives_too() -> None:
    documents = MemoryDocuments()
    await a_process(documents, "web").refresh()

    assert await lived(documents, a_process(documents, "worker")) == [Process(role="worker")]


async def test_where_nobody_shows_himself_nobody_waits() -> None:
    def never() -> None:
        raise AssertionError("waited")

    watch: Callable[[], None] = never
    documents = MemoryDocuments()
    await documents.put("-.T1/process/x", {"role": "web"})

    async def waited() -> None:
        watch()

    assert await living(lambda: documents.list_prefix(""), waited) == []


@pytest.mark.parametrize(
    ("shown", "process"),
    [
        ({}, Process(role="?")),
        ({"role": ["web"], "keys": "k1"}, Process(role="?")),
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

    assert await living(lambda: documents.list_prefix(""), watch) == [process]


def test_roles_are_counted() -> None:
    some = [Process(role=role) for role in ("worker", "web", "worker")]

    assert roles(some) == "1 web, 2 worker"
