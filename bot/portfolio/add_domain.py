"""Add a domain: check for duplicates first, never write twice."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import structlog

from bot.claims import Claims
from bot.command_text import NotUnderstood, NotUnderstoodError, split_words
from bot.concurrency import SingleFlight
from bot.errors import BotError
from bot.hostnames import host_name
from bot.portfolio.service import Portfolio
from bot.tracker.models import Added, Domain, NoResultError, RejectedError
from bot.workspace import WorkspaceId

logger = structlog.get_logger()
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


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDomain:
    """A domain to add; `host` is a host name as `host_name` returns it, `folder` may be `None`."""

    host: str
    domain_type: str
    tags: tuple[str, ...] = ()
    folder: str | None = None


def parse_new_domain(text: str, *, owned_type: str) -> NewDomain:
    """Return the domain of `/adddomain example.com type:x folder:"x" tag:x tag:y`.

    Raises:
        HostNameError: it is no host name.
        NotUnderstoodError: other parts mean nothing; all of them are named.
    """
    hosts: list[str] = []
    labels: dict[str, list[str]] = {"type": [], "folder": [], "tag": []}
    problems: list[NotUnderstood] = []
    understood: list[str] = []
    for word in split_words(text):
        if why := _problem(word.key, word.value, hosts, labels):
            problems.append(NotUnderstood(word.typed, why))
            continue
        understood.append(word.typed)
        (hosts if word.key is None else labels[word.key]).append(word.value or word.raw)
    if problems:
        raise NotUnderstoodError(problems, understood)
    return NewDomain(
        host=host_name(hosts[0] if hosts else ""),
        domain_type=labels["type"][0] if labels["type"] else owned_type,
        tags=tuple(dict.fromkeys(labels["tag"])),
        folder=labels["folder"][0] if labels["folder"] else None,
    )


def _problem(
    key: str | None, value: str, hosts: list[str], labels: dict[str, list[str]]
) -> str | None:
    """Return the problem with a word, or `None`."""
    if key is None:
        return "one domain at a time" if hosts else None
    if key not in labels:
        return f"there is no “{key}:”"
    if not value:
        return "has no value"
    if len(value) > MAX_LABEL_CHARS:
        return f"is longer than {MAX_LABEL_CHARS} characters"
    if key != "tag":
        return "is given twice" if labels[key] else None
    return f"is more than {MAX_TAGS} tags" if len(labels["tag"]) >= MAX_TAGS else None


class DomainAdder:
    """Adds domains to portfolios; simultaneous calls for one domain share one write.

    Also those in other processes, with shared `claims`.
    """

    def __init__(
        self,
        write: Callable[[WorkspaceId, NewDomain], Awaitable[Added]],
        portfolio: Portfolio,
        *,
        claims: Claims | None = None,
    ) -> None:
        self._write = write
        self._portfolio = portfolio
        self._claims = claims  # None: the only process of its store
        self._flights: SingleFlight[tuple[WorkspaceId, str], Domain | None] = SingleFlight()
        self._wishes: dict[tuple[WorkspaceId, str], NewDomain] = {}

    async def add(self, workspace: WorkspaceId, new: NewDomain) -> Domain | None:
        """Add `new`; return how the service lists it now, or `None` if it does not list it yet.

        The write is sent once. When its outcome is unknown, the list decides.

        Raises:
            AlreadyAddedError: it was there before; nothing was written.
            UncertainAddError: no proper answer, and the list does not hold it.
            TrackerError, NoKeyError: nothing was added.
        """
        first = self._wishes.setdefault((workspace, new.host), new)
        try:
            listed = await self._flights.run(
                (workspace, new.host), lambda: self._add(workspace, new)
            )
        finally:
            if first is new:
                self._wishes.pop((workspace, new.host), None)
        if first != new and listed:
            raise AlreadyAddedError(listed)  # by another call at this moment, with other labels
        return listed

    async def _add(self, workspace: WorkspaceId, new: NewDomain) -> Domain | None:
        if known := await self._listed(workspace, new.host):
            raise AlreadyAddedError(known)
        try:
            added = await self._write_once(workspace, new)
        except RejectedError:
            # It may have been added since our list was made.
            if known := await self._listed_now(workspace, new.host):
                raise AlreadyAddedError(known) from None
            raise
        except NoResultError as error:
            if not error.is_outcome_unknown:
                raise
            if known := await self._listed_now(workspace, new.host):
                return known
            raise UncertainAddError(new.host) from error
        listed = await self._listed_now(workspace, new.host)
        if added != new and listed:
            raise AlreadyAddedError(listed)  # by another process, with other labels
        return listed

    async def _write_once(self, workspace: WorkspaceId, new: NewDomain) -> NewDomain:
        """Add `new`, or wait for another process that adds its host; return what was added."""

        async def write() -> NewDomain:
            if known := await self._listed(workspace, new.host):  # since the claim
                raise AlreadyAddedError(known)
            try:
                await self._write(workspace, new)
            finally:
                await self._portfolio.invalidate(workspace)
            return new

        async def read(wish: Any) -> NewDomain:
            return msgspec.convert(wish, NewDomain)

        if self._claims is None:
            return await write()
        wish = msgspec.to_builtins(new)
        return await self._claims.run(workspace, f"add/{new.host}", write, read, wish=wish)

    async def _listed_now(self, workspace: WorkspaceId, host: str) -> Domain | None:
        """Return the listed domain after a write; a failing list must not hide its result."""
        try:
            return await self._listed(workspace, host)
        except BotError as error:
            logger.warning("no list after a write", error=repr(error))
            return None

    async def _listed(self, workspace: WorkspaceId, host: str) -> Domain | None:
        return (await self._portfolio.snapshot(workspace)).by_host.get(host)
