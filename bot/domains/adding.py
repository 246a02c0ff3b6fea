"""Add domains: read what was typed or pasted, look for duplicates, write each domain once."""

import re
import secrets
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import Enum

import msgspec

from bot.dispatch.command_text import (
    NotUnderstood,
    NotUnderstoodError,
    Word,
    require_understood,
    split_words,
    unknown_key,
)
from bot.domains.service import Portfolio
from bot.process.concurrency import SingleFlight
from bot.process.errors import BotError, log_and_suppress
from bot.process.redaction import holds_secret, redact
from bot.process.workspace import WorkspaceId
from bot.store.documents import Documents
from bot.tracker.hostnames import HostNameError, HostProblem, host_name
from bot.tracker.models import Domain, NewDomain, NoResultError, RejectedError

KIND = "to-add"
KEPT_FOR = timedelta(days=1)
MAX_DOMAINS = 200
MAX_LABEL_CHARS = 100
MAX_TAGS = 20
MAX_NOTE_CHARS = 80
# Uncertain writes after which a list stops: each may take the whole time limit.
MAX_UNKNOWN = 3
_BULLET = re.compile(r"^\s*(?:[-*•–]|\d+[.)])\s+")


@dataclass(frozen=True, slots=True)
class NewDomains:
    """Domains to add, each host once, with the same labels.

    `notes` are the lines that name no domain; `repeated` counts hosts that came again.
    """

    domains: tuple[NewDomain, ...]
    notes: tuple[str, ...] = ()
    repeated: int = 0

    @property
    def hosts(self) -> list[str]:
        return [new.host for new in self.domains]


def new_domains(lines: Iterable[str], labels: NewDomain) -> NewDomains:
    """Return the domains in `lines`; a line that holds anything else is a note as a whole.

    `labels` is a domain whose host does not matter.

    Raises:
        HostNameError: none of them is a host name.
        NotUnderstoodError: there are more than `MAX_DOMAINS`.
    """
    hosts: list[str] = []
    errors: list[HostNameError] = []
    for line in filter(None, map(str.strip, lines)):
        try:
            hosts += _hosts_in(line)
        except HostNameError as error:
            errors.append(error)
    if not hosts:
        raise errors[0] if errors else HostNameError(HostProblem.EMPTY, "")
    once = dict.fromkeys(hosts)
    if len(once) > MAX_DOMAINS:
        why = f"are too many: at most {MAX_DOMAINS} can be added at a time"
        raise NotUnderstoodError([NotUnderstood(f"{len(once)} domains", why)], [])
    notes = tuple(redact(error.typed)[:MAX_NOTE_CHARS] for error in errors)
    domains = tuple(replace(labels, host=host) for host in once)
    return NewDomains(domains, notes, len(hosts) - len(once))


def _hosts_in(line: str) -> list[str]:
    """Return the host names of a line; raise HostNameError if it holds anything else."""
    if holds_secret(line):
        raise HostNameError(HostProblem.BAD_CHARACTERS, line)
    try:
        return [host for word in _BULLET.sub("", line).split() for host in _hosts_of(word)]
    except HostNameError as error:
        raise HostNameError(error.problem, line) from error


def _hosts_of(word: str) -> list[str]:
    try:
        return [host_name(part) for part in re.split("[,;]", word) if part]
    except HostNameError:  # a web address may hold a comma
        return [host_name(word)]


def parse_new_domains(text: str, owned_type: str) -> NewDomains:
    """Return the domains of `/adddomain a.example b.example type:x folder:"x" tag:x tag:y`.

    Raises:
        HostNameError: see `new_domains`.
        NotUnderstoodError: other parts mean nothing, all of them are named; or too many domains.
    """
    typed: list[str] = []
    labels: dict[str, list[str]] = {"type": [], "folder": [], "tag": []}
    words: list[Word | NotUnderstood] = []
    for word in split_words(text):
        problem = _problem(word, labels)
        words.append(problem or word)
        if problem is None:
            (typed if word.key is None else labels[word.key]).append(word.value or word.raw)
    if any(isinstance(each, NotUnderstood) for each in words):
        require_understood([_as_host(each) for each in words])
    new = NewDomain(
        host="",
        domain_type=labels["type"][0] if labels["type"] else owned_type,
        tags=tuple(dict.fromkeys(labels["tag"])),
        folder=labels["folder"][0] if labels["folder"] else None,
    )
    return new_domains(typed, new)


def _as_host(part: Word | NotUnderstood) -> Word | NotUnderstood:
    """Return the problem of a word that should name a domain and does not, else `part`."""
    if isinstance(part, Word) and part.key is None:
        try:
            _hosts_in(part.raw)
        except HostNameError:
            return NotUnderstood(part.typed, "is not a domain name")
    return part


def _problem(word: Word, labels: dict[str, list[str]]) -> NotUnderstood | None:
    if word.key is None:
        return None
    if word.key not in labels:
        return unknown_key(word, labels)
    given = len(labels[word.key])
    why = None
    if not word.value:
        why = "needs a value"
    elif len(word.value) > MAX_LABEL_CHARS:
        why = f"is longer than {MAX_LABEL_CHARS} characters"
    elif word.key != "tag":
        why = "is given twice" if given else None
    elif given >= MAX_TAGS:
        why = f"is more than {MAX_TAGS} tags"
    return NotUnderstood(word.typed, why, f"{word.key}:") if why else None


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


class AddOutcome(Enum):
    """The outcome for one domain of a list."""

    ADDED = "added"
    KNOWN = "already there"
    REFUSED = "refused"
    UNKNOWN = "unknown"


# What they turn out to be where the last list holds the domain.
LISTED_AFTER_ALL = {AddOutcome.UNKNOWN: AddOutcome.ADDED, AddOutcome.REFUSED: AddOutcome.KNOWN}


@dataclass(slots=True)
class AddReport:
    """The outcomes for the domains of a list; those without one were not tried.

    `reasons` are the service's own words by host, or `None`. `stopped_by` ended the list early.
    """

    new: NewDomains
    outcomes: dict[str, AddOutcome] = field(default_factory=dict)
    reasons: dict[str, str | None] = field(default_factory=dict)
    stopped_by: BotError | None = None

    def hosts(self, outcome: AddOutcome | None) -> list[str]:
        """Return the hosts with this outcome; `None`: those that were not tried."""
        return [host for host in self.new.hosts if self.outcomes.get(host) is outcome]


@dataclass(frozen=True, slots=True)
class DomainAdder:
    """Adds domains, one or a list, which it keeps until it is confirmed.

    Simultaneous calls for one domain share one write. Lists may raise StoreError.
    """

    write: Callable[[WorkspaceId, NewDomain], Awaitable[None]]
    portfolio: Portfolio
    documents: Documents
    _flights: SingleFlight[tuple[WorkspaceId, str], Domain | None] = field(
        default_factory=SingleFlight, init=False
    )

    async def add(self, workspace: WorkspaceId, new: NewDomain) -> Domain | None:
        """Add `new`; return how the service lists it now, or `None` if it does not list it yet.

        The write is sent once. When its outcome is unknown, the list decides.

        Raises:
            AlreadyAddedError: it was there before; nothing was written.
            UncertainAddError: no proper answer, and the list does not hold it.
            TrackerError, NoKeyError: nothing was added.
        """
        return await self._flights.run((workspace, new.host), lambda: self._add(workspace, new))

    async def _add(self, workspace: WorkspaceId, new: NewDomain) -> Domain | None:
        if known := (await self.portfolio.snapshot(workspace)).by_host.get(new.host):
            raise AlreadyAddedError(known)
        try:
            try:
                await self.write(workspace, new)
            finally:
                await self.portfolio.invalidate(workspace)
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
        return await self._listed_now(workspace, new.host)

    async def _listed_now(self, workspace: WorkspaceId, host: str) -> Domain | None:
        """Return the listed domain after a write; a failing list must not hide its result."""
        with log_and_suppress("no list after a write", BotError):
            return (await self.portfolio.snapshot(workspace)).by_host.get(host)
        return None

    async def keep(self, workspace: WorkspaceId, new: NewDomains) -> str:
        """Keep a list for a day; return its name, which can be typed."""
        name = f"{len(new.hosts)}-domains-{secrets.token_hex(4)}"
        value = {"v": 1, "new": msgspec.to_builtins(new)}
        due_at = self.portfolio.clock() + KEPT_FOR
        await self.documents.put(f"{workspace}/{KIND}/{name}", value, due_at=due_at)
        return name

    async def kept(self, workspace: WorkspaceId, name: str) -> NewDomains:
        """Return the list called `name`; raise NotUnderstoodError if there is none."""
        if document := await self.documents.get(f"{workspace}/{KIND}/{name}"):
            return msgspec.convert(document.value["new"], NewDomains)
        gone = NotUnderstood(f"list:{name}", "is no longer kept, so paste the list again")
        raise NotUnderstoodError([gone], [])

    async def listed(self, workspace: WorkspaceId) -> dict[str, Domain]:
        """Return the portfolio as of now: a process that died may have added to it."""
        snapshot = await self.portfolio.snapshot(workspace, newer_than=self.portfolio.clock())
        return snapshot.by_host

    async def add_list(
        self, workspace: WorkspaceId, report: AddReport, on_step: Callable[[], Awaitable[None]]
    ) -> None:
        """Add the domains of `report`, one after the other, and note each outcome in it.

        Raise TrackerError or NoKeyError without a list to begin with; nothing was added then.
        """
        listed = await self.listed(workspace)
        known = [host for host in report.new.hosts if host in listed]
        report.outcomes.update(dict.fromkeys(known, AddOutcome.KNOWN))
        try:
            for new in report.new.domains:
                if new.host not in listed and not report.stopped_by:
                    await self._add_one_of(report, workspace, new)
                    await on_step()
        finally:
            await self.portfolio.invalidate(workspace)
        with log_and_suppress("no list after writes", BotError):
            listed = (await self.portfolio.snapshot(workspace)).by_host
            for host, outcome in report.outcomes.items():
                if host in listed:
                    report.outcomes[host] = LISTED_AFTER_ALL.get(outcome, outcome)

    async def _write(self, workspace: WorkspaceId, new: NewDomain) -> None:
        """Write a domain that the list of the last minute lacks; raise AlreadyAddedError."""
        if known := (await self.portfolio.snapshot(workspace)).by_host.get(new.host):
            raise AlreadyAddedError(known)
        await self.write(workspace, new)

    async def _add_one_of(self, report: AddReport, workspace: WorkspaceId, new: NewDomain) -> None:
        report.outcomes[new.host] = AddOutcome.UNKNOWN  # also if this is cut off
        try:
            await self._flights.run((workspace, new.host), lambda: self._write(workspace, new))
            report.outcomes[new.host] = AddOutcome.ADDED
        except AlreadyAddedError:
            report.outcomes[new.host] = AddOutcome.KNOWN
        except RejectedError as error:
            report.outcomes[new.host] = AddOutcome.REFUSED
            report.reasons[new.host] = error.detail
        except BotError as error:
            is_uncertain = isinstance(error, UncertainAddError)  # of a single one, which is shared
            if not (
                is_uncertain or (isinstance(error, NoResultError) and error.is_outcome_unknown)
            ):
                del report.outcomes[new.host]  # nothing was written
                report.stopped_by = error
                return
            await self.portfolio.invalidate(workspace)
            if await self._listed_now(workspace, new.host):
                report.outcomes[new.host] = AddOutcome.ADDED
            elif len(report.hosts(AddOutcome.UNKNOWN)) >= MAX_UNKNOWN:
                report.stopped_by = error
