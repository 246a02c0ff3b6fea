"""Shortcuts: of the whole workspace, and in the menu of a message.

https://docs.slack.dev/interactivity/implementing-shortcuts
"""

from typing import Any

import pytest

from bot.playground.manifest import Shortcut
from bot.playground.slack import LocalSlack

pytestmark = pytest.mark.usefixtures("bot")
Json = dict[str, Any]

SCAN, IN_MESSAGE = "Scan a domain", "Scan domains in message"
SHORTCUTS = (Shortcut(SCAN, "scan", "global"), Shortcut(IN_MESSAGE, "scan_message", "message"))


@pytest.fixture
def about() -> Json:
    return {"shortcuts": SHORTCUTS}


async def test_a_message_shortcut_shows_the_message_as_it_is_now(slack: LocalSlack) -> None:
    bob, message = slack.person("bob"), slack.person("cy").say("See https://a.example, @bob")
    slack.world.posting.replace(message, {"text": f"<https://b.example|b> <@{bob.id}>"})

    payload = (await bob.message_shortcut(message.snapshot(), IN_MESSAGE)).payload

    assert (payload["type"], payload["callback_id"]) == ("message_action", "scan_message")
    assert (payload["channel"]["name"], payload["message_ts"]) == ("general", message.ts)
    shown = payload["message"]
    assert (shown["user"], shown["text"]) == (slack.person("cy").id, message.text)
    assert "bot_id" not in shown
    assert shown["client_msg_id"]
    assert shown["blocks"][0]["elements"][0]["elements"] == [
        {"type": "link", "url": "https://b.example", "text": "b"},
        {"type": "text", "text": " "},
        {"type": "user", "user_id": bob.id},
    ]
