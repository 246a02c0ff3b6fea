"""The app's Home tab: opened, drawn with every block that may stand there, and pressed."""

from typing import Any
from urllib.parse import urlencode

import pytest

from bot.playground.slack import LocalSlack
from tests.playground.page.screen import Screen
from tests.playground.slack.samples import (
    ScriptedBot,
    actions,
    button,
    home,
    notice,
    section,
)

pytestmark = pytest.mark.anyio
Json = dict[str, Any]


async def test_opening_home_tells_an_app_that_wants_to_know(
    bot: ScriptedBot, slack: LocalSlack, screen: Screen
) -> None:
    slack.app.settings.events = ["app_home_opened"]

    await screen.open("/?as=bob&channel=home")

    await screen.until(lambda: bot.got)
    event = bot.got[0].payload["event"]
    assert (event["type"], event["tab"]) == ("app_home_opened", "home")
    assert event["user"] == slack.person("bob").id


def link(slack: LocalSlack, **differing: str) -> str:
    """A link into Slack: https://docs.slack.dev/interactivity/deep-linking."""
    asked = {"team": slack.team_id, "id": slack.universe.app.id, "tab": "messages"} | differing
    return f"slack://app?{urlencode(asked)}"


async def test_a_link_to_the_messages_opens_them_and_closes_the_form_above(
    bot: ScriptedBot, slack: LocalSlack, screen: Screen
) -> None:
    bob = slack.person("bob")
    await screen.open("/?as=bob&channel=home")
    trigger_id = slack.world.triggers.give(bob.id, None, None)
    opening = actions(button("Open messages", url=link(slack)))
    slack.world.stacks.open(trigger_id, notice(opening))
    await screen.sees("Open messages")

    screen.click("Open messages")

    await screen.until(lambda: screen.named("Messages").props.get("aria-current") == "page")
    assert bot.got[-1].payload["actions"][0]["action_id"] == "open messages"
    assert slack.world.stacks.of(bob.id) == []


@pytest.mark.parametrize("elsewhere", [{"team": "T9"}, {"id": "A9"}, {"tab": "about"}])
async def test_a_link_to_somewhere_else_opens_nothing(
    bot: ScriptedBot, slack: LocalSlack, screen: Screen, elsewhere: dict[str, str]
) -> None:
    row = actions(button("Open messages", url=link(slack, **elsewhere)))
    slack.world.stacks.publish(slack.person("bob").id, home(row))
    await screen.open("/?as=bob&channel=home")

    screen.click("Open messages")

    await screen.until(lambda: any("leads elsewhere" in each for each in screen.complaints))
    assert bot.got
    assert screen.named("Home").props.get("aria-current") == "page"


async def test_home_is_empty_again_once_the_app_is_removed(
    slack: LocalSlack, screen: Screen
) -> None:
    slack.world.stacks.publish(slack.person("bob").id, home(section("Welcome, Bob")))
    await screen.open("/?as=bob&channel=home")

    await slack.uninstall()

    await screen.sees("nothing on its Home tab yet")
    assert "Welcome, Bob" not in screen.text
