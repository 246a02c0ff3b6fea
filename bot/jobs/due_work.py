"""Begin the work of documents that are due: one of each workspace, a few at once."""

from collections.abc import Awaitable, Callable
from datetime import datetime

import structlog

from bot.concurrency import Tasks
from bot.errors import BotError, warned
from bot.store.documents import Documents
from bot.workspace import WorkspaceId

LOOK_AT = 20_000  # digests may be due at the same moment
# Workspaces of one kind in this process: people need the other places for scans.
AT_ONCE = 2


class DueWork:
    """Runs `work` for each document `<workspace>/<kind>` that is due, two at once in this process.

    `work` puts the document off before it begins, so that no other process takes it too. Work of
    many steps ends between two of them when `has_waiting`, and comes due at once.
    """

    def __init__(
        self,
        documents: Documents,
        kind: str,
        work: Callable[[WorkspaceId], Awaitable[object]],
        tasks: Tasks,
        *,
        clock: Callable[[], datetime],
    ) -> None:
        self._documents = documents
        self._kind = kind
        self._work = work
        self._tasks = tasks
        self._clock = clock
        self._under_way: set[WorkspaceId] = set()
        self.is_stopped = self.has_waiting = False

    async def run_due(self) -> None:
        """Begin what is due, the longest due first, without a wait for its end."""
        self.has_waiting = False
        for key in await self._documents.due_keys(self._clock(), limit=LOOK_AT):
            name, _, kind = key.partition("/")
            if (
                kind == self._kind
                and (workspace := WorkspaceId.parse(name)) not in self._under_way
            ):
                self.has_waiting = len(self._under_way) >= AT_ONCE
                if self.is_stopped or self.has_waiting:
                    return
                self._under_way.add(workspace)
                self._tasks.start(self._run(workspace))

    def stop(self) -> None:
        """Begin nothing more; `work` looks at `is_stopped` between its steps."""
        self.is_stopped = True

    async def _run(self, workspace: WorkspaceId) -> None:
        with structlog.contextvars.bound_contextvars(workspace=str(workspace), work=self._kind):
            try:
                with warned("put off", BotError):
                    await self._work(workspace)
            finally:
                self._under_way.discard(workspace)
