"""What a database holds at one moment, read beside the bots that use it."""

from datetime import UTC, datetime

import pytest

from bot.store.documents import StoreError
from bot.store.postgres.address import Address, parse_address
from bot.store.postgres.documents import PostgresDocuments
from tests.stores import read_database

DUE = datetime(2030, 3, 1, 9, 0, tzinfo=UTC)


@pytest.fixture
async def store(store: PostgresDocuments) -> PostgresDocuments:
    """Return a store with documents of three kinds."""
    await store.put("-.T1/key", {"sealed": "v1.k1.AAAA"})
    await store.put("-.T1/digest/d1", {"text": "v1 is out"}, due_at=DUE)
    await store.put("E1.T2/scan/shop.example", {})
    await store.put("meta/check", {})
    return store


ALL = ("-.T1/digest/d1", "-.T1/key", "E1.T2/scan/shop.example", "meta/check")


async def test_documents_come_in_key_order(store: PostgresDocuments, address: Address) -> None:
    documents = await read_database(address)

    assert tuple(each.key for each in documents) == ALL
    assert documents == await store.list_prefix("")


async def test_a_database_without_tables_is_to_be_migrated(empty_database: str) -> None:
    with pytest.raises(StoreError, match="python -m bot migrate"):
        await read_database(parse_address(empty_database))
