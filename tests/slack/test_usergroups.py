"""What Slack says of user groups, and how long that is believed."""

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.slack import LocalSlack
from bot.process.workspace import WorkspaceId
from bot.slack.channels import KEPT_FOR_S, UserGroups, fetch_user_groups
from bot.slack.errors import SlackRefusedError
from tests.fakes import FakeClock
from tests.slack.clients import SaidGroups

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
