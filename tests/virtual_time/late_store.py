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
    has if the answer was on its way back.
    """
    clock, run = current(), SqliteDocuments.run
    if clock is None or not clock.is_disturbed:
        yield
        return

    async def late(documents: SqliteDocuments, action: Any) -> Any:
        there_s, back_s = clock.store_late_s()
        await _pause(there_s)
        result = await run(documents, action)
        await _pause(back_s)
        return result

    with mock.patch.object(SqliteDocuments, "run", late):
        yield


async def _pause(seconds: float) -> None:
    if seconds:
        await asyncio.sleep(seconds)
