"""What Slack says of user groups and of who is in them, and how long that is believed."""

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.slack import LocalSlack
from bot.process.workspace import WorkspaceId
from bot.slack.errors import MissingScopeError, SlackRefusedError, SlackUnavailableError
from bot.slack.usergroups import (
    KEPT_FOR_S,
    GroupPeople,
    UserGroups,
    fetch_people_in,
    fetch_user_groups,
)
from tests.fakes import FakeClock
from tests.loops import loop_over
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


@loop_over("code", ["no_such_subteam", "plan_upgrade_required", "paid_teams_only"])
async def test_a_deleted_group_is_empty(code: str) -> None:
    assert await fetch_people_in(SaidGroups(code=code), "S1") == ()


@loop_over(
    ("client", "kind"),
    [
        (SaidGroups(code="missing_scope"), MissingScopeError),
        (SaidGroups(code="invalid_auth"), SlackRefusedError),
        (SaidGroups(code="some_new_code"), SlackRefusedError),
        (SaidGroups(code="internal_error"), SlackUnavailableError),
        (SaidGroups(), SlackUnavailableError),
        (SaidGroups(people={"S1": 7}), SlackUnavailableError),
    ],
)
async def test_a_failure_is_no_empty_group(client: SaidGroups, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        await fetch_people_in(client, "S1")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def groups(clock: FakeClock) -> UserGroups:
    return UserGroups(clock=clock.seconds)


async def test_members_of_a_group_are_kept_a_minute(groups: UserGroups, clock: FakeClock) -> None:
    client = SaidGroups(people={"S1": ["U1"]})
    for _ in range(3):
        await groups.people_in(client, ONE, "S1")
    client.people = {"S1": []}
    clock.advance(KEPT_FOR_S - 1)
    before = await groups.people_in(client, ONE, "S1")
    clock.advance(1)

    assert (before, await groups.people_in(client, ONE, "S1")) == (("U1",), ())
    assert client.asked == ["S1", "S1"]


async def test_each_group_of_each_workspace_is_kept_for_itself(groups: UserGroups) -> None:
    ours = SaidGroups(people={"S1": ["U1"], "S2": ["U2"]})
    theirs = SaidGroups(people={"S1": ["U9"]})

    assert await groups.people_in(ours, ONE, "S1") == ("U1",)
    assert await groups.people_in(ours, ONE, "S2") == ("U2",)
    assert await groups.people_in(theirs, OTHER, "S1") == ("U9",)


async def test_in_the_background_the_workspaces_own_client_asks(groups: UserGroups) -> None:
    clients = {ONE: SaidGroups(people={"S1": ["U1"]}), OTHER: SaidGroups(people={"S1": ["U9"]})}

    async def client_for(workspace: WorkspaceId) -> AsyncWebClient:
        return clients[workspace]

    people = GroupPeople(client_for, groups)

    assert await people.people_in(OTHER, "S1") == ("U9",)
    for user, is_colleague in (
        ({}, True),
        ({"is_restricted": True}, False),
        ({"is_bot": True}, False),
        ({"deleted": True}, False),
        ({"team_id": "T9"}, False),
    ):
        clients[ONE].user = {"id": "U1", "team_id": "T1"} | user
        assert await people.is_colleague(ONE, "U1") is is_colleague, user
