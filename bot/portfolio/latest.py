"""What the service said last of each workspace's list, and what it is being asked: in memory."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from cachetools import LRUCache

from bot.portfolio.snapshot import Snapshot
from bot.portfolio.versions import Version
from bot.tracker.budget import Purpose
from bot.workspace import WorkspaceId

# About 1 kB a domain with its texts: some 200 MB at the very most, over all workspaces.
MAX_CACHED_DOMAINS = 200_000
MAX_FAILURES = 1_000


@dataclass(slots=True, eq=False)
class Question:
    """What the service is asked at this moment, and what was known when that began.

    `purpose` is `None` for a question that nobody shares. `is_late`: something has changed since.
    """

    workspace: WorkspaceId
    version: Version
    purpose: Purpose | None = None
    is_late: bool = False


@dataclass(slots=True)
class _Kept:
    """The last list, and what was known when it was asked for; `is_late` as above."""

    snapshot: Snapshot
    version: Version
    is_late: bool = False


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why there was no list, when the service said so, and what was known when it was asked."""

    error: Exception
    at: datetime
    version: Version


class Latest:
    """Answers, bounded over all workspaces. Of a workspace that was forgotten nothing stays.

    What is known of a workspace is remembered with what came of it, and with nothing else.
    """

    def __init__(self) -> None:
        self._kept: LRUCache[WorkspaceId, _Kept] = LRUCache(
            MAX_CACHED_DOMAINS, getsizeof=lambda kept: len(kept.snapshot.domains) + 1
        )
        self._failures: LRUCache[WorkspaceId, _Failure] = LRUCache(MAX_FAILURES)
        self._questions: set[Question] = set()

    def kept(self, workspace: WorkspaceId) -> Snapshot | None:
        """Return the last list, also when something has changed since."""
        kept = self._kept.get(workspace)
        return kept.snapshot if kept else None

    def present(self, workspace: WorkspaceId) -> Snapshot | None:
        """Return the last list, unless something has changed since."""
        kept = self._kept.get(workspace)
        return kept.snapshot if kept and not kept.is_late else None

    def failure(self, workspace: WorkspaceId, since: datetime) -> Exception | None:
        """Return why the service gave no list later than `since`, if nothing has changed."""
        failure = self._failures.get(workspace)
        return failure.error if failure and since < failure.at else None

    def version(self, workspace: WorkspaceId) -> Version:
        """Return what was known when the last list was asked for."""
        kept = self._kept.get(workspace)
        return kept.version if kept else Version()

    def catch_up(self, workspace: WorkspaceId, version: Version) -> list[Question]:
        """Outdate what is of another version; return the questions among it."""
        kept, failure = self._kept.get(workspace), self._failures.get(workspace)
        if kept and kept.version.account != version.account:
            del self._kept[workspace]
        elif kept and kept.version != version:
            kept.is_late = True
        if failure and failure.version != version:
            del self._failures[workspace]
        late = [each for each in self._under_way(workspace) if each.version != version]
        for question in late:
            question.is_late = True
        return late

    def outdate(self, workspace: WorkspaceId) -> None:
        """Outdate everything, whatever its version."""
        self._failures.pop(workspace, None)
        if kept := self._kept.get(workspace):
            kept.is_late = True
        for question in self._under_way(workspace):
            question.is_late = True

    def forget(self, workspace: WorkspaceId) -> None:
        """Likewise, and keep no list."""
        self._kept.pop(workspace, None)
        self.outdate(workspace)

    @contextmanager
    def noted(self, question: Question) -> Iterator[None]:
        """Let `catch_up` and `outdate` know of a question that is asked inside the block."""
        self._questions.add(question)
        try:
            yield
        finally:  # not before its flight lands: whoever asks until then would join that
            asyncio.get_running_loop().call_soon(self._questions.discard, question)

    def keep(self, question: Question, snapshot: Snapshot) -> None:
        """Keep the answer to a question, unless something has changed since or it is too large."""
        if question.is_late:
            return
        self._failures.pop(question.workspace, None)
        if len(snapshot.domains) < self._kept.maxsize:
            self._kept[question.workspace] = _Kept(snapshot, question.version)

    def keep_failure(self, question: Question, error: Exception, at: datetime) -> None:
        """Likewise, when there was none."""
        if not question.is_late:
            self._failures[question.workspace] = _Failure(error, at, question.version)

    def _under_way(self, workspace: WorkspaceId) -> list[Question]:
        return [
            each for each in self._questions if each.workspace == workspace and not each.is_late
        ]
