"""Share the rate limit of each key between processes.

Each key has one small document in its workspace: what the last reply said, and until when to wait.
The last writer wins, so two processes may each meet one rate-limit error:
docs/decisions/0016-rate-limits-of-an-api-key.md.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import structlog
from cachetools import TTLCache

from bot.keys.key_record import NoKeyError
from bot.keys.repository import Keys
from bot.process.clock import seconds_now
from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from bot.store.documents import Documents, StoreError, UnreadableSecretError
from bot.tracker.rate_limit import WINDOW_S, BudgetState, RateLimiter, RateLimitState, fingerprint

logger = structlog.get_logger()
LIMITS_KIND = "budget"
READ_EVERY_S = 2.0
ANSWERED_WITHIN_S = 1.0
MAX_REMEMBERED = 20_000
# A workspace, and the fingerprint of a key that it uses.
Place = tuple[WorkspaceId, str]


class QuotaService:
    """Shares what replies say of each key's rate limit with other processes.

    The document of a key is read before a request, at most every two seconds, and written after
    one, in the background. While the store fails or is slow, the process goes on with what it
    knows. `seconds` never go back.
    """

    def __init__(
        self,
        documents: Documents,
        keys: Keys,
        budget: RateLimiter,
        tasks: Tasks,
        *,
        seconds: Callable[[], float] = seconds_now,
    ) -> None:
        self._documents = documents
        self._keys = keys
        self._budget = budget
        self._tasks = tasks
        self._is_read = TTLCache[Place, bool](MAX_REMEMBERED, READ_EVERY_S, timer=seconds)

    async def of(self, workspace: WorkspaceId) -> BudgetState | None:
        """Return the state of the workspace's key, `None` without one; raise StoreError."""
        try:
            known_as = fingerprint((await self._keys.stored(workspace)).secret)
        except (NoKeyError, UnreadableSecretError):
            return None
        await self._ask(self._read((workspace, known_as)))
        return self._budget.state(known_as)

    async def before_request(self, place: Place) -> None:
        """Learn what other processes have stored of a key; never raise."""
        if place not in self._is_read:
            self._is_read[place] = True
            await self._ask(self._read(place))

    def after_request(self, place: Place) -> None:
        """Begin to store what is known of a key after a request that was sent."""
        self._tasks.start(self._ask(self._write(place)))

    async def _ask(self, work: Coroutine[Any, Any, object]) -> None:
        """Wait for the store; log it when it is slow or fails."""
        try:
            async with asyncio.timeout(ANSWERED_WITHIN_S):
                await work
        except (StoreError, TimeoutError) as error:
            logger.warning("limits are not shared with other processes", error=repr(error))

    async def _write(self, place: Place) -> None:
        await self._read(place)
        value = {"v": 1, "state": asdict(self._budget.known(place[1]))}
        due_at = datetime.fromtimestamp(self._budget.now() + WINDOW_S, UTC)
        await self._documents.put(_document_key(*place), value, due_at=due_at)

    async def _read(self, place: Place) -> None:
        document = await self._documents.get(_document_key(*place))
        if document:
            self._budget.learn(place[1], RateLimitState(**document.value["state"]))


def _document_key(workspace: WorkspaceId, fingerprint: str) -> str:
    return f"{workspace}/{LIMITS_KIND}/{fingerprint}"
