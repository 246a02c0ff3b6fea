"""Everything of a workspace deleted once it has removed the app, and nothing of a newer one."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime

import structlog
from cachetools import LRUCache

from bot.errors import BotError
from bot.installations.departure import (
    Departure,
    Stamp,
    Way,
    organisation_of,
    place_of,
    prefix_of,
)
from bot.installations.erasure import Erasure
from bot.installations.grants import Grants
from bot.installations.postponed import FIRST_RETRY, Postponed
from bot.installations.proving import LOOK_AT, Proving, StillWorks
from bot.installations.recurring import Recurring
from bot.installations.shelf import is_installation
from bot.installations.traces import Traces
from bot.single_flight import SingleFlight
from bot.store.errors import ConflictError
from bot.store.forgotten import ErasableDocuments
from bot.tasks import Tasks
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

MAX_TRIES = 100  # a day
MAX_OPEN = 10_000


class Forgetting:
    """Follows departures: in any order, any number of times, and again until it is done.

    `caches` empty what this process remembers of a workspace. `installed_since` is for a bot with
    one token, where no document tells when it was installed: since when it is known to be, `None`
    for not yet.
    """

    def __init__(
        self,
        documents: ErasableDocuments,
        proving: Proving,
        *,
        still_works: StillWorks,
        caches: Sequence[Callable[[WorkspaceId], object]],
        tasks: Tasks,
        clock: Callable[[], datetime],
        installed_since: Callable[[], datetime | None] | None = None,
    ) -> None:
        self._documents = documents
        self._proving = proving
        self._traces = Traces(documents, tasks, clock=clock)
        self._erasure = Erasure(documents, self._traces, caches)
        self._still_works = still_works
        self._clock = clock
        self._installed_since = installed_since
        self._round = Recurring(tasks, self.forget_due)
        self._grants = Grants(documents, tasks, clock=clock)
        self._flights: SingleFlight[Departure, None] = SingleFlight()
        self._open: LRUCache[Departure, Postponed] = LRUCache(MAX_OPEN)

    def look(self) -> None:
        """Begin with what is due, for each tick; this never waits."""
        self._round.begin()
        self._grants.look()
        self._traces.wipe_soon()

    def wipe_soon(self) -> "asyncio.Task[None] | None":
        """Begin to wipe what was deleted out of the files: see `Traces.wipe_soon`."""
        return self._traces.wipe_soon()

    async def follow(self, departure: Departure) -> None:
        """Do what a departure asks for.

        Raises:
            StoreError, SlackError: not done; `forget_due` goes on with it.
        """
        self._open[departure] = Postponed(self._clock() + FIRST_RETRY)
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

    async def _try_again(self, departure: Departure, opened: Postponed) -> None:
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

    async def _follow(self, departure: Departure) -> None:
        steps = {
            Way.REMOVED: self._remove,
            Way.WITHDRAWN: self._withdraw,
            Way.REVOKED: self._revoke,
        }
        while True:
            try:
                await steps[departure.way](departure)
            except ConflictError:
                continue  # installed anew, or a token renewed, meanwhile: look again
            return

    async def _remove(self, departure: Departure) -> None:
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

    async def _withdraw(self, departure: Departure) -> None:
        home = departure.home
        if await self._is_granted_again(departure):
            return
        if (stamp := await self._erasure.stamp(home)).rev:
            return  # it has an installation of its own
        self._grants.note_withdrawn(home, departure.at)
        await self._erasure.erase(home, stamp, unless=lambda: self._is_granted_again(departure))

    async def _is_granted_again(self, departure: Departure) -> bool:
        return await self._grants.is_granted_after(departure.home, departure.at)

    async def _revoke(self, departure: Departure) -> None:
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

    async def _is_of_before(self, departure: Departure, stamp: Stamp) -> bool:
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
