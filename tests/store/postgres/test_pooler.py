"""The store behind a pooler that hands out connections for one transaction at a time."""

import asyncio
from pathlib import Path

import psycopg
import pytest
from psycopg import AsyncConnection
from structlog.testing import capture_logs

from bot.installations.installation import scope_of_key
from bot.store.documents import Documents, LostConnectionError, StoreError
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import open_postgres
from bot.store.postgres.migrations import OURS, MigrationSet, migrate
from bot.store.postgres.pool import connected, connecting, with_pooler_found
from tests.postgres import PostgresServer
from tests.store.postgres.pooler import PGBOUNCER, bounced, pooled
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


async def test_what_is_prepared_does_not_outlive_the_transaction(database: str) -> None:
    """What shows that the pooler of these tests is one."""
    async with (
        pooled(parse_address(database)) as (url, _),
        await AsyncConnection.connect(url, autocommit=True, prepare_threshold=0) as connection,
    ):
        with pytest.raises(psycopg.Error, match="prepared statement"):
            await connection.execute("SELECT 1")


@pytest.mark.parametrize("servers", [1, 2, 3])
async def test_a_pooler_that_the_address_does_not_name_is_noticed(
    database: str, servers: int
) -> None:
    async with pooled(parse_address(database), servers=servers) as (url, _):
        with capture_logs() as logs:
            store = await open_postgres(parse_address(f"{url}?pool_size=2"))
        await increments(store, 20)
        await store.close()

    assert [(each["log_level"], each["mend"]) for each in logs] == [
        ("warning", "Add pool_mode=transaction to DATABASE_URL.")
    ]


async def test_a_direct_connection_is_not_taken_for_a_pooler(database: str) -> None:
    with capture_logs() as logs:
        store = await open_postgres(parse_address(database))
    await store.close()

    assert logs == []
    assert await with_pooler_found(parse_address(database)) == parse_address(database)


async def test_a_migration_leaves_nothing_prepared_behind_a_pooler_that_is_not_named(
    empty_database: str,
) -> None:
    many = MigrationSet("toys", {f"{number:02}": "SELECT 1" for number in range(20)})
    async with pooled(parse_address(empty_database), servers=1) as (url, _):
        assert len(await migrate(parse_address(url), [many])) == 20

        async with await connected(parse_address(url)) as next_client:
            asked = await next_client.execute("SELECT count(*) FROM pg_prepared_statements")
            assert await asked.fetchone() == (0,)


async def test_a_database_with_no_place_for_the_pool_is_named(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.store.postgres.pool.WAIT_S", 0.1)
    async with pooled(parse_address(database)) as (url, pooler):
        pooler.places = 1
        address = parse_address(url + MODE)
        with pytest.raises(StoreError, match=f"cannot connect to {address.place}"):
            await open_postgres(address)


@pytest.mark.skipif(not PGBOUNCER, reason="there is no PgBouncer here")
async def test_a_pgbouncer_that_the_address_does_not_name_is_noticed(
    database: str, tmp_path: Path
) -> None:
    async with bounced(parse_address(database), tmp_path, mode="transaction") as url:
        store = await open_postgres(parse_address(url))
        await increments(store, 20)
        await store.close()

        assert (await with_pooler_found(parse_address(url))).is_pooled


@pytest.mark.skipif(not PGBOUNCER, reason="there is no PgBouncer here")
async def test_a_pgbouncer_in_session_mode_is_as_good_as_none(
    database: str, tmp_path: Path
) -> None:
    async with bounced(parse_address(database), tmp_path, mode="session") as url:
        assert not (await with_pooler_found(parse_address(url))).is_pooled


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

    async def test_a_deletion_is_not_done_again(self, database: str) -> None:
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
