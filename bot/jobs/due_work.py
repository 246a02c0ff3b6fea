"""Begin the work of documents that are due: one of each workspace, a few at once."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from typing import ClassVar

import structlog

from bot.process.concurrency import Tasks
from bot.process.errors import BotError, log_and_suppress
from bot.process.workspace import WorkspaceId, workspace_of_key
from bot.store.documents import Documents

# Workspaces of one kind in this process: people need the other places for scans.
AT_ONCE = 2


@dataclass(slots=True)
class DueWork(ABC):
    """Works on each document `<workspace>/<kind>` that is due, two at once in this process."""

    kind: ClassVar[str]
    documents: Documents
    tasks: Tasks
    _: KW_ONLY
    clock: Callable[[], datetime]
    is_stopped: bool = field(default=False, init=False)
    has_waiting: bool = field(default=False, init=False)
    _under_way: set[WorkspaceId] = field(default_factory=set, init=False)

    @abstractmethod
    async def work(self, workspace: WorkspaceId) -> None:
        """Work on the document of a workspace.

        Put it off first, so that no other process takes it too. Work of many steps ends between
        two of them when the bot `is_stopped`, or when it `has_waiting`, and comes due at once.
        """

    async def run_due(self) -> None:
        """Begin what is due, the longest due first, without a wait for its end."""
        self.has_waiting = False
        for key in await self.documents.due_keys(self.clock(), self.kind):
            workspace = workspace_of_key(key)
            if workspace not in self._under_way:
                self.has_waiting = len(self._under_way) >= AT_ONCE
                if self.is_stopped or self.has_waiting:
                    return
                self._under_way.add(workspace)
                self.tasks.start(self._run(workspace))

    def stop_all(self) -> None:
        self.is_stopped = True

    async def _run(self, workspace: WorkspaceId) -> None:
        with structlog.contextvars.bound_contextvars(workspace=str(workspace), work=self.kind):
            try:
                with log_and_suppress("put off", BotError):
                    await self.work(workspace)
            finally:
                self._under_way.discard(workspace)
