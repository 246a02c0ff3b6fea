"""Where the bot is, and who is in charge: read in pages, at Slack's pace."""

from collections.abc import Sequence
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.slack.channels import MAX_PAGES, fetch_admins, fetch_own_channels
from bot.slack.errors import MissingScopeError, SlackRateLimitedError, SlackUnavailableError
from bot.workspace import WorkspaceId

pytestmark = pytest.mark.anyio

Json = dict[str, Any]
ACME = WorkspaceId("T1")


class Pages(AsyncWebClient):
    """Answers one page after the other, or refuses; remembers what it was asked."""

    def __init__(self, *pages: Sequence[Json], refused: Sequence[Json] = ()) -> None:
        super().__init__(token="xoxb-1")
        self.pages = pages
        self.refused = list(refused)
        self.scopes = {"public_channel", "private_channel"}
        self.asked: list[Json] = []

    async def users_list(self, **asked: Any) -> Any:
        return self._page("members", asked)

    async def users_conversations(self, **asked: Any) -> Any:
        if set(asked["types"].split(",")) - self.scopes:
            self._refuse({"error": "missing_scope"})
        return self._page("channels", asked)

    def _page(self, name: str, asked: Json) -> Json:
        self.asked.append(asked)
        if self.refused:
            self._refuse(self.refused.pop(0))
        number = int(asked["cursor"] or 0)
        following = str(number + 1) if number + 1 < len(self.pages) else ""
        return {name: self.pages[number], "response_metadata": {"next_cursor": following}}

    def _refuse(self, answer: Json) -> None:
        status, retry_after_s = answer.get("status", 200), answer.get("retry_after_s", 1)
        raise SlackApiError(  # type: ignore[no-untyped-call]  # the SDK's own gap
            "refused",
            AsyncSlackResponse(
                client=self,
                http_verb="POST",
                api_url="",
                req_args={},
                data={"ok": False} | answer,
                headers={"Retry-After": str(retry_after_s)},
                status_code=status,
            ),
        )


def channels(*ids: str) -> list[Json]:
    return [{"id": each} for each in ids]


class Slept:
    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


async def test_channels_are_read_until_there_are_enough() -> None:
    client = Pages(channels("C1"), [], channels("C2", "C3"), channels("C4"))

    assert await fetch_own_channels(client, ACME, limit=2) == ["C1", "C2"]
    assert [asked["cursor"] for asked in client.asked] == [None, "1", "2"]
    assert all(asked["team_id"] == "T1" and asked["exclude_archived"] for asked in client.asked)


async def test_a_bot_in_no_channel_is_in_none() -> None:
    assert await fetch_own_channels(Pages([]), ACME, limit=6) == []


@pytest.mark.parametrize("scope", ["public_channel", "private_channel"])
async def test_one_of_the_two_scopes_is_enough(scope: str) -> None:
    client = Pages(channels("C1"))
    client.scopes = {scope}

    assert await fetch_own_channels(client, ACME, limit=6) == ["C1"]


async def test_without_either_nobody_knows() -> None:
    client = Pages(channels("C1"))
    client.scopes = set()

    with pytest.raises(MissingScopeError):
        await fetch_own_channels(client, ACME, limit=6)


async def test_the_primary_owner_comes_first_then_owners_then_admins() -> None:
    client = Pages(
        [
            {"id": "U1", "is_admin": True},
            {"id": "U2"},
            {"id": "U3", "is_admin": True, "is_owner": True},
            {"id": "U4", "is_admin": True, "is_owner": True, "deleted": True},
            {"id": "U5", "is_admin": True, "is_bot": True},
        ],
        [{"id": "U6", "is_admin": True, "is_owner": True, "is_primary_owner": True}],
        [{"id": "U7", "is_admin": True}],
    )

    assert await fetch_admins(client, ACME) == ["U6", "U3", "U1"]
    assert len(client.asked) == 2


async def test_slack_is_waited_for_when_it_asks_for_that() -> None:
    slow = {"error": "ratelimited", "status": 429, "retry_after_s": 7}
    client, slept = Pages([{"id": "U1", "is_admin": True}], refused=[slow, slow]), Slept()

    assert await fetch_admins(client, ACME, sleep=slept) == ["U1"]
    assert slept.seconds == [7, 7]


async def test_but_not_for_long() -> None:
    slow = {"error": "ratelimited", "status": 429, "retry_after_s": 900}
    slept = Slept()

    with pytest.raises(SlackRateLimitedError) as caught:
        await fetch_admins(Pages([], refused=[slow]), ACME, sleep=slept)

    assert (caught.value.retry_after_s, slept.seconds) == (900, [])


async def test_nor_for_ever() -> None:
    slow = {"error": "ratelimited", "status": 429}

    with pytest.raises(SlackRateLimitedError):
        await fetch_admins(Pages([], refused=[slow] * 50), ACME, sleep=Slept())


async def test_a_huge_workspace_is_not_read_to_its_end() -> None:
    client = Pages(*[[{"id": "U1", "is_admin": True}]] * (MAX_PAGES + 5))

    assert await fetch_admins(client, ACME) == ["U1"] * 5
    assert len(client.asked) == MAX_PAGES


async def test_a_slack_that_is_away_is_said_to_be() -> None:
    with pytest.raises(SlackUnavailableError):
        await fetch_own_channels(Pages([], refused=[{"status": 500}]), ACME, limit=6)
