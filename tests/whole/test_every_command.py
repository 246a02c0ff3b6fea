"""What holds for each command, whatever it does: help, nonsense, words for the ear."""

import json

import pytest

from tests.blocks.accessible import assert_accessible
from tests.whole.digests import at_nine, settled
from tests.whole.harness import ABOUT, Harness
from tests.whole.impersonation import use_everything

pytestmark = pytest.mark.transports("http")

COMMANDS = [each.command for each in ABOUT.commands]


async def test_each_command_answers_help_without_the_service(ready: Harness) -> None:
    usages, refusals = {}, {}
    for command in COMMANDS:
        usages[command] = (await ready.ask(ready.ada, f"{command} help")).everything
        if command == "/domaindigest":  # which answers in its form
            await ready.ada.type(f"{command} colour:red below:")
            refusals[command] = (await settled(ready.ada)).everything
        else:
            answer = await ready.ask(ready.ada, f"{command} colour:red below:")
            refusals[command] = answer.everything

    for command in COMMANDS:
        assert usages[command].startswith(f"*{command}* ")
        assert f"`{command}` –" in usages[command]
        assert all(other in usages[command] for other in COMMANDS)
        if command != "/domainkey":
            assert "`colour:" in refusals[command]
            assert command == "/domaindigest" or "Help" in refusals[command]
    assert "Type `/domainkey` alone, or with `help`." in refusals["/domainkey"]
    assert ready.tracker.requests == []


async def test_whatever_the_bot_says_can_be_heard_too(ready: Harness) -> None:
    ready.account.add("shop.acme.example", health=41)
    await use_everything(ready)  # everything that an admin can look at
    await at_nine(ready)
    ways = {"chat.postMessage", "chat.postEphemeral", "response_url"}

    said = [call.arguments for call in ready.slack.calls if call.method in ways]
    without_words = [each for each in said if each.get("blocks") and not each.get("text")]
    pictures = [each for each in said if '"type": "image"' in json.dumps(each)]

    drawn = [call.arguments["view"] for call in ready.slack.calls if "view" in call.arguments]
    for each in said:
        assert_accessible(each["blocks"], each["text"])
    for view in drawn:
        assert_accessible(view["blocks"])

    assert len(said) > 5
    assert len(drawn) > 5
    assert without_words == []
    assert pictures == []
