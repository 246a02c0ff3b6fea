"""Delete the data of a workspace that removed the app, and none of a later installation."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from cachetools import LRUCache

from bot.concurrency import NonOverlappingTask, SingleFlight, Tasks
from bot.errors import BotError
from bot.installations.models import (
    Stamp,
    UninstallEvent,
    UninstallKind,
    is_installation,
    organisation,
    organisation_of,
    place_of,
    prefix_of,
    stamp_of,
)
from bot.installations.token_check import LOOK_AT, StillWorks, TokenChecker
from bot.store.documents import ConflictError, Document, Documents, StoreError
from bot.store.fenced import ErasableDocuments
from bot.workspace import WorkspaceId

FIRST_RETRY = timedelta(seconds=10)
LONGEST_RETRY = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class RetryState:
    """When it is taken up again, and how often it was."""

    retry_at: datetime
    tries: int = 0

    def put_off(self, now: datetime) -> "RetryState":
        """Return it after one more try in vain."""
        wait = min(FIRST_RETRY * 2 ** min(self.tries, 10), LONGEST_RETRY)
        return RetryState(now + wait, self.tries + 1)


logger = structlog.get_logger()
# Neither names anybody: that a wipe is owed, and until when somebody is at it.
MARK = "meta/traces"
LEASE = "meta/traces/wiping"
# No wipe of any store takes longer, so whoever has not ended by then has died.
LEASE_LASTS = timedelta(minutes=11)
REST = timedelta(seconds=30)  # after the first failure; each further one doubles it
LONGEST_REST = timedelta(minutes=15)
# The store is to work for others for most of the time, however large it is.
REST_PER_WIPE = 10


class VacuumScheduler:
    """Remembers in the store that a wipe is owed, until one of all processes has done it."""

    def __init__(
        self, documents: Documents, tasks: Tasks, *, clock: Callable[[], datetime]
    ) -> None:
        self._documents = documents
        self._clock = clock
        self._wiping = NonOverlappingTask(tasks, self._wipe)
        self._deletions = 0
        self._is_unmarked = False
        self._failures = 0
        self._rests_until: datetime | None = None

    @asynccontextmanager
    async def left(self) -> AsyncIterator[None]:
        """Note that the deletions inside the block leave traces; raise StoreError.

        None of them may come after the wipe: this process wipes nothing before its end, and
        another one that does, and takes the mark away, finds it there again.
        """
        self._deletions += 1
        try:
            await self._mark()
            yield
        finally:
            self._deletions -= 1
            await self._mark_again()

    def wipe_soon(self) -> "asyncio.Task[None] | None":
        """Begin to wipe what is left; return that work, `None` when it is too early for it."""
        rests = self._rests_until is not None and self._clock() < self._rests_until
        return None if rests else self._wiping.begin()

    async def _mark(self) -> None:
        await self._documents.put(MARK, {"v": 1})

    async def _mark_again(self) -> None:
        """Mark once more; what was deleted is not deleted again because that failed."""
        try:
            await self._mark()
        except StoreError as error:
            self._is_unmarked = True
            logger.warning("not marked yet that there are traces", error=repr(error))

    async def _wipe(self) -> None:
        if self._is_unmarked:
            await self._mark()
            self._is_unmarked = False
        if self._deletions or await self._documents.get(MARK) is None:
            return
        if (lease := await self._lease()) is None:
            return
        try:
            # Anew: whoever had the lease until now may have wiped.
            if mark := await self._documents.get(MARK):
                await self._wipe_for(mark)
        finally:
            await self._give_back(lease)

    async def _lease(self) -> Document | None:
        """Take the lease; return `None` when another process has it."""
        lease, now = await self._documents.get(LEASE), self._clock()
        if lease and datetime.fromisoformat(lease.value["until"]) > now:
            return None
        until = {"v": 1, "until": (now + LEASE_LASTS).isoformat()}
        try:
            return await self._documents.put(LEASE, until, if_rev=lease.rev if lease else 0)
        except ConflictError:
            return None

    async def _give_back(self, lease: Document) -> None:
        try:
            await self._documents.delete(LEASE, if_rev=lease.rev)
        except ConflictError:
            logger.warning("a wipe took so long that another one has begun")

    async def _wipe_for(self, mark: Document) -> None:
        began_at = self._clock()
        try:
            await self._documents.vacuum()
            await self._documents.delete(MARK, if_rev=mark.rev)
        except ConflictError:
            self._failures = 0  # others were deleted meanwhile: the next wipe is for them
        except BotError as error:
            self._failures += 1
            logger.warning("traces of deleted workspaces are still there", error=repr(error))
        else:
            self._failures = 0
            logger.info("traces wiped")
        took = self._clock() - began_at
        rest = min(REST * 2 ** min(self._failures, 10), LONGEST_REST)
        rest = rest if self._failures else timedelta()
        self._rests_until = self._clock() + max(rest, REST_PER_WIPE * took)


MAX_REMEMBERED = 10_000
# Requests of a workspace that was withdrawn may be that late: Slack repeats events for 6 minutes.
LATEST_REQUEST = timedelta(minutes=10)
# When the app was given to a workspace, as Slack's event says. It goes with the workspace.
KIND = "granted"


class Grants:
    """Takes workspaces in again, and keeps in the store since when each of them has the app.

    Who was withdrawn is known to this process alone, until it ends: a store that several share
    takes such a workspace in again by itself, an hour later.
    """

    def __init__(
        self, documents: ErasableDocuments, tasks: Tasks, *, clock: Callable[[], datetime]
    ) -> None:
        self._documents = documents
        self._clock = clock
        self._withdrawn: LRUCache[WorkspaceId, datetime] = LRUCache(MAX_REMEMBERED)
        self._not_in_yet: dict[WorkspaceId, datetime] = {}
        self._taking_in = NonOverlappingTask(tasks, self._take_in)

    def grant(self, home: WorkspaceId, at: datetime) -> "asyncio.Task[None]":
        """Take in again what a workspace does, to which its organisation has given the app.

        Return that work, which never raises: what fails is done again by the ticks.
        """
        self._withdrawn.pop(home, None)
        self._not_in_yet[home] = max(at, self._not_in_yet.get(home, at))
        return self._taking_in.begin()

    def note_withdrawn(self, home: WorkspaceId, at: datetime) -> None:
        """Take note that an organisation has taken the app from a workspace at that moment."""
        self._withdrawn[home] = self._clock()
        if (granted := self._not_in_yet.get(home)) and granted <= at:
            del self._not_in_yet[home]

    def note_served(self, workspace: WorkspaceId) -> None:
        """Take a workspace in again that is served, although nobody told that it was granted.

        Not at once: a request may be under way while the organisation takes the app away.
        """
        withdrawn_at = self._withdrawn.get(workspace)
        if withdrawn_at and self._clock() - withdrawn_at > LATEST_REQUEST:
            self.grant(workspace, self._clock())

    async def is_granted_after(self, home: WorkspaceId, moment: datetime) -> bool:
        """Whether a grant of a later moment has been told, to whichever process.

        Raises:
            StoreError: nobody can say.
        """
        told = self._not_in_yet.get(home) or await self._noted(home)
        return told is not None and moment < told

    def look(self) -> None:
        """Go on with what failed; this never waits."""
        self._taking_in.begin()

    async def _take_in(self) -> None:
        while self._not_in_yet:
            home, at = next(iter(self._not_in_yet.items()))
            await self._documents.welcome(prefix_of(home))
            await self._note(home, at)
            if self._not_in_yet.get(home) == at:  # nothing else was told meanwhile
                del self._not_in_yet[home]

    async def _note(self, home: WorkspaceId, at: datetime) -> None:
        around = organisation_of(home)
        if around is None or await self._documents.get(place_of(around)) is None:
            return  # it is a late event: of whom has gone nothing is kept
        noted = await self._noted(home)
        if noted is None or noted < at:  # events come in any order
            await self._documents.put(_place(home), {"v": 1, "at": at.isoformat()})

    async def _noted(self, home: WorkspaceId) -> datetime | None:
        found = await self._documents.get(_place(home))
        return datetime.fromisoformat(found.value["at"]) if found else None


def _place(home: WorkspaceId) -> str:
    return f"{home}/{KIND}"


class Purger:
    """Deletes, unless the app was installed anew. Every method may raise StoreError.

    `caches` empty what this process remembers of a workspace.
    """

    def __init__(
        self,
        documents: ErasableDocuments,
        traces: VacuumScheduler,
        caches: Sequence[Callable[[WorkspaceId], object]],
    ) -> None:
        self._documents = documents
        self._traces = traces
        self._caches = caches

    async def stamp(self, home: WorkspaceId) -> Stamp:
        """Return what tells the installation of `home` from another one."""
        return stamp_of(home, await self._documents.get(place_of(home)))

    async def erase(
        self,
        home: WorkspaceId,
        stamp: Stamp,
        *,
        unless: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        """Delete everything of `home`, of which nothing is written any more from now on.

        An installation that is saved meanwhile waits until this is over, and then stands alone.
        `unless` is asked when nothing is written any more: whether another process has learnt
        meanwhile that `home` is to stay.

        Raises:
            ConflictError: it is, or its installation is no longer that of `stamp`; nothing was
                deleted.
        """
        prefix = prefix_of(home)
        own = _own_homes(home, await self._documents.list_keys(prefix))
        async with self._documents.forgetting(prefix, but=map(prefix_of, own)):
            if (await self.stamp(home)).rev != stamp.rev or (unless and await unless()):
                await self._documents.welcome(prefix)
                raise ConflictError("installed anew, or granted, meanwhile")
            await self._delete(home, await self._documents.list_keys(prefix))
        logger.info("forgotten", home=str(home))

    def empty_caches(self, home: WorkspaceId) -> None:
        """Let this process remember nothing of `home`."""
        for empty in self._caches:
            empty(home)

    async def _delete(self, home: WorkspaceId, keys: Sequence[str]) -> None:
        """Delete what has these keys, but for workspaces with an own installation.

        The organisation itself comes last, so that what was cut off is done again.
        """
        own = _own_homes(home, keys)
        for each in own:  # it may have been made a moment ago
            await self._documents.welcome(prefix_of(each))
        doomed = {_home_of(key) for key in keys} - own
        if doomed:
            async with self._traces.left():
                for each in sorted(doomed, key=lambda each: (each == home, str(each))):
                    await self._documents.delete_prefix(f"{each}/")
        for each in doomed | {home}:
            self.empty_caches(each)


def _own_homes(home: WorkspaceId, keys: Sequence[str]) -> set[WorkspaceId]:
    """Return the workspaces of the organisation `home` that have installed the app themselves."""
    if not home.enterprise_id or home != organisation(home.enterprise_id):
        return set()
    return {_home_of(key) for key in keys if is_installation(key)} - {home}


def _home_of(key: str) -> WorkspaceId:
    return WorkspaceId.parse(key.partition("/")[0])


MAX_TRIES = 100  # a day
MAX_OPEN = 10_000


class Uninstaller:
    """Follows departures: in any order, any number of times, and again until it is done.

    `caches` empty what this process remembers of a workspace. `installed_since` is for a bot with
    one token, where no document tells when it was installed: since when it is known to be, `None`
    for not yet.
    """

    def __init__(
        self,
        documents: ErasableDocuments,
        proving: TokenChecker,
        *,
        still_works: StillWorks,
        caches: Sequence[Callable[[WorkspaceId], object]],
        tasks: Tasks,
        clock: Callable[[], datetime],
        installed_since: Callable[[], datetime | None] | None = None,
    ) -> None:
        self._documents = documents
        self._proving = proving
        self._traces = VacuumScheduler(documents, tasks, clock=clock)
        self._erasure = Purger(documents, self._traces, caches)
        self._still_works = still_works
        self._clock = clock
        self._installed_since = installed_since
        self._round = NonOverlappingTask(tasks, self.forget_due)
        self._grants = Grants(documents, tasks, clock=clock)
        self._flights: SingleFlight[UninstallEvent, None] = SingleFlight()
        self._open: LRUCache[UninstallEvent, RetryState] = LRUCache(MAX_OPEN)

    def look(self) -> None:
        """Begin with what is due, for each tick; this never waits."""
        self._round.begin()
        self._grants.look()
        self._traces.wipe_soon()

    def wipe_soon(self) -> "asyncio.Task[None] | None":
        """Begin to wipe what was deleted out of the files: see `Traces.wipe_soon`."""
        return self._traces.wipe_soon()

    async def follow(self, departure: UninstallEvent) -> None:
        """Do what a departure asks for.

        Raises:
            StoreError, SlackError: not done; `forget_due` goes on with it.
        """
        self._open[departure] = RetryState(self._clock() + FIRST_RETRY)
        await self._flights.run(departure, lambda: self._follow(departure))
        self._open.pop(departure, None)

    def grant(self, home: WorkspaceId, at: datetime) -> "asyncio.Task[None]":
        """See `Grants.grant`."""
        return self._grants.grant(home, at)

    def note_served(self, workspace: WorkspaceId) -> None:
        """See `Grants.note_served`."""
        self._grants.note_served(workspace)

    async def forget_due(self) -> None:
        """Go on with what failed, and delete what waited in vain to be installed again.

        Raises:
            StoreError: it failed again.
        """
        for departure, opened in list(self._open.items()):
            if opened.retry_at <= self._clock():
                await self._try_again(departure, opened)
        for key in await self._documents.due_keys(self._clock(), limit=LOOK_AT):
            if is_installation(key):
                await self._forget_unused(WorkspaceId.parse(key.partition("/")[0]))

    async def _try_again(self, departure: UninstallEvent, opened: RetryState) -> None:
        try:
            await self._flights.run(departure, lambda: self._follow(departure))
        except Exception as error:  # noqa: BLE001  # whatever it is, others wait behind it
            told = logger.bind(
                home=str(departure.home), way=departure.way.value, error=repr(error)
            )
            if opened.tries < MAX_TRIES:
                self._open[departure] = opened.put_off(self._clock())
                told.warning("not forgotten yet", exc_info=not isinstance(error, BotError))
                return
            told.exception("given up: what this workspace had is still in the store")
        self._open.pop(departure, None)

    async def _follow(self, departure: UninstallEvent) -> None:
        steps = {
            UninstallKind.REMOVED: self._remove,
            UninstallKind.WITHDRAWN: self._withdraw,
            UninstallKind.REVOKED: self._revoke,
        }
        while True:
            try:
                await steps[departure.way](departure)
            except ConflictError:
                continue  # installed anew, or a token renewed, meanwhile: look again
            return

    async def _remove(self, departure: UninstallEvent) -> None:
        home = departure.home
        stamp = await self._erasure.stamp(home)
        if await self._is_of_before(departure, stamp):
            logger.info("an earlier installation was removed", home=str(home))
            return
        is_covered = await self._is_covered(home)
        if is_covered and not stamp.rev:
            return  # its own installation is gone already; the organisation's has taken over
        await self._erasure.erase(home, stamp)
        if is_covered:
            await self._documents.welcome(prefix_of(home))

    async def _withdraw(self, departure: UninstallEvent) -> None:
        home = departure.home
        if await self._is_granted_again(departure):
            return
        if (stamp := await self._erasure.stamp(home)).rev:
            return  # it has an installation of its own
        self._grants.note_withdrawn(home, departure.at)
        await self._erasure.erase(home, stamp, unless=lambda: self._is_granted_again(departure))

    async def _is_granted_again(self, departure: UninstallEvent) -> bool:
        return await self._grants.is_granted_after(departure.home, departure.at)

    async def _revoke(self, departure: UninstallEvent) -> None:
        await self._proving.prove(departure.home)  # there may be other tokens

    async def _forget_unused(self, home: WorkspaceId) -> None:
        stamp = await self._erasure.stamp(home)
        if not stamp.revoked_at:
            return
        try:
            if await self._is_covered(home):  # all but the useless installation is in use
                await self._documents.delete(place_of(home), if_rev=stamp.rev)
            else:
                await self._erasure.erase(home, stamp)
        except ConflictError:
            logger.info("installed again at the last moment", home=str(home))

    async def _is_covered(self, home: WorkspaceId) -> bool:
        """Whether the workspace's organisation has installed the app too."""
        around = organisation_of(home)
        return around is not None and (await self._erasure.stamp(around)).has_tokens

    async def _is_of_before(self, departure: UninstallEvent, stamp: Stamp) -> bool:
        """Whether it tells of an earlier installation than the one that is there.

        What is stamped later than the installation is not asked about: Slack's answer may lag,
        and a workspace that has gone must leave nothing. Nobody removes an app and installs it
        again within the second by which two clocks may differ. Event times are whole seconds.
        """
        since = stamp.installed_at
        if since is None:
            if self._installed_since is None:  # there is no installation
                return False
            since = self._installed_since()
        if since and departure.at > since.replace(microsecond=0):
            return False
        return await self._still_works(departure.home)
