"""Every store that keeps the contract. A further back end is one more row here."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from bot.store.base import Documents
from bot.store.memory import MemoryDocuments
from bot.store.sqlite import SqliteDocuments, open_sqlite


@asynccontextmanager
async def memory_documents(_folder: Path) -> AsyncIterator[Documents]:
    yield MemoryDocuments()


@asynccontextmanager
async def sqlite_documents(folder: Path) -> AsyncIterator[Documents]:
    store = await open_sqlite(folder / "bot.sqlite")
    yield store
    await store.close()


STORES: dict[str, Callable[[Path], AbstractAsyncContextManager[Documents]]] = {
    "memory": memory_documents,
    "sqlite": sqlite_documents,
}


@pytest.fixture(params=STORES)
async def documents(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Documents]:
    async with STORES[request.param](tmp_path) as store:
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
