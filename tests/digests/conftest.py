from collections.abc import AsyncIterator

import pytest

from bot.store.postgres.address import parse_address
from bot.store.postgres.pool import open_pool
from tests.digests.office import DocumentsInDatabase, Office


@pytest.fixture(params=["memory", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str | None:
    """Return where the office has its documents; `None`: in memory."""
    return str(request.getfixturevalue("database")) if request.param == "postgres" else None


@pytest.fixture
async def office(database_url: str | None) -> AsyncIterator[Office]:
    if database_url is None:
        yield Office()
        return
    documents = DocumentsInDatabase(await open_pool(parse_address(database_url)))
    yield Office(documents=documents)
    await documents.close()
