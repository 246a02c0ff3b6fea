"""Installations, built with defaults."""

from typing import Any

from bot.installations.installation import Installation, Tokens
from bot.slack.auth import NEEDED_SCOPES, OPTIONAL_SCOPES
from bot.workspace import WorkspaceId
from tests.builders import BOT_TOKEN, MOMENT

ACME = WorkspaceId("T1")


def an_installation(home: WorkspaceId = ACME, **fields: Any) -> Installation:
    """Return one with token rotation and every permission; each has tokens of its own."""
    defaults: dict[str, Any] = {
        "home": home,
        "app_id": "A1",
        "bot_id": "B1",
        "bot_user_id": "U0BOT",
        "scopes": (*NEEDED_SCOPES, *OPTIONAL_SCOPES),
        "installed_by": "U0ADMIN",
        "installed_at": MOMENT,
        "name": "Acme",
        "tokens": Tokens(
            access=f"xoxe.{BOT_TOKEN}{home}", refresh=f"xoxe-1-{home}", expires_at=MOMENT
        ),
    }
    return Installation(**(defaults | fields))
