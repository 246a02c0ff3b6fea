"""The server goes away and comes back; connections break in the middle of a statement."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager

import pytest

from bot.store.documents import Document, LostConnectionError, StoreError
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import PostgresDocuments, open_postgres
from tests.fakes import TIME_LIMIT_S
from tests.postgres import PostgresServer
from tests.store.postgres.database import WAITING, run, wait_until

pytestmark = pytest.mark.anyio


@pytest.fixture
def server(postgres: PostgresServer) -> Iterator[PostgresServer]:
    if not postgres.can_restart:
        pytest.skip("the server is not the tests' own")
    yield postgres
    postgres.start()  # if it is running, this does nothing


@asynccontextmanager
async def held(store: PostgresDocuments, statement: str) -> AsyncIterator[asyncio.Event]:
    """Keep the lock that a statement takes until the event is set."""
    is_over = asyncio.Event()

    async def hold() -> None:
        async with store.pool.connection() as connection, connection.transaction():
            await connection.execute(statement.encode())
            has_begun.set()
            await is_over.wait()

    has_begun = asyncio.Event()
    holding = asyncio.create_task(hold())
    await has_begun.wait()
    yield is_over
    is_over.set()
    await holding


async def break_who_waits(store: PostgresDocuments) -> None:
    """End the connection of the one that waits for a lock, as soon as it does."""
    await wait_until(store, waiting=1)
    await run(store, f"SELECT pg_terminate_backend(pid, 5000) FROM ({WAITING}) waiting")


async def test_nobody_notices_a_restart_between_two_calls(
    store: PostgresDocuments, server: PostgresServer
) -> None:
    first = await store.put("-.T1/key", {"n": 0})
    await asyncio.gather(*(store.get("-.T1/key") for _ in range(200)))  # all connections are open

    await asyncio.to_thread(server.stop)
    await asyncio.to_thread(server.start)

    puts = await asyncio.gather(*(store.put(f"-.T1/{n}", {}) for n in range(20)))
    assert sorted([first, *puts], key=lambda each: each.key) == await store.list_prefix("-.T1/")


async def test_while_the_server_is_away_calls_fail_and_later_ones_work_by_themselves(
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


class TestBrokenInTheMiddle:
    async def test_a_read_is_done_again(
        self, store: PostgresDocuments, other: PostgresDocuments
    ) -> None:
        put = await store.put("-.T1/key", {"n": 1})

        async with held(other, "LOCK TABLE document IN ACCESS EXCLUSIVE MODE") as is_over:
            reading = asyncio.create_task(store.get("-.T1/key"))
            await break_who_waits(other)
            is_over.set()

            assert await reading == put

    @pytest.mark.parametrize("call", ["put", "delete"])
    async def test_a_write_is_an_error_and_not_done_again(
        self, store: PostgresDocuments, other: PostgresDocuments, call: str
    ) -> None:
        first = await store.put("-.T1/key", {"n": 1})
        calls: dict[str, Callable[[], Awaitable[object]]] = {
            "put": lambda: store.put("-.T1/key", {"n": 2}),
            "delete": lambda: store.delete("-.T1/key"),
        }

        async with held(other, "SELECT 1 FROM document FOR UPDATE") as is_over:
            writing = asyncio.ensure_future(calls[call]())
            await break_who_waits(other)
            is_over.set()
            with pytest.raises(LostConnectionError):
                await writing

        assert await store.get("-.T1/key") == first
