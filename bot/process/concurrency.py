"""Task groups, single flight and name look-ups for asyncio."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

import structlog

T = TypeVar("T")
logger = structlog.get_logger()
# One for each host and port that the bot knows, and some for those that hang.
LOOKUP_THREADS = 32


def _log_error(task: asyncio.Future[Any]) -> None:
    if not task.cancelled() and (error := task.exception()):
        logger.error("a task failed", exc_info=error)


def _retrieve_error(task: asyncio.Future[Any]) -> None:
    """Retrieve an error whose callers may all have left: asyncio would log it."""
    if not task.cancelled():
        task.exception()


async def outcome(job: asyncio.Future[T]) -> T:
    """Return or raise as `job` does, which goes on where its caller is cancelled.

    `asyncio.shield` does the same, but from Python 3.14 on it logs the error of such a job.
    """
    await asyncio.wait({job})
    return job.result()


class Tasks:
    """A set of running tasks. Bolt keeps none (1.30): nothing else would wait for them."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def start(
        self,
        work: Coroutine[Any, Any, T],
        *,
        on_end: Callable[[asyncio.Future[T]], object] = _log_error,
    ) -> "asyncio.Task[T]":
        """Run `work` on its own, and return its task; what it raises is logged."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        task.add_done_callback(on_end)
        return task

    async def drain(self, timeout_s: float) -> bool:
        """Wait for everything that runs, and what that starts; say whether that ended in time."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_s
        while self._running and (left_s := deadline - loop.time()) > 0:
            await asyncio.wait(set(self._running), timeout=left_s)
        return not self._running

    async def cancel(self) -> None:
        late = set(self._running)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)


K = TypeVar("K", bound=Hashable)


class SingleFlight(Generic[K, T]):
    """Share one run among all callers that ask for the same thing while it is under way.

    async-lru would do this too, but it keeps results for a time of its own, and what a
    portfolio may keep depends on what happened to it since.
    """

    def __init__(self) -> None:
        self._flights: dict[K, asyncio.Task[T]] = {}

    async def run(self, key: K, work: Callable[[], Awaitable[T]]) -> T:
        """Return the result of `work`, or raise its error, to all callers alike.

        A caller that is cancelled leaves; the work goes on for the others.
        """
        if key not in self._flights:
            self._flights[key] = task = asyncio.ensure_future(work())
            task.add_done_callback(lambda _: self._flights.pop(key))
            task.add_done_callback(_retrieve_error)
        return await outcome(self._flights[key])


async def run_shielded(tasks: Tasks, work: Coroutine[Any, Any, T]) -> T:
    """Do `work` as one of `tasks`, so that a stop waits for its end; return or raise as it does.

    What Slack gives once must not be lost because its caller has gone.
    """
    return await outcome(tasks.start(work, on_end=_retrieve_error))


class EventLoop(asyncio.SelectorEventLoop):
    """Python's own, but a name look-up that hangs keeps no thread from drawing or comparing.

    httpx, aiohttp and psycopg look names up by the loop, which takes its default executor
    (https://docs.python.org/3/library/asyncio-eventloop.html#asyncio.loop.getaddrinfo): half a
    dozen threads, which `asyncio.to_thread` needs too. More of them are no way out: with 64, sixty
    drawings at once kept the loop from every ack for one to two seconds. The same question is
    asked once at a time, so that a name that hangs keeps one thread, however many wait for it.
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
        question = host, port, family, type, proto, flags
        return await self._lookups.run(
            question,
            lambda: self.run_in_executor(self._lookup_threads, socket.getaddrinfo, *question),
        )

    def close(self) -> None:
        """Close the loop; a look-up that hangs is not waited for."""
        self._lookup_threads.shutdown(wait=False, cancel_futures=True)
        super().close()
