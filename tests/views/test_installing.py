"""What people read when the bot is installed, comes back, or is not there."""

import json
import re
from collections.abc import Callable
from typing import Any

from bot.blocks.message import Message
from bot.installations.installation import organisation
from bot.installations.views import arrival_message, not_installed_text
from bot.installations.welcome import Arrival
from bot.keys.views import SET_KEY
from tests.builders import HOSTILE_TEXTS
from tests.installations.builders import an_installation
from tests.loops import loop_over
from tests.views import acceptance
from tests.views.acceptance import buttons, shown_text


def arrival(name: str = "Acme", **fields: Any) -> Message:
    return arrival_message(Arrival(installation=an_installation(name=name), **fields))


# Beside what acceptance.py knows: the bot itself.
OURS = re.compile(r"<@U0BOT>|<https://app\.slack\.com/[^<>|]+\|[^<>|]+>")


def assert_slack_takes(message: Message) -> None:
    blocks = json.loads(OURS.sub("x", json.dumps(message.blocks)))
    acceptance.assert_slack_takes(Message(OURS.sub("x", message.text), tuple(blocks)))


EVERY_MESSAGE: dict[str, Callable[[str], Message]] = {
    "may set": lambda name: arrival(name, may_set_key=True),
    "may not set": arrival,
    "back": lambda name: arrival(name, may_set_key=True, has_key=True),
    "organisation": lambda name: arrival_message(
        Arrival(installation=an_installation(organisation("E1"), name=name))
    ),
}


@loop_over("name", ["", "Acme & Söhne", *HOSTILE_TEXTS.values()])
@loop_over("kind", EVERY_MESSAGE)
def test_slack_takes_it_and_no_name_acts(kind: str, name: str) -> None:
    assert_slack_takes(EVERY_MESSAGE[kind](name))


def test_only_admins_are_led_to_the_key() -> None:
    assert "Set key" not in buttons(arrival())
    assert "Ask an admin or owner" in arrival().text
    message = arrival(may_set_key=True)

    assert "Set key" in buttons(message)
    assert SET_KEY in str(message.blocks)
    for word in ("/domains", "/scan example.com", "/adddomain", "/invite", "/domaindigest"):
        assert word in shown_text(message)


def test_a_returning_installer_reads_that_nothing_changed() -> None:
    message = EVERY_MESSAGE["back"]("Acme")

    assert "The key and the digests are as they were." in message.text
    assert "Set key" not in buttons(message)


def test_an_organisation_reads_how_to_add_workspaces() -> None:
    message = EVERY_MESSAGE["organisation"]("Acme")

    page = "https://app.slack.com/manage/E1/integrations/profile/A1/workspaces/add"
    assert f"<{page}|" in shown_text(message)


def test_without_an_installation_people_read_where_to_install() -> None:
    text = not_installed_text("https://bot.example")

    assert "nothing was done" in text
    assert "https://bot.example/slack/install " in text
