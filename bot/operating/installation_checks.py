"""What is to be said of the workspaces that have installed the app. Pure but for the asking."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime

from bot.installations.installation import Installation, Tokens, decode, organisation
from bot.installations.shelf import WAITS_FOR_REINSTALL, is_installation
from bot.operating.finding import Finding, failure, ok, warning
from bot.operating.permission_checks import permission_findings
from bot.operating.places import installation_name, places_of, some_names
from bot.operating.printing import counted, shown
from bot.operating.sealed_places import sealed_in
from bot.slack.errors import SlackError, SlackRefusedError
from bot.slack.grants import Grant
from bot.store.base import Document
from bot.store.errors import UnreadableSecretError
from bot.store.sealed import KeyRing
from bot.workspace import WorkspaceId

INSTALLATIONS = "installations"
MAX_ASKED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Enquiry:
    """How the installations are asked after. `ask` asks Slack whose a token is.

    `install_url` is where people install the app. A token whose end has come by `now` is not
    tried.
    """

    ask: Callable[[str], Awaitable[Grant]] = field(repr=False)
    install_url: str
    now: datetime


async def check_installations(
    documents: Sequence[Document], ring: KeyRing | None, enquiry: Enquiry
) -> Sequence[Finding]:
    """Return how many there are, whose tokens Slack refuses, and which lack permissions.

    The permissions are those that Slack names with its answer, or else those of the installing.
    Nothing is renewed here: a refresh token is good for one use, and that is the bot's.
    """
    kept, unreadable = _read(documents, ring)
    left_out = list(_left_out(documents, enquiry))
    if unreadable:
        said = f"{counted(unreadable, 'installation')} that this version of the bot cannot read"
        left_out.append(warning(INSTALLATIONS, said, "Use the version that wrote them."))
    if not kept:
        said = f"none yet; people install the app at {shown(enquiry.install_url)}"
        return [ok(INSTALLATIONS, said), *left_out]
    answers = await _answers(kept, enquiry)
    return [
        _asked(kept, answers, enquiry),
        *_revoked(kept, enquiry),
        *permission_findings(_granted(kept, answers), _invitation(enquiry)),
        *left_out,
    ]


def _read(documents: Iterable[Document], ring: KeyRing | None) -> tuple[list[Installation], int]:
    """Return the installations, the latest first, and how many cannot be read.

    Tokens that the ring does not open are left out; the check of the ring tells of them.
    """
    kept, unreadable = [], 0
    for document in documents:
        if is_installation(document.key):
            try:
                home = WorkspaceId.parse(document.key.split("/")[0])
                kept.append(decode(home, document.value, _tokens(document, ring)))
            except (LookupError, TypeError, ValueError):
                unreadable += 1
    return sorted(kept, key=lambda each: each.installed_at, reverse=True), unreadable


def _tokens(document: Document, ring: KeyRing | None) -> Tokens | None:
    expires_at = document.value.get("expires_at")
    for sealed in sealed_in(document):
        if ring and sealed.path == ("token", "sealed"):
            try:
                access = sealed.opened(ring)
            except UnreadableSecretError:
                return None
            ends_at = datetime.fromisoformat(expires_at) if expires_at else None
            return Tokens(access=access, expires_at=ends_at)
    return None


async def _answers(
    kept: Sequence[Installation], enquiry: Enquiry
) -> Mapping[WorkspaceId, Grant | SlackError]:
    """Return what Slack says of the latest of those whose token may still live."""
    asked = [
        (each.home, each.tokens)
        for each in kept
        if each.tokens and not (each.tokens.expires_at and each.tokens.expires_at <= enquiry.now)
    ][:MAX_ASKED]
    answers = await asyncio.gather(*(_answer(tokens, enquiry) for _, tokens in asked))
    return {home: answer for (home, _), answer in zip(asked, answers, strict=True)}


def _asked(
    kept: Sequence[Installation],
    answers: Mapping[WorkspaceId, Grant | SlackError],
    enquiry: Enquiry,
) -> Finding:
    refused = [
        f"{installation_name(each)}: {shown(error.code, 40)}"
        for each in kept
        if isinstance(error := answers.get(each.home), SlackRefusedError)
    ]
    silent = sum(isinstance(answer, SlackError) for answer in answers.values()) - len(refused)
    said = f"{counted(len(kept), 'installation')}; asked Slack about {len(answers):,}"
    if refused:
        tell = failure if len(refused) == len(answers) else warning
        mend = (
            "The bot forgets these tokens within a day, and everything else of whoever does not"
            f" install the app again {WAITS_FOR_REINSTALL.days} days after. If the app was removed"
            f" there, nothing is to be done; else {_invitation(enquiry)}."
        )
        return tell(INSTALLATIONS, f"{said}, and it refuses {some_names(refused)}", mend)
    if silent:
        said = f"{said}, of which {silent:,} got no usable answer"
        return warning(INSTALLATIONS, said, "Try again in a minute.")
    return ok(INSTALLATIONS, said)


async def _answer(tokens: Tokens, enquiry: Enquiry) -> Grant | SlackError:
    try:
        return await enquiry.ask(tokens.access)
    except SlackError as error:
        return error


def _revoked(kept: Iterable[Installation], enquiry: Enquiry) -> Iterator[Finding]:
    if revoked := [installation_name(each) for each in kept if each.revoked_at]:
        days = WAITS_FOR_REINSTALL.days
        said = (
            f"Slack takes the tokens of {some_names(revoked)} no longer: they were revoked, or the"
            f" app was removed; all of it is deleted {days} days after"
        )
        yield warning(INSTALLATIONS, said, f"To keep it, {_invitation(enquiry)}.")


def _granted(
    kept: Iterable[Installation], answers: Mapping[WorkspaceId, Grant | SlackError]
) -> Mapping[str, Set[str]]:
    """Return what each was granted, as far as it is in use: Slack's word for it, or ours."""
    granted: dict[str, Set[str]] = {}
    for each in kept:
        answer = answers.get(each.home)
        told = answer.scopes if isinstance(answer, Grant) else None
        if each.revoked_at or isinstance(answer, SlackRefusedError):
            continue
        granted[installation_name(each)] = frozenset(each.scopes) if told is None else told
    return granted


def _left_out(documents: Sequence[Document], enquiry: Enquiry) -> Iterator[Finding]:
    """Workspaces that the bot knows, e.g. from when it had one token, but may not serve."""
    known = {each.key: workspace for each in documents if (workspace := _workspace(each.key))}
    homes = {workspace for key, workspace in known.items() if is_installation(key)}
    places = places_of(documents)
    left_out = [
        places.workspace(each)
        for each in sorted({*known.values()}, key=str)
        if each not in homes and organisation(each.enterprise_id or "") not in homes
    ]
    if left_out:
        said = f"the store knows {some_names(left_out)}, where the app is not installed by OAuth"
        yield warning(INSTALLATIONS, said, f"So that it works there, {_invitation(enquiry)}.")


def _workspace(key: str) -> WorkspaceId | None:
    try:
        return WorkspaceId.parse(key.split("/")[0])
    except ValueError:  # the store's own
        return None


def _invitation(enquiry: Enquiry) -> str:
    return f"let an admin there open {shown(enquiry.install_url)}"
