"""Several processes on one database, and one that is killed at any moment."""

import asyncio
import random
from contextlib import AsyncExitStack

import pytest

from bot.store.postgres.documents import PostgresDocuments
from tests.processes import BotProcess
from tests.store.postgres.worker import KEYS, SIGNAL
from tests.store.processes import next_line, started

pytestmark = pytest.mark.anyio

KILLS = 4


async def said(process: BotProcess) -> list[int]:
    """Return what a process says from now on, to its end."""
    output, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return [int(line) for line in output.split()]


async def both(action: str, store: PostgresDocuments, url: str) -> list[list[int]]:
    """Let two processes do the same at the same time, and return what each of them says."""
    async with AsyncExitStack() as stack:
        workers = [
            await stack.enter_async_context(started("postgres.worker", action, url))
            for _ in range(2)
        ]
        for worker in workers:
            assert await next_line(worker) == "0"  # it has opened the store
        await store.put(SIGNAL, {})
        return list(await asyncio.gather(*map(said, workers)))


async def test_two_processes_that_count_lose_nothing(
    store: PostgresDocuments, database: str
) -> None:
    await both("count", store, database)

    counts = [each.value["n"] for each in await store.list_prefix("-.T1/count/")]
    assert counts == [2 * KEYS // 5] * 5


async def test_each_document_is_claimed_by_one_of_two_processes(
    store: PostgresDocuments, database: str
) -> None:
    one, two = await both("claim", store, database)

    assert sorted(one + two) == list(range(KEYS))


async def test_kill_9_loses_no_acknowledged_write(store: PostgresDocuments, database: str) -> None:
    await store.put(SIGNAL, {})
    acknowledged: set[int] = set()
    for _ in range(KILLS):
        async with started("postgres.worker", "write", database) as writer:
            lines = [await next_line(writer) for _ in range(random.randint(2, 60))]
            writer.kill()
            rest, _ = await writer.communicate()
        whole_lines = rest.decode().rpartition("\n")[0].split()
        acknowledged |= {int(line) for line in [*lines[1:], *whole_lines]}

        kept = {each.value["number"] for each in await store.list_prefix("-.T1/number/")}
        assert acknowledged <= kept
