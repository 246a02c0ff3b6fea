"""What is reported of a database and the way to it."""

from collections.abc import AsyncIterator

import pytest

from bot.store.postgres.address import Address
from bot.store.postgres.documents import PostgresDocuments
from bot.store.postgres.pool import Pool, open_pool
from bot.store.postgres.snapshot import read_facts

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
