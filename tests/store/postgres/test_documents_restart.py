"""The server goes away and comes back; a connection breaks in the middle of a statement."""

import asyncio
from collections.abc import Iterator

import pytest

from bot.store.documents import Document, StoreError
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import PostgresDocuments, open_postgres
from tests.fakes import TIME_LIMIT_S
from tests.postgres import PostgresServer
from tests.store.postgres.database import WAITING, run, wait_until


@pytest.fixture
def server(postgres: PostgresServer) -> Iterator[PostgresServer]:
    if not postgres.can_restart:
        pytest.skip("the server is not the tests' own")
    yield postgres
    postgres.start()  # if it is running, this does nothing


async def test_a_restart_is_not_noticed(store: PostgresDocuments, server: PostgresServer) -> None:
    first = await store.put("-.T1/key", {"n": 0})
    await asyncio.gather(*(store.get("-.T1/key") for _ in range(200)))  # all connections are open

    await asyncio.to_thread(server.stop)
    await asyncio.to_thread(server.start)

    puts = await asyncio.gather(*(store.put(f"-.T1/{n}", {}) for n in range(20)))
    assert sorted([first, *puts], key=lambda each: each.key) == await store.list_prefix("-.T1/")


async def test_calls_work_again_after_a_restart(
    database: str, server: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    patient = await open_postgres(parse_address(database))
    first = await patient.put("-.T1/key", {"n": 0})
    await patient.close()
    store = await open_postgres(parse_address(database), timeout_s=0.5)

    await asyncio.to_thread(server.stop)
    for call in (store.get("-.T1/key"), store.put("-.T1/key", {"n": 1}), store.check()):
        with pytest.raises(StoreError):
            await call
    await asyncio.to_thread(server.start)

    async with asyncio.timeout(TIME_LIMIT_S):
        assert await first_answer(store) == first
    await store.close()
    assert caplog.records == []  # who calls says so, and not the pool dozens of times a second


async def first_answer(store: PostgresDocuments) -> Document | None:
    while True:
        try:
            return await store.get("-.T1/key")
        except StoreError:
            continue


async def test_a_broken_write_is_not_repeated(
    store: PostgresDocuments, other: PostgresDocuments
) -> None:
    first = await store.put("-.T1/key", {"n": 1})

    async with other.pool.connection() as connection, connection.transaction():
        await connection.execute("SELECT 1 FROM document FOR UPDATE")
        writing = asyncio.create_task(store.put("-.T1/key", {"n": 2}))
        await wait_until(other, waiting=1)
        await run(other, f"SELECT pg_terminate_backend(pid, 5000) FROM ({WAITING}) waiting")
        with pytest.raises(StoreError):
            await writing

    assert await store.get("-.T1/key") == first
