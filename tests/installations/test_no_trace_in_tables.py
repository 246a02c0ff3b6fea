"""Of a workspace that removed the app no row is left: in no table, and not the work of others."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.concurrency import Tasks
from bot.installations.models import UninstallEvent, UninstallKind, scope_of_key
from bot.store.documents import StoreError
from bot.store.postgres.documents import PostgresDocuments, open_postgres
from bot.store.postgres.pool import parse_address
from tests.builders import MOMENT
from tests.fakes import TIME_LIMIT_S
from tests.installations.builders import an_uninstaller
from tests.installations.test_no_trace import GONE, STAYS, Life
from tests.store.postgres.database import run

pytestmark = pytest.mark.anyio

TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"


@pytest.fixture
async def processes(database: str) -> AsyncIterator[list[PostgresDocuments]]:
    """Return the stores of two processes."""
    opened = [
        await open_postgres(parse_address(database), beginning_of=scope_of_key) for _ in range(2)
    ]
    yield opened
    for each in opened:
        await each.close()


async def everything_in(store: PostgresDocuments) -> str:
    """Return all rows of all tables, as text."""
    tables = [f'SELECT t::text FROM "{name}" t' for (name,) in await run(store, TABLES)]
    return "\n".join(str(row) for (row,) in await run(store, " UNION ALL ".join(tables)))


async def test_nothing_is_left_in_any_table(processes: list[PostgresDocuments]) -> None:
    one, other = processes
    for workspace in (GONE, STAYS):
        await Life(one, workspace).live()
    assert "t0gone" in await everything_in(one)
    tasks = Tasks()
    uninstaller = an_uninstaller(one, tasks)

    await uninstaller.handle(UninstallEvent(GONE, UninstallKind.REMOVED, MOMENT))
    uninstaller.vacuum_soon()
    assert await tasks.drain(TIME_LIMIT_S)
    with pytest.raises(StoreError, match="removed"):  # a scan that ends somewhere else
        await other.put(f"{GONE}/scan/t0gone.example", {})

    left = await everything_in(other)
    for trace in ("t0gone", "T0GONE", "E0GONE"):
        assert trace not in left
    assert "name of t0stays" in left


async def test_two_processes_that_hear_of_the_same_removal_do_it_once(
    processes: list[PostgresDocuments],
) -> None:
    for workspace in (GONE, STAYS):
        await Life(processes[0], workspace).live()
    tasks = Tasks()

    removal = UninstallEvent(GONE, UninstallKind.REMOVED, MOMENT)
    await asyncio.gather(*(an_uninstaller(store, tasks).handle(removal) for store in processes))

    assert await processes[0].list_keys(f"{GONE}/") == []
    assert await processes[0].list_keys(f"{STAYS}/")
