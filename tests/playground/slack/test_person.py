"""What people can do and see, and what Slack's client would not let them do."""

from typing import Any

import pytest

from bot.playground.slack import CommandFailed, FormError, LocalSlack
from tests.playground.slack.conftest import Api
from tests.playground.slack.samples import ScriptedBot, actions, options, plain, section

pytestmark = pytest.mark.usefixtures("bot")
Json = dict[str, Any]


@pytest.mark.parametrize(
    ("name", "text", "channel", "code"),
    [
        pytest.param("bob", "/nothing", "general", "invalid_command", id="unknown command"),
        pytest.param("bob", "/scan", "old", "is_archived", id="archived"),
        pytest.param("cy", "/scan", "general", None, id="fine"),
        pytest.param("gus", "/scan", "general", None, id="guest"),
        pytest.param("zoe", "/scan", "shared", "invalid_command", id="of another workspace"),
        pytest.param("bob", "/scan", "hidden", None, id="channel without the bot"),
        pytest.param("bob", "/scan", "dm", None, id="direct message"),
    ],
)
async def test_a_command_can_be_typed(
    slack: LocalSlack, name: str, text: str, channel: str, code: str | None
) -> None:
    try:
        await slack.person(name).type(text, channel=channel)
        failure = None
    except CommandFailed as error:
        failure = error.code

    assert failure == code
    assert len(slack.envelopes) == (code is None)


async def test_a_reply_in_the_ack_is_checked_too(slack: LocalSlack, bot: ScriptedBot) -> None:
    slack.outbox.carrier = ScriptedBot({"text": "x", "blocks": [section("")]})

    with pytest.raises(CommandFailed, match="invalid_blocks"):
        await slack.person("bob").type("/scan")


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="nothing"),
        pytest.param({"options": options("x") * 101}, id="101 options"),
        pytest.param({"options": options("x" * 76)}, id="a long text"),
        pytest.param({"options": [{"text": plain("x"), "value": "x" * 151}]}, id="a long value"),
        pytest.param({"options": [{"text": plain("x")}]}, id="no value"),
    ],
)
async def test_wrong_suggestions_are_refused(slack: LocalSlack, api: Api, answer: Any) -> None:
    row = actions({"type": "external_select", "action_id": "pick", "min_query_length": 0})
    await api("chat.postMessage", channel="general", text="x", blocks=[row])
    slack.outbox.carrier = ScriptedBot(answer)
    bob = slack.person("bob")

    with pytest.raises(FormError):
        await bob.suggest(await bob.next_message(), "pick", "")
