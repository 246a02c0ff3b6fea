"""Statements of tests on a store's database."""

import asyncio
from collections.abc import Callable

from bot.store.postgres.documents import PostgresDocuments
from tests.fakes import TIME_LIMIT_S

WAITING = """
    SELECT pid FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND datname = current_database()
"""


async def run(store: PostgresDocuments, statement: str) -> list[tuple[object, ...]]:
    async with store.pool.connection() as connection:
        cursor = await connection.execute(statement.encode())
        return await cursor.fetchall() if cursor.description else []


async def wait_until(
    store: PostgresDocuments, *, waiting: int, or_else: Callable[[], bool] = lambda: False
) -> None:
    """Wait until so many connections to the database wait for a lock, `or_else` until that."""
    async with asyncio.timeout(TIME_LIMIT_S):
        while len(await run(store, WAITING)) < waiting and not or_else():
            pass
