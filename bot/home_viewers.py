"""Remember who has the Home tab open, and redraw it after a change."""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import structlog

from bot.concurrency import Tasks
from bot.store.documents import Document, Documents, StoreError, Write, update
from bot.workspace import WorkspaceId

logger = structlog.get_logger()
KIND = "home-viewers"
# Slack does not tell when somebody leaves the tab.
OPEN_FOR = timedelta(hours=1)
MAX_VIEWERS = 20
# Whoever opens it again sooner is remembered well enough: no write for every look.
NOTED_ANEW_AFTER = timedelta(minutes=10)
# Several things that change at once are drawn once, and a busy workspace not all the time.
GATHER_S = 0.3
BETWEEN_S = 3.0
# A draw calls users.info and views.publish, of each of which Slack takes about 100 a minute in a
# workspace, and presses need some of them: https://docs.slack.dev/apis/web-api/rate-limits
PER_VIEWER_S = 1.0
# A slow one, of the service or of Slack, must not keep the others waiting.
AT_ONCE = 5
Draw = Callable[[WorkspaceId, str], Awaitable[None]]


class HomeViewers:
    """Remembers each workspace's latest 20 viewers of the last hour, for every process to know.

    `sleep` takes seconds.
    """

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
        # What has changed: `True` once more since its viewers were looked up.
        self._changed: dict[WorkspaceId, bool] = {}
        self._rests: set[asyncio.Future[object]] = set()
        self._is_stopped = False

    def set_renderer(self, draw: Draw) -> None:
        """Let `draw(workspace, user_id)` show a person what has changed; it never raises."""
        self._draw = draw

    def schedule_refresh(self, workspace: WorkspaceId) -> None:
        """Draw the tab anew for whoever has it open, soon and once. Never raises, never waits."""
        if self._draw is None or self._is_stopped:
            return
        if workspace in self._changed:
            self._changed[workspace] = True
            return
        try:
            asyncio.get_running_loop()
        except RuntimeError:  # outside of the running bot nobody has it open
            return
        self._changed[workspace] = True
        # What is drawn for everybody is neither asked for nor logged as whoever changed it first.
        drawing = self._draw_while_changing(workspace)
        contextvars.Context().run(self._tasks.start, drawing)

    def stop(self) -> None:
        """Draw nothing more: who stops the bot does not wait for what only rests between draws."""
        self._is_stopped = True
        for rest in self._rests:
            rest.cancel()

    async def opened(self, workspace: WorkspaceId, user_id: str) -> None:
        """Remember that somebody looks at it now. A store that fails is logged, and no more."""
        try:
            await self._note(workspace, user_id)
        except StoreError as error:
            logger.warning("not remembered as a viewer", error=repr(error))

    async def viewers(self, workspace: WorkspaceId) -> list[str]:
        """Return the ids of those who may still have it open, the latest first; raise StoreError.

        The latest are looked up first, so that they see what is new first.
        """
        seen = self._young(await self._documents.get(_place(workspace)))
        return sorted(seen, key=lambda user_id: seen[user_id], reverse=True)

    async def _draw_while_changing(self, workspace: WorkspaceId) -> None:
        try:
            await self._rest(GATHER_S)
            while self._changed[workspace] and not self._is_stopped:
                self._changed[workspace] = False
                drawn = await self._draw_all(workspace)
                await self._rest(max(BETWEEN_S, drawn * PER_VIEWER_S))
        finally:
            del self._changed[workspace]

    async def _rest(self, seconds: float) -> None:
        rest = asyncio.ensure_future(self._sleep(seconds))
        self._rests.add(rest)
        try:
            await asyncio.wait({rest})
        finally:
            rest.cancel()
            self._rests.discard(rest)

    async def _draw_all(self, workspace: WorkspaceId) -> int:
        try:
            viewers = await self.viewers(workspace)
        except StoreError as error:
            logger.warning("cannot tell who has Home open", error=repr(error))
            return 0
        places = asyncio.Semaphore(AT_ONCE)

        async def draw(user_id: str) -> None:
            async with places:
                if self._draw and not self._is_stopped:
                    await self._draw(workspace, user_id)

        await asyncio.gather(*map(draw, viewers))
        return len(viewers)

    async def _note(self, workspace: WorkspaceId, user_id: str) -> None:
        now = self._clock()

        def noted(document: Document | None) -> Write | None:
            seen = self._young(document)
            if user_id in seen and now - seen[user_id] < NOTED_ANEW_AFTER:
                return None
            latest = sorted((seen | {user_id: now}).items(), key=lambda each: each[1])
            viewers = {viewer: at.isoformat() for viewer, at in latest[-MAX_VIEWERS:]}
            return Write({"v": 1, "viewers": viewers})

        await update(self._documents, _place(workspace), noted)

    def _young(self, document: Document | None) -> dict[str, datetime]:
        viewers = document.value["viewers"] if document else {}
        seen = {each: datetime.fromisoformat(at) for each, at in viewers.items()}
        return {each: at for each, at in seen.items() if self._clock() - at < OPEN_FOR}


def _place(workspace: WorkspaceId) -> str:
    return f"{workspace}/{KIND}"
