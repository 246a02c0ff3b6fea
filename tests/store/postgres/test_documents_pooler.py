"""The store behind a pooler that hands out connections for one transaction at a time."""

import asyncio

import pytest

from bot.installations.installation import scope_of_key
from bot.store.documents import StoreError
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import open_postgres
from bot.store.postgres.migrations import OURS, migrate
from tests.postgres import PostgresServer
from tests.store.postgres.pooler import pooled
from tests.store.test_documents import increment


@pytest.fixture(autouse=True)
def _own_server(postgres: PostgresServer) -> None:
    if not postgres.can_restart:
        pytest.skip("the pooler of the tests knows no passwords")


async def live(url: str) -> None:
    """Do everything that a store does, again and again."""
    store = await open_postgres(parse_address(url), beginning_of=scope_of_key)
    try:
        await asyncio.gather(*(increment(store, f"-.T1/{n % 10}") for n in range(100)))
        counts = [each.value["n"] for each in await store.list_prefix("-.T1/")]
        assert counts == [10] * 10
        assert await store.delete_prefix("-.T1/") == 10
        with pytest.raises(StoreError, match="removed"):
            await store.put("-.T1/key", {})
        await store.put("-.T1/installation", {})
        await store.check()
        assert await store.list_keys("-.T1/") == ["-.T1/installation"]
    finally:
        await store.close()


async def test_nothing_needs_more_than_its_transaction(empty_database: str) -> None:
    async with pooled(parse_address(empty_database)) as url:
        assert await migrate(parse_address(url), OURS)

        await live(url)
