"""List a workspace's domains, cached in memory; remember the scores that people were shown.

A sample of the last list is kept: by it a key of another portfolio shows.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Collection
from dataclasses import KW_ONLY, dataclass
from datetime import datetime, timedelta
from functools import cached_property

import msgspec
from cachetools import LRUCache

from bot.domains.lookup import UnknownDomainError, index_by_host, nearest
from bot.process.clock import Clock
from bot.process.concurrency import SingleFlight, compute
from bot.process.errors import log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.store.documents import Documents, StoreError
from bot.tracker.models import Domain, Listing
from bot.tracker.rate_limit import Purpose

# After this time a list is used as it is: a minute old is better than no answer.
ASKED_WITHIN_S = 1.0
KIND = "list"
SEEN_KIND = "seen"
# Of all workspaces together: about 200 MB. Each workspace counts as one more.
MAX_CACHED_DOMAINS = 300_000
MAX_SHOWN_SCORES = 100_000
MAX_MARKS = 500
# An age below zero is stale too: the clock was set back.
FRESH_FOR = timedelta(seconds=60)
# So fresh it has to be for the bot to say that a domain is not there.
SURE_FOR = timedelta(seconds=5)


@dataclass(frozen=True)
class Snapshot:
    """The portfolio as the service listed it at `listed_at`; `skipped` entries had no name."""

    domains: tuple[Domain, ...]
    listed_at: datetime
    skipped: int = 0

    @cached_property
    def by_host(self) -> dict[str, Domain]:
        return index_by_host(self.domains)

    @cached_property
    def tags(self) -> list[str]:
        return sorted({tag for domain in self.domains for tag in domain.tags})

    @cached_property
    def folders(self) -> list[str]:
        return sorted({domain.folder for domain in self.domains if domain.folder})

    @cached_property
    def domain_types(self) -> list[str]:
        return sorted({domain.domain_type for domain in self.domains if domain.domain_type})

    def find(self, host: str) -> Domain:
        """Return the domain called `host`, or raise UnknownDomainError."""
        if host not in self.by_host:
            raise UnknownDomainError(host, nearest(self.by_host, host))
        return self.by_host[host]


class StoredVersions:
    """Versions that processes share: the revision of a document of each workspace.

    No revision comes twice, also after a deletion, so that a write needs no condition. No method
    raises.
    """

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    async def current(self, workspace: WorkspaceId) -> int | None:
        """Return the present version, `None` when it is unknown."""
        with log_and_suppress("the version of a list is unknown", StoreError, TimeoutError):
            async with asyncio.timeout(ASKED_WITHIN_S):
                document = await self._documents.get(f"{workspace}/{KIND}/change")
            return document.rev if document else 0
        return None

    async def change(self, workspace: WorkspaceId) -> None:
        """Invalidate, in every process, all lists that were asked for before."""
        with log_and_suppress("other processes may keep an older list", StoreError, TimeoutError):
            async with asyncio.timeout(ASKED_WITHIN_S):
                await self._documents.put(f"{workspace}/{KIND}/change", {"v": 1})


@dataclass(frozen=True, slots=True)
class Sample:
    """The number of domains in a list, and the marks of some: of two lists the same ones."""

    count: int
    marks: tuple[str, ...]

    def shares_any(self, hosts: Collection[str]) -> bool:
        """Return whether one of the sampled domains is among `hosts`."""
        return not set(self.marks).isdisjoint(map(_mark, hosts))


class SeenDomains:
    """The sample of the last list that any key of a workspace gave; it outlives the key."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    async def note(self, workspace: WorkspaceId, hosts: Collection[str]) -> None:
        """Keep the sample of a list, if it is another one; a failure is only logged."""
        marks = await compute(len(hosts), lambda: sorted(map(_mark, hosts)))
        sample = Sample(len(hosts), tuple(marks[:MAX_MARKS]))
        with log_and_suppress("the domains that were seen are not noted", StoreError):
            if await self.last(workspace) == sample:
                return
            value = {"v": 1, "sample": msgspec.to_builtins(sample)}
            await self._documents.put(f"{workspace}/{SEEN_KIND}", value)

    async def last(self, workspace: WorkspaceId) -> Sample | None:
        """Return the sample of the last list, `None` before the first; raise StoreError."""
        document = await self._documents.get(f"{workspace}/{SEEN_KIND}")
        return msgspec.convert(document.value["sample"], Sample) if document else None


def _mark(host: str) -> str:
    return hashlib.sha256(host.encode()).hexdigest()[:12]


@dataclass(slots=True, eq=False)
class _Epoch:
    """The lists that were asked for between two changes of a workspace's domains.

    An answer that comes after a change goes to an epoch that is over, and so to no one else.
    `last` is the last list; before `is_listed` it is of an earlier epoch.
    """

    version: int
    last: Snapshot | None = None
    is_listed: bool = False

    def size(self) -> int:
        return min(1 + len(self.last.domains if self.last else ()), MAX_CACHED_DOMAINS)


@dataclass(eq=False)
class Portfolio:
    """Every workspace's domains, fresh for 60 s, by `WorkspaceTracker.list_domains`.

    `versions` are shared by processes, `None` in the only one: a change invalidates the list at
    once in its own process, and in the others before their next request. `seen` notes each list.
    `owned_type` is the type of owned domains, "" if not known.
    """

    list_domains: Callable[[WorkspaceId, Purpose, datetime | None], Awaitable[Listing]]
    _: KW_ONLY
    clock: Clock
    versions: StoredVersions | None = None
    seen: SeenDomains | None = None
    owned_type: str = ""

    def __post_init__(self) -> None:
        self._epochs: LRUCache[WorkspaceId, _Epoch] = LRUCache(
            MAX_CACHED_DOMAINS, getsizeof=_Epoch.size
        )
        # By purpose too: the reserve refuses people and serves scheduled work.
        self._flights: SingleFlight[tuple[_Epoch, Purpose], Snapshot] = SingleFlight()

    async def snapshot(
        self,
        workspace: WorkspaceId,
        *,
        purpose: Purpose = Purpose.PERSON,
        newer_than: datetime | None = None,
        slot_at: datetime | None = None,
    ) -> Snapshot:
        """Return the domains as of at most 60 s ago; simultaneous calls share one request.

        A list that is not newer than `newer_than` is asked for again. `slot_at`: the slot of a
        digest, or of a check; a key that was refused before is tried again.

        Raises:
            TrackerError: the service gave no list; no older one is used instead.
            NoKeyError: the workspace has no key yet.
        """
        epoch = await self._catch_up(workspace)
        present = epoch.last if epoch.is_listed else None
        is_fresh = present and timedelta() <= self.clock() - present.listed_at < FRESH_FOR
        if present and is_fresh and (newer_than is None or present.listed_at > newer_than):
            return present

        return await self._flights.run(
            (epoch, purpose),
            lambda: self._list(workspace, epoch, self.list_domains(workspace, purpose, slot_at)),
        )

    async def sure_snapshot(self, workspace: WorkspaceId) -> Snapshot:
        """Return the domains as of at most 5 s ago, before the bot says that one is not there."""
        return await self.snapshot(workspace, newer_than=self.clock() - SURE_FOR)

    async def last_snapshot(self, workspace: WorkspaceId) -> Snapshot | None:
        """Return the last list, however old, also an invalid one."""
        return (await self._catch_up(workspace)).last

    async def invalidate(self, workspace: WorkspaceId) -> None:
        """Let the list be asked for again after a change, in every process once this returned.

        This process still has the last list for `last_snapshot`.
        """
        if epoch := self._epochs.get(workspace):
            self._epochs[workspace] = _Epoch(epoch.version, epoch.last)
        if self.versions:
            await self.versions.change(workspace)

    async def forget_everywhere(self, workspace: WorkspaceId) -> None:
        """Forget the last list too, in every process: it may be of another account."""
        self.forget(workspace)
        if self.versions:
            await self.versions.change(workspace)

    def forget(self, workspace: WorkspaceId) -> None:
        """Drop the list in this process, and write nothing: the workspace may be gone."""
        self._epochs.pop(workspace, None)

    async def _catch_up(self, workspace: WorkspaceId) -> _Epoch:
        """Return the present epoch: a new one, with no list, after a change in another process."""
        version = await self.versions.current(workspace) if self.versions else 0
        epoch = self._epochs.get(workspace)
        if epoch is None or (version is not None and version != epoch.version):
            epoch = self._epochs[workspace] = _Epoch(version or 0)
        return epoch

    async def _list(
        self, workspace: WorkspaceId, epoch: _Epoch, asked: Awaitable[Listing]
    ) -> Snapshot:
        listing = await asked
        snapshot = Snapshot(listing.domains, self.clock(), listing.skipped)
        await compute(len(listing.domains), lambda: snapshot.by_host)
        if self.seen:
            await self.seen.note(workspace, snapshot.by_host)
        if self._epochs.get(workspace) is epoch:
            epoch.last, epoch.is_listed = snapshot, True
            self._epochs[workspace] = epoch  # by its new size
        return snapshot


class ShownScores(LRUCache[tuple[WorkspaceId, str, str], float | None]):
    """The latest scores that people were shown, by person and host: a restart forgets them."""

    def __init__(self) -> None:
        super().__init__(MAX_SHOWN_SCORES)
