"""What Slack says of user groups and of who is in them, and how long that is believed."""

from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.slack import LocalSlack
from bot.slack.errors import MissingScopeError, SlackRefusedError, SlackUnavailableError
from bot.slack.usergroups import (
    KEPT_FOR_S,
    GroupPeople,
    UserGroup,
    UserGroups,
    fetch_people_in,
    fetch_user_groups,
)
from bot.workspace import WorkspaceId
from tests.fakes import FakeClock
from tests.slack.groups import SaidGroups

pytestmark = pytest.mark.anyio

ONE, OTHER = WorkspaceId("T1"), WorkspaceId("T2")


async def test_user_groups_come_by_handle(slack: LocalSlack, client: AsyncWebClient) -> None:
    groups = await fetch_user_groups(client)

    assert [(group.handle, group.name) for group in groups] == [
        ("security", "Security"),
        ("web-team", "Web team"),
    ]
    assert {group.group_id for group in groups} == set(slack.world.workspace.user_groups)


async def test_user_groups_need_a_scope(slack: LocalSlack, client: AsyncWebClient) -> None:
    slack.world.scopes = ("chat:write",)

    with pytest.raises(MissingScopeError) as caught:
        await fetch_user_groups(client)

    assert caught.value.needed == "usergroups:read"


@pytest.mark.parametrize("code", ["plan_upgrade_required", "paid_teams_only"])
async def test_a_workspace_on_a_small_plan_has_no_user_groups(
    slack: LocalSlack, client: AsyncWebClient, code: str
) -> None:
    slack.fail_next("usergroups.list", error=code)

    assert await fetch_user_groups(client) == []


async def test_another_refusal_is_not_taken_for_no_user_groups(
    slack: LocalSlack, client: AsyncWebClient
) -> None:
    slack.fail_next("usergroups.list", error="invalid_team")

    with pytest.raises(SlackRefusedError):
        await fetch_user_groups(client)


async def test_a_user_group_without_a_name_has_its_handle() -> None:
    groups = await fetch_user_groups(SaidGroups({"id": "S1", "handle": "web"}))

    assert groups == [UserGroup("S1", "web", "web")]


@pytest.mark.parametrize("group", [{}, None, "S1"], ids=str)
async def test_what_cannot_be_read_is_no_answer(group: Any) -> None:
    with pytest.raises(SlackUnavailableError):
        await fetch_user_groups(SaidGroups(group))


async def test_a_disabled_user_group_is_told_apart() -> None:
    [group] = await fetch_user_groups(SaidGroups({"id": "S1", "handle": "a", "date_delete": 7}))

    assert group.is_disabled


async def test_who_is_in_a_group_is_told() -> None:
    assert await fetch_people_in(SaidGroups(people={"S1": ["U1", "U2"]}), "S1") == ("U1", "U2")


@pytest.mark.parametrize("code", ["no_such_subteam", "plan_upgrade_required", "paid_teams_only"])
async def test_nobody_is_in_a_group_that_is_gone(code: str) -> None:
    assert await fetch_people_in(SaidGroups(code=code), "S1") == ()


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("missing_scope", MissingScopeError),
        ("invalid_auth", SlackRefusedError),
        ("some_new_code", SlackRefusedError),
        ("internal_error", SlackUnavailableError),
    ],
)
async def test_what_slack_does_not_say_is_not_taken_for_nobody(
    code: str, kind: type[Exception]
) -> None:
    with pytest.raises(kind):
        await fetch_people_in(SaidGroups(code=code), "S1")


@pytest.mark.parametrize("people", [None, 7, {}], ids=str)
async def test_people_that_cannot_be_read_are_no_answer(people: Any) -> None:
    client = SaidGroups(people={"S1": people} if people is not None else {})

    if people == {}:
        assert await fetch_people_in(client, "S1") == ()
    else:
        with pytest.raises(SlackUnavailableError):
            await fetch_people_in(client, "S1")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def groups(clock: FakeClock) -> UserGroups:
    return UserGroups(clock=clock.seconds)


async def test_who_is_in_a_group_is_asked_once_a_minute(
    groups: UserGroups, clock: FakeClock
) -> None:
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


async def test_what_is_older_than_a_minute_is_not_told_when_slack_is_silent(
    groups: UserGroups, clock: FakeClock
) -> None:
    client = SaidGroups(people={"S1": ["U1"]})
    await groups.people_in(client, ONE, "S1")
    clock.advance(KEPT_FOR_S)
    client.code = "internal_error"

    with pytest.raises(SlackUnavailableError):
        await groups.people_in(client, ONE, "S1")


async def test_a_failure_is_not_kept(groups: UserGroups) -> None:
    client = SaidGroups(people={"S1": ["U1"]}, code="internal_error")
    with pytest.raises(SlackUnavailableError):
        await groups.people_in(client, ONE, "S1")
    client.code = ""

    assert await groups.people_in(client, ONE, "S1") == ("U1",)


async def test_in_the_background_the_workspaces_own_client_asks(groups: UserGroups) -> None:
    clients = {ONE: SaidGroups(people={"S1": ["U1"]}), OTHER: SaidGroups(people={"S1": ["U9"]})}

    async def client_for(workspace: WorkspaceId) -> AsyncWebClient:
        return clients[workspace]

    people = GroupPeople(client_for, groups)

    assert await people.people_in(OTHER, "S1") == ("U9",)


@pytest.mark.parametrize(
    ("user", "is_colleague"),
    [
        ({}, True),
        ({"is_restricted": True}, False),
        ({"is_bot": True}, False),
        ({"deleted": True}, False),
        ({"team_id": "T9"}, False),
    ],
    ids=str,
)
async def test_only_the_workspaces_own_people_are_colleagues(
    groups: UserGroups, user: dict[str, Any], is_colleague: bool
) -> None:
    client = SaidGroups(user={"id": "U1", "team_id": "T1"} | user)

    async def client_for(_workspace: WorkspaceId) -> AsyncWebClient:
        return client

    assert await GroupPeople(client_for, groups).is_colleague(ONE, "U1") is is_colleague
