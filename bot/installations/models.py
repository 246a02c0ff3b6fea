"""An installation of the app, and the events by which it ends. Pure."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any

from bot.store.documents import Document
from bot.workspace import WorkspaceId

KIND = "installation"


def is_installation(key: str) -> bool:
    """Return whether the document of that name is one of these."""
    return key.count("/") == 1 and key.endswith(f"/{KIND}")


WHOLE_ORGANISATION = "-"  # in the place of a team's id, of which it can be none


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What Slack gave; without token rotation `refresh` and `expires_at` are `None`.

    `refresh` is good for one use: https://docs.slack.dev/authentication/using-token-rotation
    """

    access: str = field(repr=False)
    refresh: str | None = field(default=None, repr=False)
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """One installation. `home` is its workspace, or `organisation(…)` for an org-wide one.

    `tokens` is `None` once Slack has revoked them, since `revoked_at`; what the workspace had
    set up is then kept until `WAITS_FOR_REINSTALL` has passed. `installed_at` is Slack's time, as
    that of its events. `installed_by` is a person's id, `name` the workspace's or organisation's
    own. `scopes` are those that were granted.
    """

    home: WorkspaceId
    app_id: str
    bot_id: str | None
    bot_user_id: str
    scopes: tuple[str, ...]
    installed_by: str
    installed_at: datetime
    name: str = ""
    tokens: Tokens | None = field(repr=False)
    revoked_at: datetime | None = None

    @property
    def is_org_wide(self) -> bool:
        """Whether it is for every workspace of an organisation that was given the app."""
        return self.home.team_id == WHOLE_ORGANISATION


def organisation(enterprise_id: str) -> WorkspaceId:
    """Return what stands for a whole organisation where a workspace is asked for."""
    return WorkspaceId(WHOLE_ORGANISATION, enterprise_id)


def encode(installation: Installation) -> dict[str, Any]:
    """Return everything but the tokens; `decode` reads it."""
    return {
        "v": 1,
        "app_id": installation.app_id,
        "bot_id": installation.bot_id,
        "bot_user_id": installation.bot_user_id,
        "scopes": list(installation.scopes),
        "installed_by": installation.installed_by,
        "installed_at": installation.installed_at.isoformat(),
        "name": installation.name,
        "revoked_at": installation.revoked_at and installation.revoked_at.isoformat(),
    }


def decode(home: WorkspaceId, value: dict[str, Any], tokens: Tokens | None) -> Installation:
    """Return what was encoded."""
    revoked_at = value.get("revoked_at")
    return Installation(
        home=home,
        app_id=value["app_id"],
        bot_id=value["bot_id"],
        bot_user_id=value["bot_user_id"],
        scopes=tuple(value["scopes"]),
        installed_by=value["installed_by"],
        installed_at=datetime.fromisoformat(value["installed_at"]),
        name=value["name"],
        tokens=tokens,
        revoked_at=revoked_at and datetime.fromisoformat(revoked_at),
    )


class UninstallKind(Enum):
    """How the app goes."""

    REMOVED = "removed"  # by the workspace or organisation that had installed it
    WITHDRAWN = "withdrawn"  # an organisation keeps it, but no longer for this workspace
    REVOKED = "revoked"  # only its tokens end, for example because they were seen in public


@dataclass(frozen=True, slots=True)
class UninstallEvent:
    """The app goes from `home`: a workspace, or `organisation(…)`. `at` is Slack's clock's."""

    home: WorkspaceId
    way: UninstallKind
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


def scope_of_key(key: str) -> str | None:
    """Return which prefix is in use anew once the document of that name is put.

    See `FencedDocuments`: an installation makes its workspace, or organisation, welcome.
    """
    if not is_installation(key):
        return None
    return prefix_of(WorkspaceId.parse(key.partition("/")[0]))
