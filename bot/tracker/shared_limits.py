"""Share the rate limit of each key between processes.

Each key has one small document in its workspace: what the last reply said, and until when to wait.
The last writer wins, so two processes may each meet one rate-limit error:
docs/decisions/0016-rate-limits-of-an-api-key.md.
"""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any

import msgspec
import structlog
from cachetools import TTLCache

from bot.process.clock import seconds_now
from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from bot.store.documents import Documents, StoreError
from bot.tracker.rate_limit import WINDOW_S, Allowance, RateLimiter, RateLimitState

KIND = "budget"
READ_EVERY_S = 2.0
ANSWERED_WITHIN_S = 1.0
MAX_REMEMBERED = 20_000
logger = structlog.get_logger()


class SharedLimits:
    """Shares what replies say of each key's rate limit with other processes, by its fingerprint.

    A document is read before a request, at most every two seconds, and written after one. While
    the store fails or is slow, `limiter` goes on with what it knows: no method raises.
    """

    def __init__(
        self,
        documents: Documents,
        limiter: RateLimiter,
        tasks: Tasks,
        *,
        seconds: Callable[[], float] = seconds_now,
    ) -> None:
        self.limiter = limiter
        self._documents = documents
        self._tasks = tasks
        self._is_read = TTLCache[tuple[WorkspaceId, str], bool](
            MAX_REMEMBERED, READ_EVERY_S, timer=seconds
        )

    async def state(self, workspace: WorkspaceId, fingerprint: str) -> Allowance:
        await self._in_time(self._read(workspace, fingerprint))
        return self.limiter.state(fingerprint)

    async def before_request(self, workspace: WorkspaceId, fingerprint: str) -> None:
        """Learn what other processes have stored of a key."""
        key = workspace, fingerprint
        if key not in self._is_read:
            self._is_read[key] = True
            await self._in_time(self._read(workspace, fingerprint))

    def after_request(self, workspace: WorkspaceId, fingerprint: str) -> None:
        """Begin to store what is known of a key."""
        self._tasks.start(self._in_time(self._write(workspace, fingerprint)))

    async def _in_time(self, work: Coroutine[Any, Any, object]) -> None:
        """Wait for the store; log it when it is slow or fails."""
        try:
            async with asyncio.timeout(ANSWERED_WITHIN_S):
                await work
        except (StoreError, TimeoutError) as error:
            logger.warning("limits are not shared with other processes", error=repr(error))

    async def _write(self, workspace: WorkspaceId, fingerprint: str) -> None:
        await self._read(workspace, fingerprint)
        value = {"v": 1, "state": msgspec.to_builtins(self.limiter.known(fingerprint))}
        due_at = datetime.fromtimestamp(self.limiter.now() + WINDOW_S, UTC)
        await self._documents.put(f"{workspace}/{KIND}/{fingerprint}", value, due_at=due_at)

    async def _read(self, workspace: WorkspaceId, fingerprint: str) -> None:
        if document := await self._documents.get(f"{workspace}/{KIND}/{fingerprint}"):
            state = msgspec.convert(document.value["state"], RateLimitState)
            self.limiter.learn(fingerprint, state)
