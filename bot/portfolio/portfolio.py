"""A workspace's domains: listed once a minute at most, however many people ask."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Protocol

from bot.portfolio.latest import Latest, Question
from bot.portfolio.snapshot import Snapshot
from bot.portfolio.versions import OnlyHere, Version, Versions
from bot.single_flight import SingleFlight
from bot.tracker.budget import Purpose
from bot.tracker.models import Listing
from bot.workspace import WorkspaceId

FRESH_FOR = timedelta(seconds=60)


class ListsDomains(Protocol):
    """Whatever asks the service for a workspace's list."""

    async def list_domains(
        self, workspace: WorkspaceId, *, purpose: Purpose = Purpose.PERSON
    ) -> Listing:
        """Return the list, or raise a TrackerError or a NoKeyError."""
        ...


class Portfolio:
    """Every workspace's domains, fresh for 60 s. `on_change` learns of those that have changed.

    `versions` is what several processes know together: a change is outdated at once in the
    process in which it was made, and in the others before somebody asks them the next time.
    """

    def __init__(
        self,
        service: ListsDomains,
        *,
        clock: Callable[[], datetime],
        on_change: Callable[[WorkspaceId], object] = lambda _workspace: None,
        versions: Versions | None = None,
    ) -> None:
        self._service = service
        self._versions = versions or OnlyHere()
        self._clock = clock
        self._on_change = on_change
        # By purpose too: a person may be refused what is kept for scheduled work.
        self._flights: SingleFlight[tuple[WorkspaceId, Purpose], Snapshot] = SingleFlight()
        self._latest = Latest()

    async def snapshot(
        self, workspace: WorkspaceId, *, purpose: Purpose = Purpose.PERSON
    ) -> Snapshot:
        """Return the domains as of at most 60 s ago; one request serves all who ask at once.

        Raises:
            TrackerError: the service gave no list; nothing older is passed off as new.
            NoKeyError: the workspace has no key yet.
        """
        version = await self._catch_up(workspace)
        present = self._latest.present(workspace)
        if present and self._clock() - present.listed_at < FRESH_FOR:
            return present

        def ask() -> Awaitable[Listing]:
            return self._service.list_domains(workspace, purpose=purpose)

        is_for_people = purpose is Purpose.PERSON
        return await self._flights.run(
            (workspace, purpose),
            lambda: self._list(
                Question(workspace, version, purpose), ask, tells_failures=is_for_people
            ),
        )

    async def kept(self, workspace: WorkspaceId) -> Snapshot | None:
        """Return the last list, however old, and also when something has changed since."""
        await self._catch_up(workspace)
        return self._latest.kept(workspace)

    async def said(self, workspace: WorkspaceId) -> Snapshot | Exception | None:
        """Return what the service said last, without asking: a list of any age, or a failure.

        `None`: something has changed since, a failure is older than 60 s and there was no list
        before it, or the service is being asked right now: `snapshot` then waits for that.
        """
        await self._catch_up(workspace)
        if self._flights.is_under_way((workspace, Purpose.PERSON)):
            return None
        failure = self._latest.failure(workspace, since=self._clock() - FRESH_FOR)
        return failure or self._latest.present(workspace)

    async def renew(
        self, workspace: WorkspaceId, ask: Callable[[], Awaitable[Listing]]
    ) -> Snapshot:
        """Keep what the service answers to `ask`, a question of another way; raise its errors."""
        question = Question(workspace, await self._catch_up(workspace))
        snapshot = await self._list(question, ask, tells_failures=True)
        self._on_change(workspace)
        return snapshot

    async def outdate(self, workspace: WorkspaceId) -> None:
        """Something has changed: the next asker gets a list that was made after this moment.

        Here from the call on, in every process once it has returned.
        """
        self._latest.outdate(workspace)
        self._share_nothing(workspace)
        self._on_change(workspace)
        await self._versions.change(workspace)

    async def disown(self, workspace: WorkspaceId) -> None:
        """Likewise, and nobody is shown the last list: it may have been another account's."""
        self.forget(workspace)
        await self._versions.disown(workspace)

    def forget(self, workspace: WorkspaceId) -> None:
        """Keep nothing here: the workspace has gone. Nothing is written of it any more."""
        self._latest.forget(workspace)
        self._share_nothing(workspace)
        self._on_change(workspace)

    async def _catch_up(self, workspace: WorkspaceId) -> Version:
        """Take in what other processes have changed; what nobody can tell has not changed.

        Return what is known now.
        """
        version = await self._versions.current(workspace)
        if version is None:
            return self._latest.version(workspace)
        for question in self._latest.catch_up(workspace, version):
            if question.purpose:
                self._flights.forget((workspace, question.purpose))
        return version

    def _share_nothing(self, workspace: WorkspaceId) -> None:
        for purpose in Purpose:
            self._flights.forget((workspace, purpose))

    async def _list(
        self, question: Question, ask: Callable[[], Awaitable[Listing]], *, tells_failures: bool
    ) -> Snapshot:
        with self._latest.noted(question):
            try:
                listing = await ask()
            except Exception as error:
                if tells_failures:
                    self._latest.keep_failure(question, error, self._clock())
                raise
            snapshot = Snapshot(listing.domains, self._clock(), listing.skipped)
            await asyncio.to_thread(lambda: snapshot.by_host)  # 10,000 names: off the loop
        self._latest.keep(question, snapshot)
        return snapshot
