"""Begin the work of documents that are due: one of each workspace, a few at once."""

from abc import ABC, abstractmethod
from collections import deque
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar

import structlog

from bot.process.clock import Clock
from bot.process.concurrency import Tasks
from bot.process.errors import BotError, log_and_suppress
from bot.process.workspace import WorkspaceId, workspace_of_key
from bot.store.documents import Documents


@dataclass(slots=True)
class DueWork(ABC):
    """Works on each document `<workspace>/<kind>` that is due, `at_once` in this process."""

    kind: ClassVar[str]
    at_once: ClassVar[int]
    documents: Documents
    tasks: Tasks
    _: KW_ONLY
    clock: Clock
    _waiting: deque[WorkspaceId] = field(default_factory=deque, init=False)
    _under_way: set[WorkspaceId] = field(default_factory=set, init=False)

    @abstractmethod
    async def work(self, workspace: WorkspaceId) -> None:
        """Work on the document of a workspace.

        Put it off first, so that no other process takes it too. Work of many steps ends between
        two of them when the process stops, or when it `has_waiting`, and comes due at once.
        """

    async def run_due(self) -> None:
        """Begin what is due, the longest due first, without a wait for its end."""
        due = map(workspace_of_key, await self.documents.due_keys(self.clock(), self.kind))
        self._waiting = deque(each for each in due if each not in self._under_way)
        self._begin()

    @property
    def has_waiting(self) -> bool:
        return bool(self._waiting)

    def _begin(self) -> None:
        while self._waiting and not self.tasks.is_stopping and len(self._under_way) < self.at_once:
            workspace = self._waiting.popleft()
            self._under_way.add(workspace)
            self.tasks.start(self._run(workspace))

    async def _run(self, workspace: WorkspaceId) -> None:
        with structlog.contextvars.bound_contextvars(workspace=str(workspace), work=self.kind):
            try:
                with log_and_suppress("put off", BotError):
                    await self.work(workspace)
            finally:
                self._under_way.discard(workspace)
                self._begin()
