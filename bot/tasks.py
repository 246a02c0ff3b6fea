"""The work that goes on after Slack has its ack, so that a stop can wait for it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import structlog

T = TypeVar("T")

logger = structlog.get_logger()


class Tasks:
    """A set of running tasks. Bolt keeps none (1.30): nothing else would wait for them."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """Run `work` on its own, and return its task; what it raises is logged."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._finish)
        return task

    async def are_done_within(self, timeout_s: float) -> bool:
        """Wait for everything that runs, and what that starts; say whether that ended in time."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_s
        while self._running and (left_s := deadline - loop.time()) > 0:
            await asyncio.wait(set(self._running), timeout=left_s)
        return not self._running

    async def cancel(self) -> int:
        """Cancel what still runs; return how much that was."""
        late = set(self._running)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        return len(late)

    def _finish(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()):
            logger.error("a task failed", exc_info=error)
