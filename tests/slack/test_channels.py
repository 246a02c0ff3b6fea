"""What Slack says of channels, and of who is in them."""

from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.slack import LocalSlack, running_slack
from bot.slack.channels import MAX_PAGES, Channel, fetch_channel, is_in_channel
from bot.slack.errors import ChannelClosedError, MissingScopeError
from tests.loops import loop_over
from tests.slack.conftest import a_client

pytestmark = pytest.mark.anyio
Json = dict[str, Any]


def channel_id(slack: LocalSlack, name: str) -> str:
    return slack.channel(name).id


@loop_over(
    ("name", "traits"),
    [
        ("general", {"has_bot"}),
        ("random", set()),
        ("secret", {"is_private", "has_bot"}),
        ("old", {"is_archived", "has_bot"}),
        ("shared", {"is_shared", "has_bot"}),
    ],
)
async def test_a_channel_is_described(
    slack: LocalSlack, client: AsyncWebClient, name: str, traits: set[str]
) -> None:
    channel = await fetch_channel(client, channel_id(slack, name))

    assert (channel.channel_id, channel.name) == (channel_id(slack, name), name)
    flags = ("is_private", "is_archived", "has_bot", "is_shared")
    assert {flag for flag in flags if getattr(channel, flag)} == traits


async def test_in_a_direct_message_the_bot_is_with_one_person(
    slack: LocalSlack, client: AsyncWebClient
) -> None:
    workspace = slack.world.workspace
    direct = workspace.direct_message(workspace.member_named("bob"))
    slack.world.scopes = (*slack.world.scopes, "im:read")

    channel = await fetch_channel(client, direct.id)

    assert channel == Channel(
        direct.id, "", is_private=True, is_archived=False, has_bot=True, is_shared=False
    )


@loop_over("name", ["hidden", "C0NOWHERE"])
async def test_a_private_channel_without_the_bot_is_as_good_as_gone(
    slack: LocalSlack, client: AsyncWebClient, name: str
) -> None:
    found = slack.world.workspace.channel_named(name)

    with pytest.raises(ChannelClosedError) as caught:
        await fetch_channel(client, found.id if found else name)

    assert caught.value.code == "channel_not_found"


async def test_without_the_scope_nothing_is_said_of_a_channel(
    http: aiohttp.ClientSession,
) -> None:
    async with running_slack() as slack:
        client = a_client(slack.api_url, http, token=slack.bot_token)
        general = channel_id(slack, "general")

        with pytest.raises(MissingScopeError) as caught:
            await fetch_channel(client, general)
        with pytest.raises(MissingScopeError):
            await is_in_channel(client, general, slack.person("bob").id)

    assert "channels:read" in caught.value.needed


@loop_over(("name", "is_in"), [("bob", True), ("cy", False)])
async def test_somebody_is_in_a_channel_or_not(
    slack: LocalSlack, client: AsyncWebClient, name: str, is_in: bool
) -> None:
    secret = channel_id(slack, "secret")

    assert await is_in_channel(client, secret, slack.person(name).id) is is_in


class Crowd(AsyncWebClient):
    """A channel that one person after the other is in, on a page each; remembers the pages."""

    def __init__(self, *members: str) -> None:
        super().__init__(token="xoxb-1")
        self.members = members
        self.asked: list[str | None] = []

    async def conversations_members(self, **asked: Any) -> Any:
        cursor = asked["cursor"]
        self.asked.append(cursor)
        page = int(cursor or 0)
        following = str(page + 1) if page + 1 < len(self.members) else ""
        metadata = {"next_cursor": following} if following else None
        return {"members": [self.members[page]], "response_metadata": metadata}


async def test_pages_of_members_are_read_until_somebody_is_found() -> None:
    crowd = Crowd("U1", "U2", "U3", "U4")

    assert await is_in_channel(crowd, "C1", "U3")
    assert crowd.asked == [None, "1", "2"]


async def test_the_last_page_of_members_is_the_end() -> None:
    crowd = Crowd("U1", "U2")

    assert not await is_in_channel(crowd, "C1", "U3")
    assert crowd.asked == [None, "1"]


async def test_in_a_crowd_without_end_nobody_is_let_in_by_a_guess() -> None:
    crowd = Crowd(*[f"U{number}" for number in range(MAX_PAGES + 5)])

    assert not await is_in_channel(crowd, "C1", f"U{MAX_PAGES}")
    assert len(crowd.asked) == MAX_PAGES
