"""What only a database could get wrong; the contract itself is tests/store/test_documents.py.

Of a workspace that one process has deleted, no other process writes anything any more.
The server goes away and comes back; a connection breaks in the middle of a statement.
Names that come once, whichever process asks.
"""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count

import pytest

from bot.store.documents import Document, StoreError
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import PostgresDedup, PostgresDocuments, open_postgres
from tests.fakes import TIME_LIMIT_S
from tests.postgres import PostgresServer
from tests.store.postgres.database import WAITING, run, wait_until

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)
MOMENTS = (NOON, datetime.max.replace(tzinfo=UTC), datetime.min.replace(tzinfo=UTC))


async def test_due_moments_ignore_the_session_zone(database: str) -> None:
    options = "-c%20timezone%3DAsia/Kathmandu%20-c%20datestyle%3DGerman"
    joined = f"{database}{'&' if '?' in database else '?'}options={options}"
    store = await open_postgres(parse_address(joined))

    for moment in MOMENTS:
        put = await store.put("-.T1/key", {}, due_at=moment)

        found = await store.get("-.T1/key")
        assert found == put
        assert found.due_at is not None
        assert found.due_at.tzinfo is UTC
        assert await store.due_keys(moment) == [put.key]
    await store.close()


async def test_what_is_due_is_found_by_an_index(store: PostgresDocuments) -> None:
    await run(
        store,
        "INSERT INTO document SELECT '-.T1/' || n, '{}', 1, now() + n * interval '1 hour'"
        " FROM generate_series(1, 10000) n",
    )
    await run(store, "ANALYZE document")

    plan = await run(
        store,
        "EXPLAIN SELECT key FROM document WHERE due_at <= now() + interval '3 hours'"
        " ORDER BY due_at, key LIMIT 100",
    )

    assert "document_due" in str(plan)
    assert "Sort" not in str(plan)


async def test_a_database_that_only_reads_is_no_store(store: PostgresDocuments) -> None:
    """As a standby is, to which somebody points the bot after a failure."""
    await run(
        store,
        "DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on',"
        " current_database()); END$$",
    )
    await store.pool.drain()

    with pytest.raises(StoreError, match="read-only"):
        await store.check()


AN_HOUR_AGO = "UPDATE forgotten SET until = until - interval '1 hour'"
PREFIX = "E1.T1/"


async def write_until_refused(store: PostgresDocuments, begun: asyncio.Event) -> int:
    """Write one document after another under `PREFIX`; return how many were taken."""
    for number in count():
        try:
            await store.put(f"{PREFIX}scan/{id(begun)}-{id(store)}/{number}", {"n": number})
        except StoreError:
            return number
        if number == 10:
            begun.set()
    raise AssertionError


async def test_races_leave_nothing(store: PostgresDocuments, other: PostgresDocuments) -> None:
    taken = 0
    for _ in range(4):
        begun = [asyncio.Event() for _ in range(10)]
        writing = [
            asyncio.create_task(write_until_refused(each, event))
            for event in begun
            for each in (store, other)
        ]
        await asyncio.gather(*(event.wait() for event in begun))

        await store.delete_prefix(PREFIX)

        async with asyncio.timeout(TIME_LIMIT_S):
            taken += sum(await asyncio.gather(*writing))
        assert await store.list_keys(PREFIX) == []
        await store.welcome(PREFIX)
    assert taken >= 4 * 10, "each event means a write that was taken"


async def test_an_allowed_write_precedes_the_deletion(
    store: PostgresDocuments, other: PostgresDocuments
) -> None:
    async with store.pool.connection() as first, first.transaction(force_rollback=True):
        await first.execute("INSERT INTO document VALUES (%s, '{}', 1)", (f"{PREFIX}key",))
        writing = asyncio.create_task(other.put(f"{PREFIX}key", {}))
        await wait_until(store, waiting=1)
        deleting = asyncio.create_task(store.delete_prefix(PREFIX))
        await wait_until(store, waiting=2, or_else=deleting.done)

    await asyncio.gather(writing, deleting)
    assert await store.list_keys("") == []


async def test_an_installation_stays(store: PostgresDocuments, other: PostgresDocuments) -> None:
    await store.put(f"{PREFIX}installation", {"n": 1})
    async with store.pool.connection() as first, first.transaction():
        await first.execute("SELECT delete_under(%s, %s)", (PREFIX, "E1.T10"))
        saving = asyncio.create_task(other.put(f"{PREFIX}installation", {"n": 2}))
        await wait_until(store, waiting=1)
        await other.put("-.T2/installation", {})  # somebody else's does not wait

    saved = await saving
    assert await store.list_prefix(PREFIX) == [saved]
    await store.put(f"{PREFIX}key", {})


async def test_the_refusal_ends_after_an_hour(
    store: PostgresDocuments, other: PostgresDocuments
) -> None:
    await store.delete_prefix("-.T1/")
    left = str(await run(store, "SELECT * FROM forgotten"))
    assert not [each for each in ("E0", "T1") if each in left]

    await run(store, AN_HOUR_AGO)
    await other.put("-.T1/key", {})
    await store.delete_prefix("-.T2/")

    assert await run(store, "SELECT count(*) FROM forgotten") == [(1,)]


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


async def test_a_name_comes_once_in_ten_minutes(store: PostgresDocuments) -> None:
    seen, name = PostgresDedup(store.pool), "T0ACME/half \ud800"

    asked = await asyncio.gather(*(seen.remember(name) for _ in range(20)))
    assert sum(asked) == 1
    ((kept, is_soon),) = await run(
        store, "SELECT name, until <= now() + interval '10 minutes' FROM seen"
    )
    assert isinstance(kept, bytes)  # a hash of it
    assert (len(kept), is_soon) == (32, True)

    await seen.forget(name)  # what it asked for has failed
    assert [await seen.remember(name) for _ in range(2)] == [True, False]
    await run(store, "UPDATE seen SET until = until - interval '599 seconds'")
    await seen.remember("young")
    assert not await seen.remember(name)
    await run(store, "UPDATE seen SET until = until - interval '1 second'")
    await seen.drop_old()
    assert await run(store, "SELECT count(*) FROM seen") == [(1,)]
    assert [await seen.remember(each) for each in (name, "young")] == [True, False]
