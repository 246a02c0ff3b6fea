"""Notify the managers of a key by direct message, one after the other."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import Protocol

import structlog
from cachetools import TTLCache

from bot.admin import Managers
from bot.api_keys.models import KeyNotice, KeyRecord, StoredKey
from bot.api_keys.repository import Claim, KeyClaims
from bot.concurrency import SingleFlight, Tasks
from bot.errors import BotError
from bot.message import Message
from bot.slack.direct_messages import DirectMessages, retry_after
from bot.slack.errors import (
    PersonUnreachableError,
    SlackError,
)
from bot.workspace import WorkspaceId

logger = structlog.get_logger()
# Of a user group with hundreds of people some know it then, and no more are looked at than that.
MAX_TOLD = 20
MAX_LOOKED_AT = 50


class KnowsGroups(Protocol):
    """Whoever knows who is in a user group."""

    async def people_in(self, workspace: WorkspaceId, group_id: str) -> Sequence[str]:
        """Return the ids of whoever is; nobody when it is gone. Raise SlackError."""
        ...

    async def is_colleague(self, workspace: WorkspaceId, user_id: str) -> bool:
        """Return whether it is a person of the workspace, and no guest. Raise SlackError."""
        ...


class NoticeDelivery:
    """Tells each person once, and twenty at most, all tries together."""

    def __init__(
        self,
        messages: DirectMessages,
        claims: KeyClaims,
        workspace: WorkspaceId,
        claim: Claim,
        message: Message,
    ) -> None:
        self._messages = messages
        self._claims = claims
        self._workspace = workspace
        self._claim = claim
        self._message = message
        self._tried = set(claim.told)
        self.reached = len(claim.told)

    async def tell(self, user_ids: Iterable[str]) -> timedelta | None:
        """Tell those who were not told yet; return after what time to go on, if at all.

        Raises:
            StoreError: nobody knows who was told.
        """
        for user_id in self._left(user_ids):
            self._tried.add(user_id)
            try:
                await self._messages.tell(self._workspace, user_id, self._message)
            except PersonUnreachableError:
                continue  # they have left
            except SlackError as error:
                if wait := self._wait(error):
                    return wait
                continue  # in vain for them, perhaps not for the others
            self.reached += 1
            await self._claims.note_delivered(self._workspace, self._claim, user_id)
        return None

    async def tell_group(self, groups: KnowsGroups, group_id: str) -> timedelta | None:
        """Tell those in a group who may be managers; as `tell`."""
        if self.reached >= MAX_TOLD:
            return None
        try:
            people = await groups.people_in(self._workspace, group_id)
            fit = [
                user_id
                for user_id in [*self._left(people)][:MAX_LOOKED_AT]
                if await groups.is_colleague(self._workspace, user_id)
            ]
        except SlackError as error:
            return self._wait(error)
        return await self.tell(fit)

    def _left(self, user_ids: Iterable[str]) -> Iterable[str]:
        for user_id in dict.fromkeys(user_ids):
            if user_id not in self._tried and self.reached < MAX_TOLD:
                yield user_id

    def _wait(self, error: SlackError) -> timedelta | None:
        wait = retry_after(error, self._claim.tries)
        logger.warning("could not tell of the key", error=repr(error), wait=str(wait))
        return wait


class ManagerNotifier:
    """Tells people, once and in the background; a message that fails is only logged.

    `words` makes the message of the id of whoever named them.
    """

    def __init__(
        self, messages: DirectMessages, words: Callable[[str], Message], tasks: Tasks
    ) -> None:
        self._messages = messages
        self._words = words
        self._tasks = tasks

    def tell(self, workspace: WorkspaceId, user_ids: Sequence[str], *, by: str) -> None:
        """Begin to tell those who were named just now, but not whoever named themselves."""
        if others := [user_id for user_id in user_ids if user_id != by]:
            self._tasks.start(self._tell(workspace, others, by))

    async def _tell(self, workspace: WorkspaceId, user_ids: Sequence[str], by: str) -> None:
        message = self._words(by)
        for user_id in user_ids:
            try:
                await self._messages.tell(workspace, user_id, message)
            except SlackError as error:
                logger.warning("a new manager was not told", who=user_id, error=repr(error))


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
        messages: DirectMessages,
        claims: KeyClaims,
        managers: Managers,
        words: Words,
        tasks: Tasks,
        *,
        clock: Callable[[], datetime],
        groups: KnowsGroups,
    ) -> None:
        self._groups = groups
        self._messages = messages
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

    async def run_due(self) -> None:
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
            await self._claims.postpone(workspace, claim, wait)

    async def _send(self, workspace: WorkspaceId, claim: Claim) -> timedelta | None:
        """Tell everybody who was not told yet; return after what time to go on, if at all."""
        message = self._words(claim.notice, claim.record, self._clock().date())
        telling = NoticeDelivery(self._messages, self._claims, workspace, claim, message)
        named = await self._managers.named(workspace)
        wait = await telling.tell((claim.record.set_by, *named.user_ids))
        for group_id in named.group_ids:
            if wait is None:
                wait = await telling.tell_group(self._groups, group_id)
        if not telling.reached:
            logger.error("nobody left to tell", notice=claim.notice.name)
        return wait
