"""The app's two tabs: Home, which it publishes, and Messages, its direct message."""

from typing import Any

import pytest

from bot.playground.slack import LocalSlack
from tests.playground.slack.conftest import Api
from tests.playground.slack.samples import home, section

pytestmark = pytest.mark.usefixtures("bot")
Json = dict[str, Any]


@pytest.fixture
def about() -> Json:
    return {"events": ["app_home_opened"]}


async def published(slack: LocalSlack, api: Api, *blocks: Json, **more: Any) -> Json:
    """Publish bob's Home tab and return the answer."""
    return await api("views.publish", user_id=slack.person("bob").id, view=home(*blocks), **more)


async def test_a_home_tab_that_is_off_takes_nothing(slack: LocalSlack, api: Api) -> None:
    slack.app.settings.home_tab = False

    assert (await published(slack, api, section("Hello")))["error"] == "not_enabled"


async def test_channels_need_the_scope_of_their_kind(slack: LocalSlack, api: Api) -> None:
    slack.world.scopes = ("channels:read",)

    info = await api("conversations.info", channel=slack.channel("secret").id)
    listed = await api("users.conversations", types="public_channel,private_channel")

    assert (info["needed"], listed["needed"]) == ("groups:read", "groups:read")
