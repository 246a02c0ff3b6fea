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


async def test_groups_need_their_scope(slack: LocalSlack, api: Api) -> None:
    answer = await api("usergroups.list")

    assert (answer["error"], answer["needed"]) == ("missing_scope", "usergroups:read")
