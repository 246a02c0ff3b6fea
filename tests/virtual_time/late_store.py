"""Let a seed draw how long the calls of the bot's store take on their way there and back."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from bot.store.sqlite import SqliteDocuments
from tests.virtual_time.clock import current


@contextmanager
def late_store() -> Iterator[None]:
    """Hold calls up if the running test is disturbed.

    A database is elsewhere, and answers calls that run side by side in any order. A caller that
    is cancelled, by a time limit or a stop, has not written if the call was on its way there, and
    has if the answer was on its way back. But nothing is written after a workspace was deleted:
    SQLite takes calls in their order, PostgreSQL refuses such a write.
    """
    clock, run = current(), SqliteDocuments.run
    on_the_way: set[asyncio.Future[None]] = set()
    if clock is None or not clock.is_disturbed:
        yield
        return

    async def late(documents: SqliteDocuments, action: Any) -> Any:
        there_s, back_s = clock.store_late_s()
        if "delete_prefix" in action.__qualname__:
            there_s = 0.0
            if on_the_way:
                await asyncio.wait(on_the_way)
        if there_s:
            pause = asyncio.ensure_future(asyncio.sleep(there_s))
            on_the_way.add(pause)
            pause.add_done_callback(on_the_way.discard)
            await pause
        result = await run(documents, action)
        if back_s:
            await asyncio.sleep(back_s)
        return result

    with mock.patch.object(SqliteDocuments, "run", late):
        yield
