"""List a workspace's domains: asked for once a minute at most, cached in memory."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Protocol

import msgspec
import structlog
from cachetools import LRUCache

from bot.concurrency import BoundedWait, SingleFlight
from bot.portfolio.query import find, index_by_host
from bot.store.documents import Documents, StoreError
from bot.tracker.models import Domain, Listing
from bot.tracker.rate_limit import Purpose
from bot.workspace import WorkspaceId


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


logger = structlog.get_logger()
# After this time a list is used as it is: a minute old is better than no answer.
ASKED_WITHIN_S = 1.0
KIND = "list"


@dataclass(frozen=True, slots=True)
class Version:
    """The version of a list: both numbers differ after a change of account or of domains."""

    account: int = 0
    change: int = 0


class Versions:
    """Versions of lists. These are of the only process of a store: others change nothing.

    No method raises.
    """

    async def current(self, workspace: WorkspaceId) -> Version | None:  # noqa: ARG002  # the port's
        """Return the present version, `None` when it is unknown."""
        return Version()

    async def change_domains(self, workspace: WorkspaceId) -> None:
        """Invalidate all lists, in every process, that were asked for before."""

    async def change_account(self, workspace: WorkspaceId) -> None:
        """Drop all lists, in every process: they may be another account's."""


class StoredVersions(Versions):
    """Versions that processes share: the revisions of two documents of each workspace.

    No revision comes twice, also after a deletion, so that a write needs no condition.
    """

    def __init__(self, documents: Documents, *, asked_within_s: float = ASKED_WITHIN_S) -> None:
        self._documents = documents
        self._patience = BoundedWait(asked_within_s)

    async def current(self, workspace: WorkspaceId) -> Version | None:  # noqa: D102  # as above
        async def read() -> Version:
            found = await self._documents.list_prefix(f"{workspace}/{KIND}/")
            revs = {document.key: document.rev for document in found}
            return Version(
                account=revs.get(_place(workspace, "account"), 0),
                change=revs.get(_place(workspace, "change"), 0),
            )

        try:
            return await self._patience.wait(read())
        except (StoreError, TimeoutError) as error:
            logger.warning("the version of a list is unknown", error=repr(error))
            return None

    async def change_domains(self, workspace: WorkspaceId) -> None:  # noqa: D102  # as above
        await self._write(_place(workspace, "change"))

    async def change_account(self, workspace: WorkspaceId) -> None:  # noqa: D102  # as above
        await self._write(_place(workspace, "account"))

    async def _write(self, place: str) -> None:
        async def write() -> None:
            await self._documents.put(place, {"v": 1})

        try:
            await self._patience.wait(write())
        except (StoreError, TimeoutError) as error:
            logger.warning("other processes may keep an older list", error=repr(error))


def _place(workspace: WorkspaceId, what: str) -> str:
    return f"{workspace}/{KIND}/{what}"


# At the very most, over all workspaces.
MAX_CACHED_BYTES = 200_000_000
# A domain beside its texts: objects, and its places in a snapshot and in `by_host`.
DOMAIN_BYTES = 400
MAX_FAILURES = 1_000
# An age below zero is stale too: the clock was set back.
FRESH_FOR = timedelta(seconds=60)


@dataclass(slots=True, eq=False)
class Question:
    """A request for a list that is under way, and the version at its start.

    `purpose` is `None` for a request that is not shared. `is_late`: something has changed since.
    """

    workspace: WorkspaceId
    version: Version
    purpose: Purpose | None = None
    is_late: bool = False


@dataclass(slots=True)
class _Kept:
    """The last list, and the version at its request; `is_late` as above."""

    snapshot: Snapshot
    version: Version
    size: int
    is_late: bool = False


def size_of(snapshot: Snapshot) -> int:
    """Return about how many bytes of memory a list takes. Quick: half a µs a domain."""
    texts = len(msgspec.json.encode(snapshot.domains))
    return texts + DOMAIN_BYTES * (len(snapshot.domains) + 1)


@dataclass(frozen=True, slots=True)
class _Failure:
    """The error of the last request, its moment, and the version at its start."""

    error: Exception
    at: datetime
    version: Version


class Latest:
    """The last list or failure of each workspace, bounded over all workspaces."""

    def __init__(self) -> None:
        self._kept: LRUCache[WorkspaceId, _Kept] = LRUCache(
            MAX_CACHED_BYTES, getsizeof=lambda kept: kept.size
        )
        self._failures: LRUCache[WorkspaceId, _Failure] = LRUCache(MAX_FAILURES)
        self._questions: set[Question] = set()

    def last(self, workspace: WorkspaceId) -> Snapshot | None:
        """Return the last list, also an invalid one."""
        kept = self._kept.get(workspace)
        return kept.snapshot if kept else None

    def present(self, workspace: WorkspaceId) -> Snapshot | None:
        """Return the last list, unless it is invalid."""
        kept = self._kept.get(workspace)
        return kept.snapshot if kept and not kept.is_late else None

    def failure(self, workspace: WorkspaceId, now: datetime) -> Exception | None:
        """Return the error of a request in the last 60 s, unless it is invalid."""
        failure = self._failures.get(workspace)
        is_fresh = failure and timedelta() <= now - failure.at < FRESH_FOR
        return failure.error if failure and is_fresh else None

    def version(self, workspace: WorkspaceId) -> Version:
        """Return the version of the last list."""
        kept = self._kept.get(workspace)
        return kept.version if kept else Version()

    def catch_up(self, workspace: WorkspaceId, version: Version) -> list[Question]:
        """Invalidate everything of another version; return the questions among it."""
        kept, failure = self._kept.get(workspace), self._failures.get(workspace)
        if kept and kept.version.account != version.account:
            del self._kept[workspace]
        elif kept and kept.version != version:
            kept.is_late = True
        if failure and failure.version != version:
            del self._failures[workspace]
        return self._mark_late(workspace, but=version)

    def invalidate(self, workspace: WorkspaceId) -> None:
        """Invalidate everything of a workspace."""
        self._failures.pop(workspace, None)
        if kept := self._kept.get(workspace):
            kept.is_late = True
        self._mark_late(workspace)

    def forget(self, workspace: WorkspaceId) -> None:
        """Drop everything of a workspace."""
        self._kept.pop(workspace, None)
        self.invalidate(workspace)

    @contextmanager
    def noted(self, question: Question) -> Iterator[None]:
        """Register a question for `catch_up` and `invalidate` inside the block."""
        self._questions.add(question)
        try:
            yield
        finally:  # after its flight has ended: a call until then would join that
            asyncio.get_running_loop().call_soon(self._questions.discard, question)

    def keep(self, question: Question, snapshot: Snapshot) -> None:
        """Keep the answer to a question, unless it is late or too large."""
        if question.is_late:
            return
        self._failures.pop(question.workspace, None)
        if (size := size_of(snapshot)) < self._kept.maxsize:
            self._kept[question.workspace] = _Kept(snapshot, question.version, size)

    def keep_failure(self, question: Question, error: Exception, at: datetime) -> None:
        """Keep the error of a question, unless it is late."""
        if not question.is_late:
            self._failures[question.workspace] = _Failure(error, at, question.version)

    def _mark_late(self, workspace: WorkspaceId, but: Version | None = None) -> list[Question]:
        """Mark the questions of other versions as late; return those that were not before."""
        own = (each for each in self._questions if each.workspace == workspace)
        late = [each for each in own if not each.is_late and each.version != but]
        for question in late:
            question.is_late = True
        return late


class ListsDomains(Protocol):
    """Asks the service for a workspace's list."""

    async def list_domains(
        self, workspace: WorkspaceId, *, purpose: Purpose = Purpose.PERSON
    ) -> Listing:
        """Return the list, or raise a TrackerError or a NoKeyError."""
        ...


class Portfolio:
    """Every workspace's domains, fresh for 60 s. `on_change` is called after each change.

    `versions` are shared by processes: a change invalidates the list at once in its own process,
    and in the others before their next request.
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
        self._versions = versions or Versions()
        self._clock = clock
        self._on_change = on_change
        # By purpose too: the reserve refuses people and serves scheduled work.
        self._flights: SingleFlight[tuple[WorkspaceId, Purpose], Snapshot] = SingleFlight()
        self._latest = Latest()

    async def snapshot(
        self,
        workspace: WorkspaceId,
        *,
        purpose: Purpose = Purpose.PERSON,
        newer_than: datetime | None = None,
    ) -> Snapshot:
        """Return the domains as of at most 60 s ago; simultaneous calls share one request.

        A list that is not newer than `newer_than` is asked for again.

        Raises:
            TrackerError: the service gave no list; no older one is used instead.
            NoKeyError: the workspace has no key yet.
        """
        version = await self._catch_up(workspace)
        present = self._latest.present(workspace)
        is_fresh = present and timedelta() <= self._clock() - present.listed_at < FRESH_FOR
        if present and is_fresh and (newer_than is None or present.listed_at > newer_than):
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

    async def last_snapshot(self, workspace: WorkspaceId) -> Snapshot | None:
        """Return the last list, however old, also an invalid one."""
        await self._catch_up(workspace)
        return self._latest.last(workspace)

    async def last_result(self, workspace: WorkspaceId) -> Snapshot | Exception | None:
        """Return the last valid list of any age, or a failure of the last 60 s; ask for nothing.

        `None`: there is neither, or a request is under way, for which `snapshot` waits.
        """
        await self._catch_up(workspace)
        if self._flights.is_under_way((workspace, Purpose.PERSON)):
            return None
        failure = self._latest.failure(workspace, self._clock())
        return failure or self._latest.present(workspace)

    async def renew(
        self, workspace: WorkspaceId, ask: Callable[[], Awaitable[Listing]]
    ) -> Snapshot:
        """Keep and return the list that `ask` gets; its errors are passed on."""
        question = Question(workspace, await self._catch_up(workspace))
        snapshot = await self._list(question, ask, tells_failures=True)
        self._on_change(workspace)
        return snapshot

    async def invalidate(self, workspace: WorkspaceId) -> None:
        """Invalidate the list after a change, in every process once this has returned."""
        self._latest.invalidate(workspace)
        self._share_nothing(workspace)
        self._on_change(workspace)
        await self._versions.change_domains(workspace)

    async def invalidate_everywhere(self, workspace: WorkspaceId) -> None:
        """Drop the list in every process: it may be another account's."""
        self.forget(workspace)
        await self._versions.change_account(workspace)

    def forget(self, workspace: WorkspaceId) -> None:
        """Drop the list in this process, and write nothing: the workspace may be gone."""
        self._latest.forget(workspace)
        self._share_nothing(workspace)
        self._on_change(workspace)

    async def _catch_up(self, workspace: WorkspaceId) -> Version:
        """Invalidate what other processes have changed; return the present version."""
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
