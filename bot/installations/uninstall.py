"""Delete the data of a workspace that removed the app, and none of a later installation."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime, timedelta

import structlog

from bot.concurrency import NonOverlappingTask, Tasks
from bot.errors import warned
from bot.installations.installation import (
    Stamp,
    UninstallEvent,
    UninstallKind,
    home_of,
    is_installation,
    key_of,
    organisation_of,
    prefix_of,
    stamp_of,
)
from bot.installations.token_check import DUE_AT_MOST, StillWorks, TokenChecker
from bot.store.documents import ConflictError, Documents, StoreError
from bot.store.fenced import ErasableDocuments
from bot.workspace import WorkspaceId

logger = structlog.get_logger()
MARK = "meta/traces"  # a vacuum is owed; it contains no workspace id
PAUSE = timedelta(minutes=10)  # after a vacuum that failed


class VacuumScheduler:
    """Runs the store's vacuum after deletions. The mark in the store survives a crash."""

    def __init__(
        self, documents: Documents, tasks: Tasks, *, clock: Callable[[], datetime]
    ) -> None:
        self._documents = documents
        self._clock = clock
        self._task = NonOverlappingTask(tasks, self._vacuum)
        self._pauses_until: datetime | None = None

    @asynccontextmanager
    async def marked(self) -> AsyncIterator[None]:
        """Mark the deletions inside the block for a vacuum; raise StoreError."""
        await self._documents.put(MARK, {"v": 1})
        try:
            yield
        finally:
            with suppress(StoreError):  # the first mark is lost only if a vacuum came in between
                await self._documents.put(MARK, {"v": 1})

    def begin(self) -> "asyncio.Task[None] | None":
        """Start the vacuum that is owed; return its task, or `None` during a pause."""
        pauses = self._pauses_until is not None and self._clock() < self._pauses_until
        return None if pauses else self._task.begin()

    async def _vacuum(self) -> None:
        if (mark := await self._documents.get(MARK)) is None:
            return
        try:
            await self._documents.vacuum()
        except StoreError:
            self._pauses_until = self._clock() + PAUSE
            raise
        with suppress(ConflictError):  # marked again: the next vacuum is for those deletions
            await self._documents.delete(MARK, if_rev=mark.rev)
        logger.info("traces wiped")


@dataclass(frozen=True, slots=True)
class Purger:
    """Deletes a workspace, unless it was installed again. Every method may raise StoreError.

    `caches` drop what this process remembers of a workspace.
    """

    documents: ErasableDocuments
    vacuum: VacuumScheduler
    caches: Sequence[Callable[[WorkspaceId], object]]

    async def stamp(self, home: WorkspaceId) -> Stamp:
        return stamp_of(home, await self.documents.get(key_of(home)))

    async def erase(self, home: WorkspaceId, stamp: Stamp) -> None:
        """Delete all data of `home`, and let the store refuse to write any more of it.

        An installation that is saved during the deletion waits for its end, and stays. After a
        ConflictError nothing was deleted: the installation is not that of `stamp` any more.
        """
        prefix = prefix_of(home)
        own = _own_installations(home, await self.documents.list_keys(prefix))
        async with self.documents.forgetting(prefix, but=map(prefix_of, own)):
            if (await self.stamp(home)).rev != stamp.rev:
                await self.documents.welcome(prefix)
                raise ConflictError("installed again")
            await self._delete(home, await self.documents.list_keys(prefix))
        logger.info("forgotten", home=str(home))

    async def _delete(self, home: WorkspaceId, keys: Sequence[str]) -> None:
        """Delete the documents of these keys, except of workspaces with their own installation.

        The organisation's own come last: until then a deletion that was cut off is repeated.
        """
        own = _own_installations(home, keys)
        for each in own:  # it may have been made a moment ago
            await self.documents.welcome(prefix_of(each))
        doomed = {home_of(key) for key in keys} - own
        if doomed:
            async with self.vacuum.marked():
                for each in sorted(doomed, key=lambda each: (each == home, str(each))):
                    await self.documents.delete_prefix(f"{each}/")
        for each in doomed | {home}:
            for forget in self.caches:
                forget(each)


def _own_installations(home: WorkspaceId, keys: Sequence[str]) -> set[WorkspaceId]:
    """Return the other workspaces under the prefix of `home` that have installed the app.

    An organisation has such workspaces; under the prefix of a workspace is no other.
    """
    return {home_of(key) for key in keys if is_installation(key)} - {home}


# When its organisation gave the app to a workspace, by Slack's clock.
KIND = "granted"
RETRY_AFTER = timedelta(minutes=1)


@dataclass(slots=True)
class Uninstaller:
    """Handles events about lost and granted access: in any order, and again until it is done.

    `still_works` is asked after an event. `installed_since` is for a bot with one token, which has
    no document of its installation: since when the token is known to work, `None` for not yet.
    """

    documents: ErasableDocuments
    checker: TokenChecker
    _: KW_ONLY
    still_works: StillWorks
    installed_since: Callable[[], datetime | None] | None = None
    vacuum: VacuumScheduler = field(init=False)
    _purger: Purger = field(init=False)
    _round: NonOverlappingTask = field(init=False)
    # And when each is tried again.
    _open: dict[UninstallEvent, datetime] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        tasks, clock = self.checker.tasks, self.checker.clock
        self.vacuum = VacuumScheduler(self.documents, tasks, clock=clock)
        self._purger = Purger(self.documents, self.vacuum, self.checker.caches)
        self._round = NonOverlappingTask(tasks, self.forget_due)

    def look(self) -> None:
        """Start the work that is due; this never waits."""
        self._round.begin()
        self.vacuum.begin()

    async def handle(self, event: UninstallEvent) -> None:
        """Handle an event. If it raises StoreError or SlackError, `forget_due` tries again."""
        handlers: dict[UninstallKind, Callable[[UninstallEvent], Awaitable[None]]] = {
            UninstallKind.REMOVED: self._remove,
            UninstallKind.WITHDRAWN: self._withdraw,
            UninstallKind.GRANTED: self._grant,
            UninstallKind.REVOKED: lambda each: self.checker.check(each.home),
        }
        self._open[event] = self.checker.clock() + RETRY_AFTER
        while True:
            with suppress(ConflictError):  # installed again, or a token renewed: look again
                await handlers[event.kind](event)
                break
        self._open.pop(event, None)

    async def grant(self, home: WorkspaceId, at: datetime) -> None:
        """Accept writes of a workspace again, to which its organisation has given the app.

        This raises nothing: `forget_due` tries again.
        """
        await self._try(UninstallEvent(home, UninstallKind.GRANTED, at))

    async def forget_due(self) -> None:
        """Retry events that failed, and delete revoked workspaces that did not come back."""
        for event, retry_at in list(self._open.items()):
            if retry_at <= self.checker.clock():
                await self._try(event)
        for key in await self.documents.due_keys(self.checker.clock(), limit=DUE_AT_MOST):
            if is_installation(key):
                await self._forget_unused(home_of(key))

    async def _try(self, event: UninstallEvent) -> None:
        # The other events must not wait for this one.
        with warned("not done yet", Exception, home=str(event.home), kind=event.kind.value):
            await self.handle(event)

    async def _remove(self, event: UninstallEvent) -> None:
        home = event.home
        stamp = await self._purger.stamp(home)
        if await self._is_of_before(event, stamp):
            logger.info("an earlier installation was removed", home=str(home))
            return
        is_covered = await self._is_covered(home)
        if is_covered and not stamp.rev:
            return  # its own installation is gone already; the organisation's has taken over
        await self._purger.erase(home, stamp)
        if is_covered:
            await self.documents.welcome(prefix_of(home))

    async def _withdraw(self, event: UninstallEvent) -> None:
        home = event.home
        stamp, granted_at = await self._purger.stamp(home), await self._granted_at(home)
        is_granted_again = granted_at is not None and event.at < granted_at
        if not stamp.rev and not is_granted_again:  # with a `rev`: an installation of its own
            await self._purger.erase(home, stamp)

    async def _grant(self, event: UninstallEvent) -> None:
        home, around = event.home, organisation_of(event.home)
        await self.documents.welcome(prefix_of(home))
        if around is None or await self.documents.get(key_of(around)) is None:
            return  # a late event: of an organisation that has left nothing is kept
        granted_at = await self._granted_at(home)
        if granted_at is None or granted_at < event.at:
            await self.documents.put(f"{home}/{KIND}", {"v": 1, "at": event.at.isoformat()})

    async def _granted_at(self, home: WorkspaceId) -> datetime | None:
        noted = await self.documents.get(f"{home}/{KIND}")
        return datetime.fromisoformat(noted.value["at"]) if noted else None

    async def _forget_unused(self, home: WorkspaceId) -> None:
        stamp = await self._purger.stamp(home)
        if not stamp.revoked_at:
            return
        try:
            if await self._is_covered(home):  # the organisation's serves it: its data is in use
                await self.documents.delete(key_of(home), if_rev=stamp.rev)
            else:
                await self._purger.erase(home, stamp)
        except ConflictError:
            logger.info("installed again at the last moment", home=str(home))

    async def _is_covered(self, home: WorkspaceId) -> bool:
        """Return whether the workspace's organisation has installed the app too."""
        around = organisation_of(home)
        return around is not None and (await self._purger.stamp(around)).has_tokens

    async def _is_of_before(self, event: UninstallEvent, stamp: Stamp) -> bool:
        """Return whether the event is about an earlier installation than the present one.

        An event later than the installation needs no question: Slack's answer may lag, and a
        workspace that has left must leave nothing. Event times are whole seconds.
        """
        if stamp.installed_at is None and self.installed_since is None:
            return False  # there is no installation
        since = stamp.installed_at or (self.installed_since and self.installed_since())
        if since and event.at > since.replace(microsecond=0):
            return False
        return await self.still_works(event.home)
