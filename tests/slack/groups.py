"""A Slack that says what it is told to of user groups."""

from collections.abc import Mapping
from typing import Any

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient


class Refusal:
    """Slack's answer when it says no."""

    status_code = 200
    headers: Mapping[str, str] = {}

    def __init__(self, code: str) -> None:
        self.data = {"ok": False, "error": code}


class SaidGroups(AsyncWebClient):
    """A workspace with these user groups and people in them; remembers which it was asked of.

    With a `code` it says no to everything.
    """

    def __init__(
        self,
        *groups: Any,
        people: Mapping[str, Any] | None = None,
        code: str = "",
        user: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(token="xoxb-1")
        self.groups = groups
        self.people = people or {}
        self.code = code
        self.user = user
        self.asked: list[str] = []

    async def usergroups_list(self, **_asked: Any) -> Any:
        self._refuse()
        return {"usergroups": list(self.groups)}

    async def usergroups_users_list(self, *, usergroup: str, **_asked: Any) -> Any:
        self.asked.append(usergroup)
        self._refuse()
        return {"users": self.people[usergroup]}

    async def users_info(self, **_asked: Any) -> Any:
        self._refuse()
        return {"user": self.user}

    def _refuse(self) -> None:
        if self.code:
            raise SlackApiError("no", Refusal(self.code))  # type: ignore[no-untyped-call]  # SDK 3.47
