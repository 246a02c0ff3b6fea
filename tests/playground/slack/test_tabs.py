"""The app's two tabs: Home, which it publishes, and Messages, its direct message."""

from typing import Any

import pytest

from bot.playground.slack import LocalSlack
from tests.playground.slack.conftest import Api
from tests.playground.slack.samples import (
    actions,
    button,
    home,
    section,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("bot")]
Json = dict[str, Any]


@pytest.fixture
def about() -> Json:
    return {"events": ["app_home_opened"]}


async def published(slack: LocalSlack, api: Api, *blocks: Json, **more: Any) -> Json:
    """Publish bob's Home tab and return the answer."""
    return await api("views.publish", user_id=slack.person("bob").id, view=home(*blocks), **more)


async def opened(slack: LocalSlack, tab: str) -> Json:
    """Let bob open a tab and return what the bot is sent."""
    delivery = await slack.person("bob").by_id.open_home(tab)
    assert delivery
    event: Json = delivery.payload["event"]
    return event


@pytest.mark.parametrize("tab", ["home", "messages"])
async def test_opening_a_tab_names_it(slack: LocalSlack, tab: str) -> None:
    event = await opened(slack, tab)

    assert (event["type"], event["tab"]) == ("app_home_opened", tab)
    assert event["user"] == slack.person("bob").id
    assert event["channel"].startswith("D")


async def test_what_is_published_comes_along_with_the_home_tab_only(
    slack: LocalSlack, api: Api
) -> None:
    before = await opened(slack, "home")
    view = (await published(slack, api, section("Hello")))["view"]

    assert "view" not in before
    assert (await opened(slack, "home"))["view"]["id"] == view["id"]
    assert "view" not in await opened(slack, "messages")


async def test_a_home_tab_that_is_off_takes_nothing(slack: LocalSlack, api: Api) -> None:
    slack.app.settings.home_tab = False

    assert (await published(slack, api, section("Hello")))["error"] == "not_enabled"


async def test_a_hash_keeps_a_newer_home_tab(slack: LocalSlack, api: Api) -> None:
    first = (await published(slack, api, section("1")))["view"]["hash"]

    taken = await published(slack, api, section("2"), hash=first)
    refused = await published(slack, api, section("3"), hash=first)

    assert (taken["ok"], refused["error"]) == (True, "hash_conflict")
    shown = slack.person("bob").home
    assert shown
    assert shown.everything == "2"


async def test_a_press_in_home_carries_its_view_and_no_place(slack: LocalSlack, api: Api) -> None:
    await published(slack, api, actions(button("Scan", value="example.com")))
    bob = slack.person("bob")
    assert bob.home

    payload = (await bob.press(bob.home, "Scan")).payload

    assert (payload["type"], payload["view"]["type"]) == ("block_actions", "home")
    assert payload["container"] == {"type": "view", "view_id": bob.home.id}
    assert payload["trigger_id"]
    assert not {"channel", "message", "response_url", "response_urls"} & set(payload)


@pytest.mark.parametrize("method", ["chat.postMessage", "chat.postEphemeral"])
async def test_a_messages_tab_that_is_off_takes_no_message(
    slack: LocalSlack, api: Api, method: str
) -> None:
    bob = slack.person("bob").id
    direct = (await api("conversations.open", users=bob))["channel"]["id"]
    slack.app.settings.messages_tab = False

    refused = await api(method, channel=direct, user=bob, text="x")
    elsewhere = await api(method, channel="general", user=bob, text="x")

    assert (refused["error"], elsewhere["ok"]) == ("messages_tab_disabled", True)


async def test_a_bot_is_asked_for_the_channels_that_it_is_in(slack: LocalSlack, api: Api) -> None:
    slack.world.scopes = ("channels:read", "groups:read")
    kinds = {"types": "public_channel,private_channel", "exclude_archived": True}

    own = await api("users.conversations", **kinds)
    of_bob = await api("users.conversations", user=slack.person("bob").id, **kinds)

    assert [each["name"] for each in own["channels"]] == ["general", "secret", "shared"]
    # Not #hidden, which the bot does not see.
    assert [each["name"] for each in of_bob["channels"]] == [
        "general",
        "random",
        "secret",
        "shared",
    ]
    assert "is_member" not in own["channels"][0]


async def test_the_members_of_a_group_are_listed(slack: LocalSlack, api: Api) -> None:
    slack.world.scopes = ("usergroups:read",)
    [group, _] = slack.world.workspace.user_groups.values()

    found = await api("usergroups.users.list", usergroup=group.id)
    unknown = await api("usergroups.users.list", usergroup="S9")

    assert found["users"] == [slack.person("ada").id, slack.person("bob").id]
    assert unknown["error"] == "no_such_subteam"


async def test_channels_need_the_scope_of_their_kind(slack: LocalSlack, api: Api) -> None:
    slack.world.scopes = ("channels:read",)

    info = await api("conversations.info", channel=slack.channel("secret").id)
    listed = await api("users.conversations", types="public_channel,private_channel")

    assert (info["needed"], listed["needed"]) == ("groups:read", "groups:read")
