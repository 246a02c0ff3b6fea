"""What people see when the bot is late, away or confused."""

import pytest

from bot.playground.slack import CommandFailed, LocalSlack
from tests.playground.slack.conftest import Api, Clock
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


EVENT = {"type": "team_rename"}


async def pass_time(slack: LocalSlack, api: Api, clock: Clock, seconds: float) -> None:
    clock.now += seconds
    slack.universe.change_event.notify()
    await api("api.test")  # meanwhile whatever is due is sent


async def test_an_event_is_repeated_three_times(slack: LocalSlack, api: Api, clock: Clock) -> None:
    slack.outbox.carrier, began = ScriptedBot(*[404] * 5), clock.now

    await slack.deliver_event(EVENT)
    for seconds in (59, 1, 299, 1, 86_400):
        await pass_time(slack, api, clock, seconds)

    tries = slack.envelopes
    assert len({each.payload["event_id"] for each in tries}) == 1
    assert [each.at - began for each in tries] == [0, 0, 60, 360]
    assert [each.retry_number for each in tries] == [0, 1, 2, 3]
