"""Remember who has the Home tab open, to redraw it after a change, and who was greeted."""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta

from bot.concurrency import Tasks
from bot.errors import warned
from bot.store.documents import ConflictError, Document, Documents, StoreError, Write, update
from bot.workspace import WorkspaceId

KIND = "home-viewers"
GREETED = "greeted"
# Slack sends no event when a person leaves the tab.
OPEN_FOR = timedelta(hours=1)
MAX_VIEWERS = 20
# Several changes are drawn at once, and a busy workspace is not drawn all the time.
GATHER_S = 0.3
BETWEEN_S = 3.0
# Slack takes about 100 calls a minute of users.info and views.publish, which each draw needs:
# https://docs.slack.dev/apis/web-api/rate-limits
PER_VIEWER_S = 1.0
Draw = Callable[[WorkspaceId, str], Awaitable[None]]


class HomeViewers:
    """Stores each workspace's latest 20 viewers of the last hour. `sleep` takes seconds."""

    def __init__(
        self,
        documents: Documents,
        tasks: Tasks,
        *,
        clock: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._documents = documents
        self._tasks = tasks
        self._clock = clock
        self._sleep = sleep
        self._draw: Draw | None = None
        # The workspaces that have changed since their viewers were looked up.
        self._changed: set[WorkspaceId] = set()
        self._drawing: dict[WorkspaceId, asyncio.Task[None]] = {}
        self._is_stopped = False

    def set_renderer(self, draw: Draw) -> None:
        """Set `draw(workspace, user_id)`, which redraws a person's tab and never raises."""
        self._draw = draw

    def schedule_refresh(self, workspace: WorkspaceId) -> None:
        """Redraw the open tabs of a workspace soon, and once. Never raises, never waits."""
        if self._draw is None or self._is_stopped:
            return
        self._changed.add(workspace)
        if workspace not in self._drawing:
            drawing = self._draw_while_changing(workspace)
            # In a context without the person who made the change.
            self._drawing[workspace] = contextvars.Context().run(self._tasks.start, drawing)

    def stop(self) -> None:
        """Draw nothing more: who looks at a tab opens it again after a restart."""
        self._is_stopped = True
        for drawing in self._drawing.values():
            drawing.cancel()

    async def opened(self, workspace: WorkspaceId, user_id: str) -> None:
        """Record a viewer. A store that fails is only logged."""

        def noted(document: Document | None) -> Write:
            seen = self._young(document) | {user_id: self._clock()}
            latest = sorted(seen.items(), key=lambda each: each[1])
            viewers = {viewer: at.isoformat() for viewer, at in latest[-MAX_VIEWERS:]}
            return Write({"v": 1, "viewers": viewers})

        with warned("not remembered as a viewer", StoreError):
            await update(self._documents, _place(workspace), noted)

    async def claim_greeting(self, workspace: WorkspaceId, user_id: str) -> bool:
        """Return whether a person is to be greeted: once, and never if the store fails."""
        with warned("not greeted", StoreError), suppress(ConflictError):
            await self._documents.put(f"{workspace}/{GREETED}/{user_id}", {"v": 1}, if_rev=0)
            return True
        return False

    async def viewers(self, workspace: WorkspaceId) -> list[str]:
        """Return the ids of the viewers, the latest first; raise StoreError."""
        seen = self._young(await self._documents.get(_place(workspace)))
        return sorted(seen, key=lambda user_id: seen[user_id], reverse=True)

    async def _draw_while_changing(self, workspace: WorkspaceId) -> None:
        try:
            await self._sleep(GATHER_S)
            while workspace in self._changed:
                self._changed.discard(workspace)
                drawn = await self._draw_all(workspace)
                await self._sleep(max(BETWEEN_S, drawn * PER_VIEWER_S))
        finally:
            del self._drawing[workspace]

    async def _draw_all(self, workspace: WorkspaceId) -> int:
        viewers: list[str] = []
        with warned("the viewers of Home are unknown", StoreError):
            viewers = await self.viewers(workspace)
        if self._draw:  # all at once: a slow draw must not delay the others
            await asyncio.gather(*(self._draw(workspace, viewer) for viewer in viewers))
        return len(viewers)

    def _young(self, document: Document | None) -> dict[str, datetime]:
        viewers = document.value["viewers"] if document else {}
        seen = {each: datetime.fromisoformat(at) for each, at in viewers.items()}
        return {each: at for each, at in seen.items() if self._clock() - at < OPEN_FOR}


def _place(workspace: WorkspaceId) -> str:
    return f"{workspace}/{KIND}"
