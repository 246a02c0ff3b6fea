"""What Slack says of channels, of who is in them, and of user groups."""

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.slack import LocalSlack, running_slack
from bot.process.workspace import WorkspaceId
from bot.slack.channels import (
    KEPT_FOR_S,
    MAX_PAGES,
    UserGroups,
    fetch_channel,
    fetch_user_groups,
    is_in_channel,
)
from bot.slack.errors import ChannelClosedError, MissingScopeError, SlackRefusedError
from tests.fakes import FakeClock
from tests.loops import loop_over
from tests.slack.clients import Pages, SaidGroups
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


ONE, OTHER = WorkspaceId("T1"), WorkspaceId("T2")


async def test_user_groups_come_by_handle(slack: LocalSlack, client: AsyncWebClient) -> None:
    groups = await fetch_user_groups(client)

    assert [(group.handle, group.name) for group in groups] == [
        ("security", "Security"),
        ("web-team", "Web team"),
    ]
    assert {group.group_id for group in groups} == set(slack.world.workspace.user_groups)


async def test_a_small_plan_has_no_user_groups(slack: LocalSlack, client: AsyncWebClient) -> None:
    for code in ("plan_upgrade_required", "paid_teams_only"):
        slack.fail_next("usergroups.list", error=code)
        assert await fetch_user_groups(client) == []
    slack.fail_next("usergroups.list", error="invalid_team")

    with pytest.raises(SlackRefusedError):
        await fetch_user_groups(client)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def groups(clock: FakeClock) -> UserGroups:
    return UserGroups(clock=clock.seconds)


async def test_groups_of_a_workspace_are_kept_a_minute(
    groups: UserGroups, clock: FakeClock
) -> None:
    ours, theirs = SaidGroups("S1"), SaidGroups("S9")
    for _ in range(3):
        await groups.listed(ours, ONE)
    assert [group.group_id for group in await groups.listed(theirs, OTHER)] == ["S9"]
    ours.ids = ()
    clock.advance(KEPT_FOR_S - 1)
    before = await groups.listed(ours, ONE)
    clock.advance(1)

    assert [group.group_id for group in before] == ["S1"]
    assert await groups.listed(ours, ONE) == []
    assert ours.asked == 2
