"""What is reported of a database and the way to it."""

from collections.abc import AsyncIterator

import pytest

from bot.store.postgres.address import Address
from bot.store.postgres.documents import PostgresDocuments
from bot.store.postgres.pool import Pool, open_pool
from bot.store.postgres.snapshot import read_facts, tightest
from tests.store.postgres.database import run

pytestmark = pytest.mark.anyio


@pytest.fixture
async def pool(address: Address) -> AsyncIterator[Pool]:
    opened = await open_pool(address)
    yield opened
    await opened.close()


async def test_the_documents_are_counted(pool: Pool, store: PostgresDocuments) -> None:
    for number in range(3):
        await store.put(f"-.T{number}/key", {})

    facts = await read_facts(pool)

    assert facts.documents == 3
    assert facts.version[0].isdigit()
    assert 0 < facts.read_s < 10
    assert not facts.is_encrypted


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


@pytest.mark.parametrize(
    ("limits", "counts"),
    [
        ((97, 12, -1, 1, -1, 1), (97, 12)),
        ((97, 12, 20, 1, -1, 1), (20, 1)),
        ((97, 12, 20, 1, 5, 4), (5, 4)),
        ((97, 12, 0, 1, -1, 1), (0, 1)),
    ],
)
def test_the_limit_with_the_least_left_counts(
    limits: tuple[int, ...], counts: tuple[int, int]
) -> None:
    assert tightest(*limits) == counts
