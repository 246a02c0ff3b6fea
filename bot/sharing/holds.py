"""Slack's waits, known to all processes: a workspace's digests may go on in another one."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

import structlog
from cachetools import TTLCache

from bot.patience import Patience
from bot.slack.holds import OwnHolds
from bot.store.base import Documents
from bot.store.errors import ConflictError, StoreError
from bot.tasks import Tasks
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

KIND = "slack-hold"
READ_EVERY_S = 2.0
ANSWERED_WITHIN_S = 1.0
MAX_REMEMBERED = 20_000
TRIES = 5


class SharedHolds:
    """`Holds` of all processes, in a document that ends with the wait.

    Before a post it is read at most every two seconds; a store that fails, or is slow, leaves this
    process to what it has met itself. `seconds` never go back.
    """

    def __init__(
        self,
        documents: Documents,
        tasks: Tasks,
        *,
        clock: Callable[[], datetime],
        seconds: Callable[[], float] = time.monotonic,
        answered_within_s: float = ANSWERED_WITHIN_S,
    ) -> None:
        self._documents = documents
        self._tasks = tasks
        self._clock = clock
        self._own = OwnHolds(clock=seconds)
        self._patience = Patience(answered_within_s)
        self._is_read: TTLCache[WorkspaceId, bool] = TTLCache(
            MAX_REMEMBERED, READ_EVERY_S, timer=seconds
        )

    async def left_s(self, workspace: WorkspaceId) -> float:
        """See `Holds.left_s`."""
        left_s = await self._own.left_s(workspace)
        if left_s or workspace in self._is_read:
            return left_s
        try:
            until = (await self._patience.wait(self._stored(workspace)))[0]
        except (StoreError, TimeoutError) as error:
            logger.warning("Slack's waits are not asked for", error=repr(error))
            return 0.0
        finally:
            self._is_read[workspace] = True
        if until and (told_s := (until - self._clock()).total_seconds()) > 0:
            self._own.hold(workspace, told_s)
        return await self._own.left_s(workspace)

    def hold(self, workspace: WorkspaceId, seconds: float) -> None:
        """See `Holds.hold`."""
        self._own.hold(workspace, seconds)
        until = self._clock() + timedelta(seconds=seconds)
        self._tasks.start(self._tell(workspace, until))

    async def _tell(self, workspace: WorkspaceId, until: datetime) -> None:
        try:
            for _ in range(TRIES):
                if await self._patience.wait(self._write(workspace, until)):
                    return
        except (StoreError, TimeoutError) as error:
            logger.warning("Slack's wait is not told to others", error=repr(error))

    async def _write(self, workspace: WorkspaceId, until: datetime) -> bool:
        """Say whether so long a wait is stored now."""
        stored, rev = await self._stored(workspace)
        if stored and stored >= until:
            return True
        value = {"v": 1, "until": until.isoformat()}
        try:
            await self._documents.put(_place(workspace), value, due_at=until, if_rev=rev)
        except ConflictError:
            return False
        return True

    async def _stored(self, workspace: WorkspaceId) -> tuple[datetime | None, int]:
        document = await self._documents.get(_place(workspace))
        if document is None:
            return None, 0
        return datetime.fromisoformat(document.value["until"]), document.rev


def _place(workspace: WorkspaceId) -> str:
    return f"{workspace}/{KIND}"
