"""User groups: listed with the scope for it, and mentioned by their ids."""

import pytest

from bot.playground.slack import LocalSlack
from tests.playground.slack.conftest import Api

pytestmark = pytest.mark.anyio


async def test_two_groups_are_there_from_the_start(slack: LocalSlack, api: Api) -> None:
    slack.world.scopes = ("usergroups:read",)

    groups = (await api("usergroups.list"))["usergroups"]

    assert [(group["handle"], group["name"]) for group in groups] == [
        ("web-team", "Web team"),
        ("security", "Security"),
    ]
    assert {group["id"][0] for group in groups} == {"S"}
    assert "users" not in groups[0]


async def test_members_and_their_number_are_told_to_who_asks(slack: LocalSlack, api: Api) -> None:
    slack.world.scopes = ("usergroups:read",)

    answer = await api("usergroups.list", include_users=True, include_count=True)

    web_team = answer["usergroups"][0]
    assert web_team["users"] == [slack.person("ada").id, slack.person("bob").id]
    assert web_team["user_count"] == 2


async def test_groups_need_their_scope(slack: LocalSlack, api: Api) -> None:
    answer = await api("usergroups.list")

    assert (answer["error"], answer["needed"]) == ("missing_scope", "usergroups:read")


async def test_a_message_that_mentions_a_group_pings_it(slack: LocalSlack, api: Api) -> None:
    [group, _] = slack.world.workspace.user_groups.values()

    await api("chat.postMessage", channel="general", text=f"<!subteam^{group.id}> look")

    message = await slack.person("bob").next_message()
    assert message.mentions == [f"<!subteam^{group.id}>"]
