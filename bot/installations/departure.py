"""What Slack tells of an app that goes: from where, how, and when. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from bot.installations.installation import WHOLE_ORGANISATION, decode, organisation
from bot.installations.shelf import KIND, is_installation
from bot.store.base import Document
from bot.workspace import WorkspaceId


class Way(Enum):
    """How the app goes."""

    REMOVED = "removed"  # by the workspace or organisation that had installed it
    WITHDRAWN = "withdrawn"  # an organisation keeps it, but no longer for this workspace
    REVOKED = "revoked"  # only its tokens end, for example because they were seen in public


@dataclass(frozen=True, slots=True)
class Departure:
    """The app goes from `home`: a workspace, or `organisation(…)`. `at` is Slack's clock's."""

    home: WorkspaceId
    way: Way
    at: datetime


@dataclass(frozen=True, slots=True)
class Stamp:
    """An installation as far as it can be read without a key. `rev` 0: there is none."""

    rev: int = 0
    installed_at: datetime | None = None
    has_tokens: bool = False
    revoked_at: datetime | None = None


def place_of(home: WorkspaceId) -> str:
    """Return the name of the document that holds the installation of `home`."""
    return f"{home}/{KIND}"


def stamp_of(home: WorkspaceId, document: Document | None) -> Stamp:
    """Return what that document says."""
    if document is None:
        return Stamp()
    known = decode(home, document.value, None)
    return Stamp(document.rev, known.installed_at, "token" in document.value, known.revoked_at)


def prefix_of(home: WorkspaceId) -> str:
    """Return what the names of all documents of `home` begin with."""
    is_whole = home.enterprise_id and home.team_id == WHOLE_ORGANISATION
    return f"{home.enterprise_id}." if is_whole else f"{home}/"


def organisation_of(home: WorkspaceId) -> WorkspaceId | None:
    """Return the organisation around a workspace; `None` outside one, and of one itself."""
    if home.enterprise_id is None or home.team_id == WHOLE_ORGANISATION:
        return None
    return organisation(home.enterprise_id)


def beginning_of(key: str) -> str | None:
    """Return which prefix is in use anew once the document of that name is put.

    See `ForgettingDocuments`: an installation makes its workspace, or organisation, welcome.
    """
    if not is_installation(key):
        return None
    return prefix_of(WorkspaceId.parse(key.partition("/")[0]))
