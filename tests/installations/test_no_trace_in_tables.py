"""Of a workspace that removed the app no row is left: in no table, and not the work of others."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.installations.departure import Departure, Way, beginning_of
from bot.installations.forgetting import Forgetting
from bot.installations.proving import Proving
from bot.installations.shelf import InstallationShelf
from bot.store.errors import StoreError
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import PostgresDocuments, open_postgres
from bot.tasks import Tasks
from tests.builders import MOMENT
from tests.fakes import TIME_LIMIT_S, FakeClock
from tests.installations.builders import RING
from tests.installations.test_no_trace import GONE, STAYS, Life
from tests.store.postgres.database import run

pytestmark = pytest.mark.anyio

TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"


@pytest.fixture
async def processes(database: str) -> AsyncIterator[list[PostgresDocuments]]:
    """Return the stores of two processes."""
    opened = [
        await open_postgres(parse_address(database), beginning_of=beginning_of) for _ in range(2)
    ]
    yield opened
    for each in opened:
        await each.close()


def forgetting_in(store: PostgresDocuments, tasks: Tasks) -> Forgetting:
    around: Any = {
        "still_works": lambda _home: pytest.fail("nobody is to be asked"),
        "caches": [],
        "tasks": tasks,
        "clock": FakeClock(),
    }
    return Forgetting(store, Proving(store, InstallationShelf(store, RING), **around), **around)


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
    forgetting = forgetting_in(one, tasks)

    await forgetting.follow(Departure(GONE, Way.REMOVED, MOMENT))
    forgetting.wipe_soon()
    assert await tasks.are_done_within(TIME_LIMIT_S)
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

    await asyncio.gather(
        *(
            forgetting_in(store, tasks).follow(Departure(GONE, Way.REMOVED, MOMENT))
            for store in processes
        )
    )

    assert await processes[0].list_keys(f"{GONE}/") == []
    assert await processes[0].list_keys(f"{STAYS}/")
