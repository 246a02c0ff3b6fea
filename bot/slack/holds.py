"""How long Slack wants a workspace's posts to wait."""

import time
from collections.abc import Callable
from typing import Protocol

from cachetools import TLRUCache

from bot.workspace import WorkspaceId

MAX_HELD = 10_000


class Holds(Protocol):
    """Remembers the waits that Slack has asked for with a 429."""

    async def left_s(self, workspace: WorkspaceId) -> float:
        """Return for how many seconds nothing is posted in a workspace, 0 for none."""
        ...

    def hold(self, workspace: WorkspaceId, seconds: float) -> None:
        """Let a workspace's posts wait so long, unless they wait longer already."""
        ...


class OwnHolds:
    """Those that this process has met; `clock` counts seconds."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: TLRUCache[WorkspaceId, float, float] = TLRUCache(
            MAX_HELD, lambda _workspace, until, _now: until, timer=clock
        )

    async def left_s(self, workspace: WorkspaceId) -> float:
        """See `Holds.left_s`."""
        until = self._until.get(workspace)
        return 0.0 if until is None else max(0.0, until - self._clock())

    def hold(self, workspace: WorkspaceId, seconds: float) -> None:
        """See `Holds.hold`."""
        until = self._clock() + seconds
        self._until[workspace] = max(until, self._until.get(workspace, until))
