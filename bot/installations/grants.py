"""Which workspaces an organisation has given the app, or taken it from, as far as was told."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

from cachetools import LRUCache

from bot.installations.departure import organisation_of, place_of, prefix_of
from bot.installations.recurring import Recurring
from bot.store.forgotten import ErasableDocuments
from bot.tasks import Tasks
from bot.workspace import WorkspaceId

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
        self._taking_in = Recurring(tasks, self._take_in)

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
