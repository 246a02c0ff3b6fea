"""What several processes share: every store that keeps the contract, and what has been seen.

Two "processes" are two objects of each kind that know nothing of one another but the store.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store.deduplication import DedupStore, MemoryDedup
from bot.store.documents import Documents
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import PostgresDedup, open_postgres
from bot.store.postgres.pool import open_pool
from bot.store.sqlite import open_sqlite
from tests.fakes import FakeClock
from tests.memory import MemoryDocuments


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return where the documents are. Databases are made outside of the tests' event loop."""
    if request.param == "postgres":
        return str(request.getfixturevalue("database"))
    return str(tmp_path / "bot.sqlite") if request.param == "sqlite" else ""


@pytest.fixture
async def documents(place: str) -> AsyncIterator[Documents]:
    store: Documents = MemoryDocuments()
    if place.endswith(".sqlite"):
        store = await open_sqlite(Path(place))
    elif place:
        store = await open_postgres(parse_address(place))
    yield store
    await store.close()


@pytest.fixture(params=["memory", "postgres"])
def shared(request: pytest.FixtureRequest) -> str:
    """Return in which database names are remembered, empty for none."""
    return str(request.getfixturevalue("database")) if request.param == "postgres" else ""


@pytest.fixture
async def stored(shared: str) -> AsyncIterator[DedupStore]:
    if not shared:
        yield MemoryDedup(clock=FakeClock().seconds)
        return
    pool = await open_pool(parse_address(shared))
    yield PostgresDedup(pool)
    await pool.close()
