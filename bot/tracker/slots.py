"""How many requests may be under way at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from bot.tracker.errors import UnavailableError

# More at once gain nothing: with httpx 0.28, a request among 20 was measured to cost twice the
# processor time of one alone.
MAX_REQUESTS = 8
# A scan may take two minutes, a list takes an instant. Two places that scans cannot take keep
# every list, and with it every digest, moving.
MAX_SCANS = 6


class Slots:
    """Places for requests; whoever finds none waits in line, up to `wait_s` seconds."""

    def __init__(self, *, wait_s: float) -> None:
        self._wait_s = wait_s
        self._requests = asyncio.Semaphore(MAX_REQUESTS)
        self._scans = asyncio.Semaphore(MAX_SCANS)

    @asynccontextmanager
    async def taken(self, *, is_scan: bool = False) -> AsyncIterator[None]:
        """Hold a place inside the block.

        Raises:
            UnavailableError: none became free in time; nothing was sent.
        """
        async with AsyncExitStack() as places:
            try:
                async with asyncio.timeout(self._wait_s):
                    if is_scan:  # first, so that a waiting scan holds no place of a list
                        await places.enter_async_context(self._scans)
                    await places.enter_async_context(self._requests)
            except TimeoutError as error:
                raise UnavailableError(
                    f"no request ended within {self._wait_s:g} s", is_outcome_unknown=False
                ) from error
            yield
