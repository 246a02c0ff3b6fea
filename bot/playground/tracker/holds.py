"""Requests that wait until they are let go, so that tests of progress need no sleeping."""

import asyncio

# Longer than the busiest machine takes to deliver a request; who waits so long has failed.
LIMIT_S = 60.0


class Hold:
    """Stops every request that arrives while it holds."""

    def __init__(self) -> None:
        self._count = 0
        self._arrival = asyncio.Event()
        self._released = asyncio.Event()

    def release(self) -> None:
        """Let every waiting request go on, and every later one pass."""
        self._released.set()

    async def waiting(self, count: int = 1) -> None:
        """Return when so many requests have arrived in all. Raises TimeoutError after 60 s."""
        async with asyncio.timeout(LIMIT_S):
            while self._count < count:
                self._arrival.clear()
                await self._arrival.wait()

    async def wait(self) -> None:
        """Hold one request here until `release`."""
        self._count += 1
        self._arrival.set()
        await self._released.wait()
