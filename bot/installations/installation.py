"""An installation of the app, and the events by which it ends. Pure."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from typing import Any
from urllib.parse import quote

import msgspec

from bot.process.workspace import WorkspaceId, workspace_of_key
from bot.store.documents import Document

KIND = "installation"
WHOLE_ORGANISATION = "-"  # the team id of an organisation-wide installation


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """One installation. `home` is its workspace, or `organisation(…)` for an org-wide one.

    `token` is `None` from `revoked_at` on; the workspace's other data is then kept for
    `WAITS_FOR_REINSTALL`. `installed_by` is a user id, `name` that of the workspace or
    organisation. `scopes` are the granted ones. `rev` is the document's, 0 before it is stored.
    """

    home: WorkspaceId
    app_id: str
    bot_user_id: str
    scopes: tuple[str, ...]
    installed_by: str
    installed_at: datetime
    name: str = ""
    token: str | None = field(repr=False)
    revoked_at: datetime | None = None
    rev: int = field(default=0, compare=False)

    @property
    def is_org_wide(self) -> bool:
        """Whether it serves all workspaces to which an organisation gives the app."""
        return self.home.team_id == WHOLE_ORGANISATION

    @property
    def workspaces_page(self) -> str:
        """The page where admins of its organisation choose workspaces for the app.

        https://docs.slack.dev/enterprise/organization-ready-apps
        """
        way = f"{self.home.enterprise_id}/integrations/profile/{self.app_id}/workspaces/add"
        return f"https://app.slack.com/manage/{quote(way)}"


def organisation(enterprise_id: str) -> WorkspaceId:
    return WorkspaceId(WHOLE_ORGANISATION, enterprise_id)


def encode(installation: Installation) -> dict[str, Any]:
    """Return the installation as JSON, without its token, home and rev."""
    value: dict[str, Any] = msgspec.to_builtins(replace(installation, token=None))
    del value["home"], value["token"], value["rev"]
    return {"v": 1, **value}


def decode(home: WorkspaceId, document: Document, token: str | None) -> Installation:
    known = {"home": msgspec.to_builtins(home), "token": token, "rev": document.rev}
    return msgspec.convert({**document.value, **known}, Installation)


class UninstallKind(Enum):
    """How a workspace loses access to the app, by Slack's event."""

    REMOVED = "app_uninstalled"  # by the workspace or organisation that had installed it
    WITHDRAWN = "team_access_revoked"  # its organisation keeps the app, but not for it
    REVOKED = "tokens_revoked"  # e.g. because they were seen in public


@dataclass(frozen=True, slots=True)
class UninstallEvent:
    """An event about `home`: a workspace, or `organisation(…)`. `at` is Slack's `event_time`."""

    home: WorkspaceId
    kind: UninstallKind
    at: datetime


def key_of(home: WorkspaceId) -> str:
    return f"{home}/{KIND}"


def is_installation(key: str) -> bool:
    return key.count("/") == 1 and key.endswith(f"/{KIND}")


def prefix_of(home: WorkspaceId) -> str:
    is_whole = home.enterprise_id and home.team_id == WHOLE_ORGANISATION
    return f"{home.enterprise_id}." if is_whole else f"{home}/"


def organisation_of(home: WorkspaceId) -> WorkspaceId | None:
    """Return the organisation around a workspace; `None` outside one, and of one itself."""
    if home.enterprise_id is None or home.team_id == WHOLE_ORGANISATION:
        return None
    return organisation(home.enterprise_id)


def scope_of_key(key: str) -> str | None:
    """Return the prefix that a document's key opens for writing: see `ErasableDocuments`."""
    return prefix_of(workspace_of_key(key)) if is_installation(key) else None
