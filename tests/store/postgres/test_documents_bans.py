"""Of a workspace that one process has deleted, no other process writes anything any more."""

import asyncio
from itertools import count

from bot.store.documents import StoreError
from bot.store.postgres.documents import PostgresDocuments
from tests.fakes import TIME_LIMIT_S
from tests.store.postgres.database import run, wait_until

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

    await run(store, AN_HOUR_AGO)
    await other.put("-.T1/key", {})
    await store.delete_prefix("-.T2/")

    assert await run(store, "SELECT count(*) FROM forgotten") == [(1,)]


async def test_no_id_is_left_of_whom_was_deleted(store: PostgresDocuments) -> None:
    await store.delete_prefix("E0GONE.T0GONE/")

    left = str(await run(store, "SELECT * FROM forgotten"))
    assert "E0" not in left
    assert "T0" not in left
