"""The app as one workspace, or one whole organisation, has installed it. Pure."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.workspace import WorkspaceId

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
