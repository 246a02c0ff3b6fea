"""Work that comes again with every tick, and that no tick waits for."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from bot.errors import BotError
from bot.tasks import Tasks

logger = structlog.get_logger()


class Recurring:
    """Does `work` as one of `tasks`, never twice at a time. What fails is logged."""

    def __init__(self, tasks: Tasks, work: Callable[[], Awaitable[object]]) -> None:
        self._tasks = tasks
        self._work = work
        self._under_way: asyncio.Task[None] | None = None

    def begin(self) -> "asyncio.Task[None]":
        """Begin with it, unless it is under way; return what is. It never raises."""
        if self._under_way is None or self._under_way.done():
            self._under_way = self._tasks.start(self._run())
        return self._under_way

    async def _run(self) -> None:
        try:
            await self._work()
        except BotError as error:
            logger.warning("not done now, again with the next tick", error=repr(error))
