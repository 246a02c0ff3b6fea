"""Stores on one database, as the processes of one bot open them."""

from collections.abc import AsyncIterator

import pytest

from bot.installations.installation import scope_of_key
from bot.store.postgres.address import Address, parse_address
from bot.store.postgres.documents import PostgresDocuments, open_postgres


@pytest.fixture
def address(database: str) -> Address:
    return parse_address(database)


@pytest.fixture
async def store(address: Address) -> AsyncIterator[PostgresDocuments]:
    opened = await open_postgres(address, beginning_of=scope_of_key)
    yield opened
    await opened.close()


@pytest.fixture
async def other(address: Address) -> AsyncIterator[PostgresDocuments]:
    """Return a second store on the same database: that of another process."""
    opened = await open_postgres(address, beginning_of=scope_of_key)
    yield opened
    await opened.close()
