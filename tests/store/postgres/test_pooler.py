"""The store behind a pooler that hands out connections for one transaction at a time."""

import asyncio

import pytest

from bot.installations.models import scope_of_key
from bot.store.documents import Documents, StoreError
from bot.store.postgres.documents import open_postgres
from bot.store.postgres.migrations import OURS, migrate
from bot.store.postgres.pool import LostConnectionError, connecting, parse_address
from tests.postgres import PostgresServer
from tests.store.postgres.pooler import pooled
from tests.store.test_documents import increment

pytestmark = pytest.mark.anyio

MODE = "?pool_mode=transaction&pool_size=5"


@pytest.fixture(autouse=True)
def _own_server(postgres: PostgresServer) -> None:
    if not postgres.can_restart:
        pytest.skip("the pooler of the tests knows no passwords")


async def increments(documents: Documents, times: int) -> None:
    for _ in range(times):
        await increment(documents, "-.T1/key")


async def live(url: str) -> None:
    """Do everything that a store does, again and again."""
    store = await open_postgres(parse_address(url), beginning_of=scope_of_key)
    try:
        await asyncio.gather(*(increment(store, f"-.T1/{n % 10}") for n in range(100)))
        counts = [each.value["n"] for each in await store.list_prefix("-.T1/")]
        assert counts == [10] * 10
        async with store.forgetting("-.T1/"):
            assert await store.delete_prefix("-.T1/") == 10
        with pytest.raises(StoreError, match="removed"):
            await store.put("-.T1/key", {})
        await store.put("-.T1/installation", {})
        await store.vacuum()
        await store.check()
        assert await store.list_keys("-.T1/") == ["-.T1/installation"]
    finally:
        await store.close()


async def test_nothing_needs_more_than_its_transaction(empty_database: str) -> None:
    async with pooled(parse_address(empty_database)) as (url, _):
        assert await migrate(parse_address(url + MODE), [OURS])

        await live(url + MODE)


async def test_without_the_option_the_pooler_would_be_a_trouble(database: str) -> None:
    """What shows that the pooler of these tests is one."""
    async with pooled(parse_address(database)) as (url, _):
        store = await open_postgres(parse_address(url))
        with pytest.raises(StoreError, match="prepared statement"):
            await increments(store, 20)
        await store.close()


def test_nothing_is_prepared_behind_a_pooler() -> None:
    direct, behind = (parse_address(f"postgresql:///bot{mode}") for mode in ("", MODE))

    assert connecting(behind)["prepare_threshold"] is None
    assert "prepare_threshold" not in connecting(direct)


class TestLostAnswers:
    """The server has done it, and its word does not arrive."""

    async def test_a_write_that_finds_itself_has_happened(self, database: str) -> None:
        async with pooled(parse_address(database)) as (url, pooler):
            store = await open_postgres(parse_address(url + MODE))
            first = await store.put("-.T1/key", {"n": 1})

            pooler.cuts = 1
            second = await store.put("-.T1/key", {"n": 2}, if_rev=first.rev)
            pooler.cuts = 1
            third = await store.put("-.T1/key", {"n": 3})

            assert await store.get("-.T1/key") == third
            assert len({first.rev, second.rev, third.rev}) == 3
            await store.close()

    async def test_a_read_is_done_again(self, database: str) -> None:
        async with pooled(parse_address(database)) as (url, pooler):
            store = await open_postgres(parse_address(url + MODE))
            put = await store.put("-.T1/key", {"n": 1})

            pooler.cuts = 1

            assert await store.get("-.T1/key") == put
            await store.close()

    async def test_a_deletion_is_not(self, database: str) -> None:
        async with pooled(parse_address(database)) as (url, pooler):
            store = await open_postgres(parse_address(url + MODE))
            await store.put("-.T1/key", {"n": 1})

            pooler.cuts = 1

            with pytest.raises(LostConnectionError):
                await store.delete("-.T1/key")
            await store.close()

    async def test_what_somebody_else_has_written_since_is_not_written_over(
        self, database: str
    ) -> None:
        async with pooled(parse_address(database)) as (url, pooler):
            store = await open_postgres(parse_address(url + MODE))
            direct = await open_postgres(parse_address(database))
            first = await store.put("-.T1/key", {"n": 1})

            pooler.cuts = 1
            pooler.after_cut = lambda: direct.put("-.T1/key", {"n": "theirs"})

            with pytest.raises(LostConnectionError):
                await store.put("-.T1/key", {"n": 2}, if_rev=first.rev)
            found = await store.get("-.T1/key")
            assert found is not None
            assert found.value == {"n": "theirs"}
            await store.close()
            await direct.close()
