"""Clients that say what they are told to of channels, people and user groups."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

Json = dict[str, Any]


def refuse(answer: Json) -> NoReturn:
    """Raise what the SDK raises for an answer; `status` and `retry_after_s` are of its headers."""
    raise SlackApiError(  # type: ignore[no-untyped-call]  # the SDK's own gap
        "refused",
        AsyncSlackResponse(
            client=None,
            http_verb="POST",
            api_url="",
            req_args={},
            data={"ok": False} | answer,
            headers={"Retry-After": str(answer.get("retry_after_s", 1))},
            status_code=answer.get("status", 200),
        ),
    )


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
            refuse({"error": self.code})


class Pages(AsyncWebClient):
    """Answers one page after the other; remembers what it was asked."""

    def __init__(self, *pages: Sequence[Any]) -> None:
        super().__init__(token="xoxb-1")
        self.pages = pages
        self.asked: list[Json] = []

    async def conversations_members(self, **asked: Any) -> Any:
        return self._page("members", asked)

    def _page(self, name: str, asked: Json) -> Json:
        self.asked.append(asked)
        number = int(asked["cursor"] or 0)
        following = str(number + 1) if number + 1 < len(self.pages) else ""
        return {name: self.pages[number], "response_metadata": {"next_cursor": following}}
