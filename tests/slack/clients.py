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


class SaidPerson(AsyncWebClient):
    """A workspace with this person."""

    def __init__(self, user: Mapping[str, Any]) -> None:
        super().__init__(token="xoxb-1")
        self.user = user

    async def users_info(self, **_asked: Any) -> Any:
        return {"user": self.user}


class SaidGroups(AsyncWebClient):
    """A workspace with user groups of these ids; counts how often it was asked for them."""

    def __init__(self, *ids: str) -> None:
        super().__init__(token="xoxb-1")
        self.ids = ids
        self.asked = 0

    async def usergroups_list(self, **_asked: Any) -> Any:
        self.asked += 1
        return {"usergroups": [{"id": each} for each in self.ids]}


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
