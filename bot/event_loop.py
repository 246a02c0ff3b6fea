"""An event loop that looks names up in threads of their own."""

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from bot.concurrency import SingleFlight

# One for each host and port that the bot knows, and some for those that hang.
LOOKUP_THREADS = 32


class EventLoop(asyncio.SelectorEventLoop):
    """Python's own, but a name look-up that hangs keeps no thread from drawing or comparing.

    httpx, aiohttp and psycopg look names up by the loop, which takes its default executor
    (https://docs.python.org/3/library/asyncio-eventloop.html#asyncio.loop.getaddrinfo): half a
    dozen threads, which `asyncio.to_thread` needs too. The same question is asked once at a time,
    so that a name that hangs keeps one thread, however many wait for it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lookups: SingleFlight[tuple[Any, ...], list[Any]] = SingleFlight()
        self._lookup_threads = ThreadPoolExecutor(LOOKUP_THREADS, thread_name_prefix="lookup")

    async def getaddrinfo(
        self,
        host: bytes | str | None,
        port: bytes | str | int | None,
        *,
        family: int = 0,
        type: int = 0,  # noqa: A002  # the overridden method's
        proto: int = 0,
        flags: int = 0,
    ) -> list[Any]:
        """See `asyncio.loop.getaddrinfo`."""
        question = host, port, family, type, proto, flags
        return await self._lookups.run(
            question,
            lambda: self.run_in_executor(self._lookup_threads, socket.getaddrinfo, *question),
        )

    def close(self) -> None:
        """Close the loop; a look-up that hangs is not waited for."""
        self._lookup_threads.shutdown(wait=False, cancel_futures=True)
        super().close()
