"""What people are told of their workspace's key without having asked, by direct message."""

import asyncio
from collections.abc import Callable
from datetime import date, datetime, timedelta

import structlog
from cachetools import TTLCache

from bot.admin.managers import Managers
from bot.admin.telling import KnowsGroups, Telling, TellsPeople
from bot.errors import BotError
from bot.keys import Claim, KeyClaims, KeyNotice, KeyRecord, StoredKey
from bot.message import Message
from bot.single_flight import SingleFlight
from bot.tasks import Tasks
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

# Whoever ran into the refusal waits for it: what they read says whether it was told.
TELL_WITHIN_S = 5.0
# After that somebody else takes a notice over: its worker has died.
LEASE = timedelta(seconds=60)
WORKERS = 5
LOOK_AT = 1000
# After a mistake of ours; the others go on meanwhile.
LEFT_ALONE_S = 600

Words = Callable[[KeyNotice, KeyRecord, date], Message]


class KeyNotices:
    """Tells whoever set a key, and the managers, that it is refused, ends soon or is old.

    Managers are also those who are in a user group that was named; `groups` says who that
    is. Each notice reaches each of them once; after a crash in the middle rather twice than never.
    """

    def __init__(
        self,
        people: TellsPeople,
        claims: KeyClaims,
        managers: Managers,
        words: Words,
        tasks: Tasks,
        *,
        clock: Callable[[], datetime],
        groups: KnowsGroups,
    ) -> None:
        self._groups = groups
        self._people = people
        self._claims = claims
        self._managers = managers
        self._words = words
        self._tasks = tasks
        self._clock = clock
        self._workers = asyncio.Semaphore(WORKERS)
        self._flights: SingleFlight[WorkspaceId, None] = SingleFlight()
        self._under_way: set[WorkspaceId] = set()
        self._left_alone: TTLCache[WorkspaceId, bool] = TTLCache(10_000, LEFT_ALONE_S)

    async def __call__(self, workspace: WorkspaceId, key: StoredKey) -> None:
        """See `TellsOfRefusal`. What takes longer, or fails, goes on with the rounds."""
        try:
            async with asyncio.timeout(TELL_WITHIN_S):
                await self._flights.run(workspace, lambda: self._tell(workspace))
        except (BotError, TimeoutError) as error:
            shown = key.record.shown
            logger.warning("not told of a refused key yet", key=shown, error=repr(error))

    async def go_round(self) -> None:
        """Start whatever is due and not under way; it runs on after this returns."""
        for workspace in await self._claims.due(limit=LOOK_AT):
            if workspace not in self._under_way and workspace not in self._left_alone:
                self._under_way.add(workspace)
                self._tasks.start(self._work(workspace))

    async def _work(self, workspace: WorkspaceId) -> None:
        with structlog.contextvars.bound_contextvars(workspace=str(workspace)):
            try:
                async with self._workers:
                    await self._flights.run(workspace, lambda: self._tell(workspace))
            except BotError as error:
                logger.warning("key notice", error=repr(error), cause=repr(error.__cause__))
            except Exception:
                self._left_alone[workspace] = True
                logger.exception("unforeseen failure")
            finally:
                self._under_way.discard(workspace)

    async def _tell(self, workspace: WorkspaceId) -> None:
        claim = await self._claims.claim(workspace, lease=LEASE)
        if claim is None:
            return
        wait = await self._send(workspace, claim)
        if wait is None:
            await self._claims.finish(workspace, claim)
        else:
            await self._claims.put_off(workspace, claim, wait)

    async def _send(self, workspace: WorkspaceId, claim: Claim) -> timedelta | None:
        """Tell everybody who was not told yet; return after what time to go on, if at all."""
        message = self._words(claim.notice, claim.record, self._clock().date())
        telling = Telling(self._people, self._claims, workspace, claim, message)
        named = await self._managers.named(workspace)
        wait = await telling.tell((claim.record.set_by, *named.user_ids))
        for group_id in named.group_ids:
            if wait is None:
                wait = await telling.tell_group(self._groups, group_id)
        if not telling.reached:
            logger.error("nobody left to tell", notice=claim.notice.name)
        return wait
