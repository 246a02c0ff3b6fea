"""Work that somebody waits for, and that goes on when they leave."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from bot.tasks import Tasks

T = TypeVar("T")


async def run_errand(tasks: Tasks, work: Awaitable[T]) -> T:
    """Do `work` as one of `tasks`, so that a stop waits for its end; return or raise as it does.

    What Slack gives once must not be lost because whoever asked for it has gone.
    """
    result, error = await asyncio.shield(tasks.start(_outcome(work)))
    if error:
        raise error
    return result  # type: ignore[return-value]  # without an error there is one


async def _outcome(work: Awaitable[T]) -> tuple[T | None, Exception | None]:
    try:
        return await work, None
    except Exception as error:  # noqa: BLE001  # it is for whoever waits, and not for the log
        return None, error
