"""How typed text arrives, and fields of payloads as in Slack's own samples.

https://docs.slack.dev/interactivity/implementing-slash-commands and
https://github.com/slackapi/java-slack-sdk/tree/main/json-logs/samples.
"""

from typing import Any

import pytest

from bot.playground.slack import LocalSlack, payloads
from tests.playground.slack.conftest import Api
from tests.playground.slack.samples import ScriptedBot, options, section

Json = dict[str, Any]


async def test_a_suggestion_only_names_its_message(slack: LocalSlack, api: Api) -> None:
    menu = {"type": "external_select", "action_id": "pick", "min_query_length": 0}
    blocks = [section("Pick", accessory=menu)]
    await api("chat.postMessage", channel="general", text="x", blocks=blocks)
    slack.outbox.carrier = bot = ScriptedBot({"options": options("Example")})

    await slack.person("bob").suggest(await slack.person("bob").next_message(), "Pick", "")

    [asked] = [each.payload for each in bot.got]
    assert {"container", "channel"} <= asked.keys()
    assert "message" not in asked


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        pytest.param("example.com", "example.com", id="bare domain"),
        pytest.param("http://a.example/x?b=1&c", "<http://a.example/x?b=1&amp;c>", id="URL"),
        pytest.param("a & <b>", "a &amp; &lt;b&gt;", id="special characters"),
        pytest.param("<http://a.example>", "&lt;<http://a.example>&gt;", id="URL in brackets"),
        pytest.param("@nobody #nowhere", "@nobody #nowhere", id="unknown names"),
        pytest.param("me@example.com", "me@example.com", id="address"),
    ],
)
async def test_text_is_escaped_and_linked(slack: LocalSlack, typed: str, sent: str) -> None:
    assert payloads.escaped(slack.world, typed) == sent
