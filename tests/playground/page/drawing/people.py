"""Somebody who looks at what is drawn."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from bot.playground.page.actions import SlackActions
from bot.playground.page.session import SlackNames
from bot.playground.slack.model import Channel

Json = dict[str, Any]
NOON = datetime(2027, 2, 3, 12, tzinfo=UTC)


class Berlin(SlackNames):
    """Names as Ada reads them, in Berlin, at noon UTC of 3 February 2027."""

    def __init__(self) -> None:
        pass

    def user(self, user_id: str) -> str | None:
        return {"U1": "ada", "U666": "<b>mallory"}.get(user_id)

    def channel(self, channel_id: str) -> str | None:
        return {"C1": "general"}.get(channel_id)

    def user_group(self, group_id: str) -> str | None:
        return {"S1": "web-team"}.get(group_id)

    def zone(self) -> ZoneInfo:
        return ZoneInfo("Europe/Berlin")

    def now(self) -> datetime:
        return NOON

    def people(self) -> dict[str, str]:
        return {"U1": "ada", "U2": "bob"}

    def conversations(self) -> dict[str, Channel]:
        return {
            "general": Channel("C1", "general"),
            "secret": Channel("C2", "secret", is_private=True),
            "shared": Channel("C3", "shared", is_shared=True),
            "App": Channel("D2", "directmessage", is_im=True),
        }


class Nowhere(SlackActions):
    """Hands that no test lets press anything."""

    def __init__(self) -> None:
        pass
