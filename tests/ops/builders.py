"""Installations, built with defaults."""

from typing import Any

from bot.installations.installation import Installation
from bot.slack.auth import NEEDED_SCOPES, OPTIONAL_SCOPES
from bot.workspace import WorkspaceId
from tests.builders import BOT_TOKEN, MOMENT
from tests.installations import builders

ACME = WorkspaceId("T1")


def an_installation(home: WorkspaceId = ACME, **fields: Any) -> Installation:
    """Return one with token rotation and every permission; each has tokens of its own."""
    defaults: dict[str, Any] = {"refresh": f"xoxe-1-{home}", "expires_at": MOMENT}
    defaults |= {"scopes": (*NEEDED_SCOPES, *OPTIONAL_SCOPES), "installed_at": MOMENT}
    return builders.an_installation(home, f"xoxe.{BOT_TOKEN}{home}", **(defaults | fields))
