"""Add a domain: check for duplicates first, never write twice."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from bot.domains.service import Portfolio
from bot.process.concurrency import SingleFlight
from bot.process.errors import BotError, log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.tracker.models import Domain, NewDomain, NoResultError, RejectedError

MAX_LABEL_CHARS = 100
MAX_TAGS = 20


class AlreadyAddedError(BotError):
    """The portfolio holds this domain already, as `domain`."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        super().__init__("the portfolio holds the domain already")


class UncertainAddError(BotError):
    """The service gave no usable answer to an add, and does not list the domain (yet)."""

    def __init__(self, host: str) -> None:
        self.host = host
        super().__init__("an add without a proper answer")


@dataclass(frozen=True, slots=True)
class DomainAdder:
    """Adds domains to portfolios; simultaneous calls for one domain share one write."""

    write: Callable[[WorkspaceId, NewDomain], Awaitable[None]]
    portfolio: Portfolio
    _flights: SingleFlight[tuple[WorkspaceId, str], Domain | None] = field(
        default_factory=SingleFlight, init=False
    )

    async def add(
        self, workspace: WorkspaceId, new: NewDomain, *, is_one_of_many: bool = False
    ) -> Domain | None:
        """Add `new`; return how the service lists it now, or `None` if it does not list it yet.

        The write is sent once. When its outcome is unknown, the list decides. `is_one_of_many`:
        the present list stays in use, and the caller invalidates it after the last write.

        Raises:
            AlreadyAddedError: it was there before; nothing was written.
            UncertainAddError: no proper answer, and the list does not hold it.
            TrackerError, NoKeyError: nothing was added.
        """
        return await self._flights.run(
            (workspace, new.host), lambda: self._add(workspace, new, is_one_of_many=is_one_of_many)
        )

    async def _add(
        self, workspace: WorkspaceId, new: NewDomain, *, is_one_of_many: bool
    ) -> Domain | None:
        if known := await self._listed(workspace, new.host):
            raise AlreadyAddedError(known)
        try:
            try:
                await self.write(workspace, new)
            finally:
                if not is_one_of_many:
                    await self.portfolio.invalidate(workspace)
        except RejectedError:
            if is_one_of_many:
                raise
            # It may have been added since our list was made.
            if known := await self._listed_now(workspace, new.host):
                raise AlreadyAddedError(known) from None
            raise
        except NoResultError as error:
            if not error.is_outcome_unknown:
                raise
            if is_one_of_many:
                await self.portfolio.invalidate(workspace)
            if known := await self._listed_now(workspace, new.host):
                return known
            raise UncertainAddError(new.host) from error
        return None if is_one_of_many else await self._listed_now(workspace, new.host)

    async def _listed_now(self, workspace: WorkspaceId, host: str) -> Domain | None:
        """Return the listed domain after a write; a failing list must not hide its result."""
        with log_and_suppress("no list after a write", BotError):
            return await self._listed(workspace, host)
        return None

    async def _listed(self, workspace: WorkspaceId, host: str) -> Domain | None:
        return (await self.portfolio.snapshot(workspace)).by_host.get(host)
