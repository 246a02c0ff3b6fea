"""What people read when the bot is installed, comes back, or is not there."""

import json
import re
from collections.abc import Callable

from bot.blocks.message import Message
from bot.installations.installation import organisation
from bot.installations.views import (
    not_installed_text,
    organisation_message,
    welcome_back_message,
    welcome_message,
)
from bot.keys.views import SET_KEY
from tests.blocks import acceptance
from tests.blocks.acceptance import buttons, shown_text
from tests.builders import HOSTILE_TEXTS
from tests.installations.builders import an_installation
from tests.loops import loop_over


def welcome(name: str = "Acme", *, may_set_key: bool = False) -> Message:
    return welcome_message(an_installation(name=name), may_set_key=may_set_key)


# Beside what acceptance.py knows: the bot itself.
OURS = re.compile(r"<@U0BOT>|<https://app\.slack\.com/[^<>|]+\|[^<>|]+>")


def assert_slack_takes(message: Message) -> None:
    blocks = json.loads(OURS.sub("x", json.dumps(message.blocks)))
    acceptance.assert_slack_takes(Message(OURS.sub("x", message.text), tuple(blocks)))


EVERY_MESSAGE: dict[str, Callable[[str], Message]] = {
    "may set": lambda name: welcome(name, may_set_key=True),
    "may not set": welcome,
    "back": lambda name: welcome_back_message(an_installation(name=name)),
    "organisation": lambda name: organisation_message(
        an_installation(organisation("E1"), name=name)
    ),
}


@loop_over("name", ["", "Acme & Söhne", *HOSTILE_TEXTS.values()])
@loop_over("kind", EVERY_MESSAGE)
def test_slack_takes_it_and_no_name_acts(kind: str, name: str) -> None:
    assert_slack_takes(EVERY_MESSAGE[kind](name))


def test_only_admins_of_a_new_workspace_are_led_to_the_key() -> None:
    message, back = welcome(may_set_key=True), EVERY_MESSAGE["back"]("Acme")

    assert "Set key" in buttons(message)
    assert SET_KEY in str(message.blocks)
    assert "Ask an admin or owner" in welcome().text
    assert "The key and the digests are as they were." in back.text
    assert not {"Set key"} & {*buttons(welcome()), *buttons(back)}
    for word in ("/domains", "/scan example.com", "/adddomain", "/invite", "/domaindigest"):
        assert word in shown_text(message)


def test_others_read_where_to_install_or_add_it() -> None:
    page = "https://app.slack.com/manage/E1/integrations/profile/A1/workspaces/add"
    text = not_installed_text("https://bot.example")

    assert f"<{page}|" in shown_text(EVERY_MESSAGE["organisation"]("Acme"))
    assert "nothing was done" in text
    assert "https://bot.example/slack/install " in text
