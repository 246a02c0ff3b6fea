"""Names that come once, whichever process asks."""

import asyncio

from bot.store.postgres.documents import PostgresDedup, PostgresDocuments
from tests.store.postgres.database import run

AGE = "UPDATE seen SET until = until - interval '10 minutes'"


async def test_what_failed_may_come_again(store: PostgresDocuments) -> None:
    seen = PostgresDedup(store.pool)
    await seen.remember("v0=1")

    await seen.forget("v0=1")

    assert await seen.remember("v0=1")
    assert not await seen.remember("v0=1")


async def test_names_are_kept_for_ten_minutes(store: PostgresDocuments) -> None:
    seen = PostgresDedup(store.pool)
    await seen.remember("v0=1")
    assert await run(store, "SELECT until <= now() + interval '10 minutes' FROM seen") == [(True,)]
    await run(store, AGE.replace("10 minutes", "599 seconds"))
    assert not await seen.remember("v0=1")

    await run(store, AGE)

    assert await seen.remember("v0=1")
    assert not await seen.remember("v0=1")


async def test_only_what_is_over_is_dropped(store: PostgresDocuments) -> None:
    seen = PostgresDedup(store.pool)
    await seen.remember("old")
    await run(store, AGE)
    await seen.remember("young")

    await seen.drop_old()

    assert await run(store, "SELECT count(*) FROM seen") == [(1,)]
    assert not await seen.remember("young")


async def test_no_name_stands_in_the_database(store: PostgresDocuments) -> None:
    await PostgresDedup(store.pool).remember("T0ACME/half \ud800")

    ((name,),) = await run(store, "SELECT name FROM seen")
    assert isinstance(name, bytes)
    assert len(name) == 32


async def test_of_many_that_ask_at_once_one_is_first(store: PostgresDocuments) -> None:
    seen = PostgresDedup(store.pool)

    asked = await asyncio.gather(*(seen.remember("v0=1") for _ in range(20)))

    assert sum(asked) == 1
