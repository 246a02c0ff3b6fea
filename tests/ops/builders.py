"""Installations, built with defaults."""

from typing import Any

from bot.installations.installation import Installation
from bot.process.workspace import WorkspaceId
from bot.slack.auth import NEEDED_SCOPES, OPTIONAL_SCOPES
from tests.builders import BOT_TOKEN, MOMENT
from tests.installations import builders

ACME = WorkspaceId("T1")


def an_installation(home: WorkspaceId = ACME, **fields: Any) -> Installation:
    """Return one with every permission; each has a token of its own."""
    scopes = (*NEEDED_SCOPES, *OPTIONAL_SCOPES)
    defaults: dict[str, Any] = {"scopes": scopes, "installed_at": MOMENT}
    defaults["token"] = f"{BOT_TOKEN}{home}"
    return builders.an_installation(home, **(defaults | fields))
