"""What Slack says of channels and of who is in them."""

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.slack import LocalSlack, running_slack
from bot.slack.channels import MAX_PAGES, fetch_channel, is_in_channel
from bot.slack.errors import ChannelClosedError, MissingScopeError
from tests.loops import loop_over
from tests.slack.clients import Pages
from tests.slack.conftest import a_client


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


@loop_over("name", ["hidden", "C0NOWHERE"])
async def test_a_private_channel_is_unknown(
    slack: LocalSlack, client: AsyncWebClient, name: str
) -> None:
    found = slack.world.workspace.channel_named(name)

    with pytest.raises(ChannelClosedError) as caught:
        await fetch_channel(client, found.id if found else name)

    assert caught.value.code == "channel_not_found"


async def test_a_channel_is_unknown_without_the_scope(http: aiohttp.ClientSession) -> None:
    async with running_slack() as slack:
        client = a_client(slack.api_url, http, token=slack.bot_token)
        general = channel_id(slack, "general")

        with pytest.raises(MissingScopeError) as caught:
            await fetch_channel(client, general)
        with pytest.raises(MissingScopeError):
            await is_in_channel(client, general, slack.person("bob").id)

    assert "channels:read" in caught.value.needed


async def test_pages_of_members_are_read_until_somebody_is_found_or_to_the_last() -> None:
    for members, is_in, cursors in (
        (["U1", "U2", "U3", "U4"], True, [None, "1", "2"]),
        (["U1", "U2"], False, [None, "1"]),
    ):
        crowd = Pages(*[[each] for each in members])

        assert await is_in_channel(crowd, "C1", "U3") is is_in
        assert [asked["cursor"] for asked in crowd.asked] == cursors


async def test_an_endless_list_of_members_lets_no_one_in() -> None:
    crowd = Pages(*[[f"U{number}"] for number in range(MAX_PAGES + 5)])

    assert not await is_in_channel(crowd, "C1", f"U{MAX_PAGES}")
    assert len(crowd.asked) == MAX_PAGES
