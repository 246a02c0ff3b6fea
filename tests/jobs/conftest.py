"""A database with the queue in it."""

from collections.abc import AsyncIterator

import pytest

from bot.store.postgres.address import parse_address
from bot.store.postgres.pool import Pool, open_pool


@pytest.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    pool = await open_pool(parse_address(database))
    yield pool
    await pool.close()
