"""Tables made step by step, once, who else does so at the same moment."""

import asyncio
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from bot.store.documents import StoreError
from bot.store.postgres.address import Address, parse_address
from bot.store.postgres.documents import open_postgres
from bot.store.postgres.migrations import OURS, Steps, migrate, missing
from bot.store.postgres.pool import open_pool
from tests.fakes import TIME_LIMIT_S
from tests.postgres import PostgresServer
from tests.stores import read_database

FIRST = {"toys/1": "CREATE TABLE toy (name text); SELECT '100%'"}
OTHERS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
SECOND = {**FIRST, "toys/2": "INSERT INTO toy VALUES ('ball')"}


@pytest.fixture
def empty(empty_database: str) -> Address:
    return parse_address(empty_database)


async def toys(address: Address) -> list[tuple[str]]:
    async with await psycopg.AsyncConnection.connect(address.conninfo) as connection:
        return await (await connection.execute("SELECT name FROM toy")).fetchall()


async def missing_at(address: Address, steps: Steps) -> list[str]:
    pool = await open_pool(address)
    try:
        return await missing(pool, steps)
    finally:
        await pool.close()


async def test_steps_are_taken_in_order_and_once_and_stay_when_a_later_one_fails(
    empty: Address,
) -> None:
    wrong = {**SECOND, "toys/3": "DELETE FROM toy; SELECT 1/0"}

    assert await migrate(empty, FIRST) == ["toys/1"]
    assert await migrate(empty, SECOND) == ["toys/2"]
    assert await migrate(empty, SECOND) == []
    with pytest.raises(StoreError, match="division by zero"):
        await migrate(empty, wrong)

    assert await missing_at(empty, wrong) == ["toys/3"]
    assert await toys(empty) == [("ball",)]


async def test_two_at_once_take_each_step_once(empty: Address) -> None:
    outcomes = await asyncio.gather(*(migrate(empty, {**OURS, **SECOND}) for _ in range(4)))

    assert sum(map(len, outcomes)) == len(OURS) + 2
    assert await toys(empty) == [("ball",)]


async def test_a_value_that_a_step_adds_to_a_type_is_usable_in_the_next(empty: Address) -> None:
    """Before PostgreSQL 17 not within one transaction."""
    steps = {
        "toys/1": "CREATE TYPE mood AS ENUM ('glad')",
        "toys/2": "ALTER TYPE mood ADD VALUE 'sad'",
        "toys/3": "CREATE TABLE toy (name text); INSERT INTO toy VALUES ('sad'::mood)",
    }

    assert len(await migrate(empty, steps)) == 3
    assert await toys(empty) == [("sad",)]


async def test_a_missing_migration_stops_the_start(empty: Address) -> None:
    with pytest.raises(StoreError, match="python -m bot migrate"):
        await read_database(empty)
    assert await missing_at(empty, OURS) == [*OURS]
    for steps in (FIRST, SECOND):
        with pytest.raises(StoreError, match="lacks steps of its schema: run `python -m bot mig"):
            await open_postgres(empty, steps=steps)

    async with await psycopg.AsyncConnection.connect(empty.conninfo, autocommit=True) as other:
        async with asyncio.timeout(TIME_LIMIT_S):
            while await (await other.execute(OTHERS)).fetchone() != (0,):
                pass


async def test_servers_that_are_too_old_are_refused(
    empty: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with await psycopg.AsyncConnection.connect(empty.conninfo) as connection:
        version = connection.info.server_version

    monkeypatch.setattr("bot.store.postgres.migrations.MIN_SERVER_VERSION", version)
    assert await migrate(empty, FIRST) == ["toys/1"]
    monkeypatch.setattr("bot.store.postgres.migrations.MIN_SERVER_VERSION", version + 1)
    with pytest.raises(StoreError, match="PostgreSQL 15 or newer is needed"):
        await migrate(empty, SECOND)


async def test_a_database_needs_utf8(postgres: PostgresServer, empty_database: str) -> None:
    name = f"{urlsplit(empty_database).path[1:]}_latin"
    postgres.execute(
        sql.SQL("CREATE DATABASE {} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0").format(
            sql.Identifier(name)
        )
    )

    with pytest.raises(StoreError, match="must be of the encoding UTF8"):
        await migrate(parse_address(postgres.url_of(name)), OURS)
    postgres.drop(name)
