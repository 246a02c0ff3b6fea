"""Task groups, fair turns, single flight and name look-ups for asyncio."""

import asyncio
import socket
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, Generic, ParamSpec, TypeVar

import structlog

from bot.process.clock import seconds_now

T = TypeVar("T")
P = ParamSpec("P")
logger = structlog.get_logger()
# One for each host and port that the bot knows, and some for those that hang.
LOOKUP_THREADS = 32
# Fewer would leave the process idle while Slack takes 100 ms for each answer; see decision 26.
TURNS_AT_ONCE = 64
# In one turn of the event loop, which takes all acks that are due: so those go first.
BEGUN_AT_ONCE = 4
# What takes longer waits for Slack or the service, and does not delay the loop.
TURN_HELD_S = 0.25
# So many domains are chosen and drawn in a millisecond; the way to a thread and back costs a third
# of that. 10,000 take 50 ms, in which no ack would leave.
FEW = 200


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


async def compute(items: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what `work` returns; it runs in a thread if it handles more than a few `items`."""
    if items > FEW:
        return await asyncio.to_thread(work, *args, **kwargs)
    return work(*args, **kwargs)


class Tasks:
    """A set of running tasks. Bolt keeps none (1.30): nothing else would wait for them."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()
        self.is_stopping = False

    def stop(self) -> None:
        """Say that the process stops: what can wait for the next one is not begun."""
        self.is_stopping = True

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
        deadline = seconds_now() + timeout_s
        while self._running and (left_s := deadline - seconds_now()) > 0:
            await asyncio.wait(set(self._running), timeout=left_s)
        return not self._running

    async def cancel(self) -> None:
        late = set(self._running)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)


K = TypeVar("K", bound=Hashable)


class SingleFlight(Generic[K, T]):
    """Share one run among all callers that ask for the same thing while it is under way."""

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


class Turns(Generic[K]):
    """At most `TURNS_AT_ONCE` blocks run at a time; the owners whose blocks wait alternate.

    A turn ends with its block, or after `TURN_HELD_S`: the block goes on, and another may begin.
    """

    def __init__(self) -> None:
        self._held: set[asyncio.Future[None]] = set()
        self._waiting: dict[K, deque[asyncio.Future[None]]] = {}
        self._is_beginning = False

    @asynccontextmanager
    async def take(self, owner: K) -> AsyncIterator[None]:
        """Wait for a turn of the owner, and hold it inside the block."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(owner, deque()).append(turn)
        self._begin_soon()
        try:
            await turn
            yield
        finally:
            self._end(turn)

    def _end(self, turn: asyncio.Future[None]) -> None:
        self._held.discard(turn)
        self._begin_soon()

    def _begin_soon(self) -> None:
        if self._waiting and not self._is_beginning and len(self._held) < TURNS_AT_ONCE:
            self._is_beginning = True
            asyncio.get_running_loop().call_soon(self._begin)

    def _begin(self) -> None:
        self._is_beginning = False
        for _ in range(min(BEGUN_AT_ONCE, TURNS_AT_ONCE - len(self._held))):
            if (owner := next(iter(self._waiting), None)) is None:
                return
            turns = self._waiting.pop(owner)
            turn = turns.popleft()
            if turns:
                self._waiting[owner] = turns  # behind the others
            if not turn.cancelled():
                self._held.add(turn)
                turn.set_result(None)
                asyncio.get_running_loop().call_later(TURN_HELD_S, self._end, turn)
        self._begin_soon()


class EventLoop(asyncio.SelectorEventLoop):
    """Python's own, but a name look-up that hangs keeps no thread from drawing or comparing.

    The default executor, which would look them up
    (https://docs.python.org/3/library/asyncio-eventloop.html#asyncio.loop.getaddrinfo), has half
    a dozen threads: with 64, sixty drawings at once kept the loop from every ack for one to two
    seconds. A name that hangs keeps one thread, however many wait for it.
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
