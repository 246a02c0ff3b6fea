"""What is reported of a database and the way to it."""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import psycopg
import pytest

from bot.store.documents import StoreError
from bot.store.postgres.address import Address, parse_address
from bot.store.postgres.documents import PostgresDocuments
from bot.store.postgres.pool import Pool, open_pool
from bot.store.postgres.snapshot import is_near, read_facts, tightest
from tests.store.postgres.database import run
from tests.store.postgres.pooler import pooled

pytestmark = pytest.mark.anyio

ROOM = """
    SELECT current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0)
"""


@pytest.fixture
async def pool(address: Address) -> AsyncIterator[Pool]:
    opened = await open_pool(address)
    yield opened
    await opened.close()


@contextmanager
def others(database: str, count: int) -> Iterator[None]:
    """Let so many more be connected to another database of the server."""
    place, _, rest = database.partition("?")
    url = f"{place.rpartition('/')[0]}/postgres?{rest}"
    connections = [psycopg.connect(url) for _ in range(count)]
    yield
    for each in connections:
        each.close()


async def test_the_documents_are_counted(pool: Pool, store: PostgresDocuments) -> None:
    for number in range(3):
        await store.put(f"-.T{number}/key", {})

    facts = await read_facts(pool)

    assert facts.documents == 3
    assert facts.version[0].isdigit()
    assert 0 < facts.read_s < 10
    assert not facts.is_encrypted


async def test_without_any_other_limit_that_of_the_server_counts(
    pool: Pool, store: PostgresDocuments
) -> None:
    facts = await read_facts(pool)

    assert [(facts.allowed,)] == await run(store, ROOM)
    assert facts.used >= 2


async def test_the_limit_of_the_database_counts_where_it_is_reached_first(
    pool: Pool, store: PostgresDocuments
) -> None:
    await run(
        store,
        "DO $$BEGIN EXECUTE format('ALTER DATABASE %I CONNECTION LIMIT 9', current_database());"
        " END$$",
    )

    facts = await read_facts(pool)

    assert facts.allowed == 9
    assert 2 <= facts.used <= 9


async def test_connections_to_other_databases_of_the_server_count(
    database: str, pool: Pool
) -> None:
    before = await read_facts(pool)

    with others(database, 20):
        facts = await read_facts(pool)

    assert facts.used >= before.used + 20 - 10  # somebody else may have gone in the meantime


async def test_a_database_without_tables_cannot_be_examined(empty_database: str) -> None:
    pool = await open_pool(parse_address(empty_database))

    with pytest.raises(StoreError, match="the database cannot be examined"):
        await read_facts(pool)
    await pool.close()


async def test_an_address_of_this_machine_is_near(database: str) -> None:
    async with pooled(parse_address(database)) as (url, _):
        pool = await open_pool(parse_address(f"{url}?pool_mode=transaction"))

        assert (await read_facts(pool)).is_near
        await pool.close()


@pytest.mark.parametrize(
    ("limits", "counts"),
    [
        ((97, 12, -1, 1, -1, 1), (97, 12)),
        ((97, 12, 20, 1, -1, 1), (20, 1)),
        ((97, 90, 20, 1, -1, 1), (97, 90)),
        ((97, 12, 20, 1, 5, 4), (5, 4)),
        ((97, 12, 0, 1, -1, 1), (0, 1)),
    ],
)
def test_the_limit_with_the_least_left_counts(
    limits: tuple[int, ...], counts: tuple[int, int]
) -> None:
    assert tightest(*limits) == counts


@pytest.mark.parametrize(
    ("host", "address", "near"),
    [
        ("", "", True),
        ("/run/postgresql", "", True),
        ("db.example", "", False),
        ("localhost", "127.0.0.1", True),
        ("localhost", "::1", True),
        ("db.example", "10.0.0.5", False),
        ("db.example", "203.0.113.9", False),
    ],
)
def test_only_this_machine_is_near(host: str, address: str, near: bool) -> None:
    assert is_near(host, address) is near
