"""What people see when the bot is late, away or confused."""

import pytest

from bot.playground.slack import CommandFailed, LocalSlack
from tests.playground.slack.samples import ScriptedBot


@pytest.mark.parametrize(
    ("script", "problem"),
    [(None, "dispatch_failed"), (404, "dispatch_failed"), ("silence", "operation_timeout")],
)
async def test_a_command_needs_an_ack_of_200(
    slack: LocalSlack, script: object, problem: str
) -> None:
    if script:  # else no bot is connected
        slack.outbox.carrier, slack.outbox.ack_limit_s = ScriptedBot(script), 0.05

    with pytest.raises(CommandFailed, match=problem) as caught:
        await slack.person("bob").type("/scan")

    assert caught.value.delivery is slack.envelopes[0]
