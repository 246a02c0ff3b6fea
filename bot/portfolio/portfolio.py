"""A workspace's domains: listed once a minute at most, however many people ask."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Protocol

from cachetools import LRUCache

from bot.portfolio.lookup import find, index_by_host
from bot.single_flight import SingleFlight
from bot.tracker.budget import Purpose
from bot.tracker.models import Domain, Listing
from bot.workspace import WorkspaceId

FRESH_FOR = timedelta(seconds=60)
# About 1 kB a domain with its texts: some 200 MB at the very most, over all workspaces.
MAX_CACHED_DOMAINS = 200_000


class ListsDomains(Protocol):
    """Whatever asks the service for a workspace's list."""

    async def list_domains(
        self, workspace: WorkspaceId, *, purpose: Purpose = Purpose.PERSON
    ) -> Listing:
        """Return the list, or raise a TrackerError or a NoKeyError."""
        ...


@dataclass(frozen=True)
class Snapshot:
    """The portfolio as the service listed it at `listed_at`; `skipped` entries had no name."""

    domains: tuple[Domain, ...]
    listed_at: datetime
    skipped: int = 0

    @cached_property
    def by_host(self) -> dict[str, Domain]:
        """The domains by host name."""
        return index_by_host(self.domains)

    @cached_property
    def tags(self) -> list[str]:
        """Every tag in use, in order."""
        return sorted({tag for domain in self.domains for tag in domain.tags})

    @cached_property
    def folders(self) -> list[str]:
        """Every folder in use, in order."""
        return sorted({domain.folder for domain in self.domains if domain.folder})

    @cached_property
    def domain_types(self) -> list[str]:
        """Every type in use, in order."""
        return sorted({domain.domain_type for domain in self.domains if domain.domain_type})

    def find(self, host: str) -> Domain:
        """Return the domain called `host`, or raise UnknownDomainError."""
        return find(self.by_host, host)


class Portfolio:
    """Every workspace's domains, kept for 60 s."""

    def __init__(self, service: ListsDomains, *, clock: Callable[[], datetime]) -> None:
        self._service = service
        self._clock = clock
        # By purpose too: a person may be refused what is kept for scheduled work.
        self._flights: SingleFlight[tuple[WorkspaceId, Purpose], Snapshot] = SingleFlight()
        self._kept: LRUCache[WorkspaceId, Snapshot] = LRUCache(
            MAX_CACHED_DOMAINS, getsizeof=lambda snapshot: len(snapshot.domains) + 1
        )
        self._changes: dict[WorkspaceId, int] = {}

    async def snapshot(
        self, workspace: WorkspaceId, *, purpose: Purpose = Purpose.PERSON
    ) -> Snapshot:
        """Return the domains as of at most 60 s ago; one request serves all who ask at once.

        Raises:
            TrackerError: the service gave no list; nothing older is passed off as new.
            NoKeyError: the workspace has no key yet.
        """
        kept = self._kept.get(workspace)
        if kept and self._clock() - kept.listed_at < FRESH_FOR:
            return kept
        flight = (workspace, purpose)
        return await self._flights.run(flight, lambda: self._list(workspace, purpose))

    def forget(self, workspace: WorkspaceId) -> None:
        """Something has changed: the next asker gets a list that was made after this moment."""
        self._kept.pop(workspace, None)
        for purpose in Purpose:
            self._flights.forget((workspace, purpose))
        self._changes[workspace] = self._changes.get(workspace, 0) + 1

    async def _list(self, workspace: WorkspaceId, purpose: Purpose) -> Snapshot:
        changes = self._changes.get(workspace, 0)
        listing = await self._service.list_domains(workspace, purpose=purpose)
        snapshot = Snapshot(listing.domains, self._clock(), listing.skipped)
        await asyncio.to_thread(lambda: snapshot.by_host)  # 10,000 names: off the loop
        fits = len(snapshot.domains) < MAX_CACHED_DOMAINS
        if fits and changes == self._changes.get(workspace, 0):
            self._kept[workspace] = snapshot
        return snapshot
