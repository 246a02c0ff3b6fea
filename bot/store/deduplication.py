"""Recognise a request of Slack that arrives a second time."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import structlog
from cachetools import TTLCache

from bot.process.clock import seconds_now
from bot.store.documents import StoreError

if TYPE_CHECKING:
    from bot.store.postgres.documents import PostgresDedup

logger = structlog.get_logger()
# Slack's signatures are good for five minutes either way:
# https://docs.slack.dev/authentication/verifying-requests-from-slack
REMEMBERED_FOR_S = 600
MAX_REMEMBERED = 100_000
# With `KNOWN_WITHIN_S` of `installations/authorize.py` below the 3 s that Slack waits for its ack,
# also while the store is away and a form asks twice. A form can be opened for 3 s after a press:
# https://docs.slack.dev/interactivity/handling-user-interaction
ASKED_WITHIN_S = 0.6


class Dedup:
    """The names that came in the last ten minutes: to this process, or to any (`stored`).

    A name begins with what it names: `request/…`. While the others do not answer in time, only
    what came to this process is known: people's commands go on, and Slack repeats nothing in those
    ten minutes unless the ack was late, or somebody replays a request.
    """

    def __init__(
        self,
        stored: "PostgresDedup | Dedup | None" = None,
        *,
        clock: Callable[[], float] = seconds_now,
    ) -> None:
        self._stored = stored
        self._names: TTLCache[str, bool] = TTLCache(MAX_REMEMBERED, REMEMBERED_FOR_S, timer=clock)

    async def remember(self, name: str) -> bool:
        """Say whether `name` comes for the first time, and remember it; never raise."""
        if name in self._names:
            return False
        self._names[name] = True
        if self._stored is None or await self._ask(self._stored.remember(name)) is not False:
            return True
        self._names.pop(name, None)  # another process has it, and may forget it
        return False

    async def forget(self, name: str) -> None:
        """Let `name` be new again; if the store fails, other processes still know it."""
        self._names.pop(name, None)
        if self._stored:
            await self._ask(self._stored.forget(name))

    async def _ask(self, others: Awaitable[bool | None]) -> bool | None:
        """Return what the other processes say, also `None` if they cannot be asked in time."""
        try:
            async with asyncio.timeout(ASKED_WITHIN_S):
                return await others
        except (StoreError, TimeoutError) as error:
            logger.warning("the other processes could not be asked", error=repr(error))
            return None

    async def drop_old(self) -> None:
        """Let the store lose what came more than ten minutes ago; raise StoreError."""
        if self._stored:
            await self._stored.drop_old()
