"""Every store that keeps the contract. A further back end is one more row here."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from bot.store.documents import Documents
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import open_postgres
from bot.store.sqlite import SqliteDocuments, open_sqlite
from tests.memory import MemoryDocuments


@asynccontextmanager
async def memory_documents(_request: pytest.FixtureRequest) -> AsyncIterator[Documents]:
    yield MemoryDocuments()


@asynccontextmanager
async def sqlite_documents(request: pytest.FixtureRequest) -> AsyncIterator[Documents]:
    store = await open_sqlite(request.getfixturevalue("tmp_path") / "bot.sqlite")
    yield store
    await store.close()


@asynccontextmanager
async def postgres_documents(request: pytest.FixtureRequest) -> AsyncIterator[Documents]:
    store = await open_postgres(
        parse_address(request.getfixturevalue("database")),
        beginning_of=lambda key: f"{key.partition('/')[0]}/",  # so nothing is refused
    )
    yield store
    await store.close()


STORES: dict[str, Callable[[pytest.FixtureRequest], AbstractAsyncContextManager[Documents]]] = {
    "memory": memory_documents,
    "sqlite": sqlite_documents,
    "postgres": postgres_documents,
}


@pytest.fixture(params=STORES)
def needed(request: pytest.FixtureRequest) -> str:
    """Ask for a database before the loop of the test runs, if the store is to be in one."""
    if request.param == "postgres":
        request.getfixturevalue("database")
    return str(request.param)


@pytest.fixture
async def documents(request: pytest.FixtureRequest, needed: str) -> AsyncIterator[Documents]:
    async with STORES[needed](request) as store:
        yield store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a database could be; its folder is not there yet."""
    return tmp_path / "data" / "bot.sqlite"


@pytest.fixture
async def sqlite(path: Path) -> AsyncIterator[SqliteDocuments]:
    store = await open_sqlite(path)
    yield store
    await store.close()
