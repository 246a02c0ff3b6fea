"""No one waits for ever: not for a lock, not for a connection, and no one keeps one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.store.documents import StoreError
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import PostgresDocuments, open_postgres
from bot.store.postgres.pool import open_pool
from tests.fakes import TIME_LIMIT_S
from tests.store.postgres.database import run

SECRET = "hunter2"


@pytest.fixture
async def hasty(database: str) -> AsyncIterator[PostgresDocuments]:
    """Return a store of three connections whose calls may take 0.2 s."""
    opened = await open_postgres(parse_address(database, pool_size=3), timeout_s=0.2)
    yield opened
    await opened.close()


@asynccontextmanager
async def locked(store: PostgresDocuments, key: str) -> AsyncIterator[None]:
    """Keep everybody from writing a document."""
    async with store.pool.connection() as connection, connection.transaction():
        await connection.execute("SELECT 1 FROM document WHERE key = %s FOR UPDATE", (key,))
        yield


async def all_connections_are_back(store: PostgresDocuments) -> bool:
    """Whether as many callers at once are served as there may be connections."""
    everybody = asyncio.Barrier(store.pool.max_size)

    async def use() -> None:
        async with store.pool.connection() as connection:
            await connection.execute("SELECT 1")
            await everybody.wait()

    async with asyncio.timeout(TIME_LIMIT_S):
        await asyncio.gather(*(use() for _ in range(store.pool.max_size)))
    return True


async def test_a_wait_for_a_lock_ends(store: PostgresDocuments, hasty: PostgresDocuments) -> None:
    first = await store.put("-.T1/key", {"n": 1})

    async with locked(store, "-.T1/key"):
        for call in (
            hasty.put("-.T1/key", {"n": 2}),
            hasty.put("-.T1/key", {"n": 2}, if_rev=first.rev),
            hasty.delete("-.T1/key"),
            hasty.delete_prefix("-.T1/"),
        ):
            with pytest.raises(StoreError, match=r"did not answer within 0\.2 s"):
                await call
        assert await store.get("-.T1/key") == first  # readers do not wait

    assert await store.get("-.T1/key") == first
    assert await all_connections_are_back(hasty)


async def test_a_dead_address_is_named_without_the_password() -> None:
    with pytest.raises(StoreError, match=r"127\.0\.0\.1:1, database bot") as refused:
        await open_pool(parse_address(f"postgresql://ada:{SECRET}@127.0.0.1:1/bot"))

    assert SECRET not in str(refused.value)


async def test_a_wrong_password_is_not_quoted() -> None:
    """No server of tests asks for one, so one that does is played, and repeats it."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (length := int.from_bytes(await reader.readexactly(4))) == 8:
            await reader.readexactly(4)
            writer.write(b"N")  # neither TLS nor GSS
        await reader.readexactly(length - 4)
        writer.write(b"R\0\0\0\x08\0\0\0\x03")  # the password in clear text, please
        said = (await reader.readuntil(b"\0\0\0\x0c") + await reader.readexactly(8))[5:-1]
        fields = b"SFATAL\0C28P01\0Mno such password: " + said + b"\0\0"
        writer.write(b"E" + (len(fields) + 4).to_bytes(4) + fields)
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(StoreError, match="no such password: …") as refused:
            await open_pool(parse_address(f"postgresql://ada:{SECRET}@127.0.0.1:{port}/bot"))

    assert SECRET not in str(refused.value)
    assert refused.value.__cause__ is None  # which a log would show


async def test_a_foreign_row_is_an_error_and_can_be_deleted(store: PostgresDocuments) -> None:
    await run(store, "INSERT INTO document VALUES ('-.T1/key', '[1]', 1, now())")

    for reading in (store.get("-.T1/key"), store.list_prefix("-.T1/")):
        with pytest.raises(StoreError, match="cannot be read"):
            await reading
    assert await store.delete("-.T1/key")
