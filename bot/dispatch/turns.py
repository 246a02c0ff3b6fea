"""Begin the work after the acks in fair turns, so that an ack never waits for answers."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.process.workspace import WorkspaceId

# Fewer would leave the process idle while Slack takes 100 ms for each answer; see decision 26.
AT_ONCE = 64
# In one turn of the event loop, which takes all acks that are due: so those go first.
BEGUN_AT_ONCE = 4
# What takes longer waits for Slack or the service, and keeps the loop from nothing.
HELD_S = 0.25


class Turns:
    """At most `AT_ONCE` blocks run at a time; the workspaces whose blocks wait alternate.

    A turn ends with its block, or after `HELD_S`: the block goes on, and another may begin.
    """

    def __init__(self) -> None:
        self._held: set[asyncio.Future[None]] = set()
        self._waiting: dict[WorkspaceId, deque[asyncio.Future[None]]] = {}
        self._is_beginning = False

    @asynccontextmanager
    async def take(self, workspace: WorkspaceId) -> AsyncIterator[None]:
        """Wait for a turn of the workspace, and hold it inside the block."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(workspace, deque()).append(turn)
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
        if self._waiting and not self._is_beginning and len(self._held) < AT_ONCE:
            self._is_beginning = True
            asyncio.get_running_loop().call_soon(self._begin)

    def _begin(self) -> None:
        self._is_beginning = False
        for _ in range(min(BEGUN_AT_ONCE, AT_ONCE - len(self._held))):
            if (workspace := next(iter(self._waiting), None)) is None:
                return
            turns = self._waiting.pop(workspace)
            turn = turns.popleft()
            if turns:
                self._waiting[workspace] = turns  # behind the others
            if not turn.cancelled():
                self._held.add(turn)
                turn.set_result(None)
                asyncio.get_running_loop().call_later(HELD_S, self._end, turn)
        self._begin_soon()
