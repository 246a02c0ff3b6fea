"""How fast the app may post to a channel, faults to order, and what a late bot looks like."""

import pytest

from bot.playground.slack import CommandFailed, LocalSlack
from tests.playground.slack.conftest import Api, Clock
from tests.playground.slack.samples import ScriptedBot


@pytest.fixture
def real(slack: LocalSlack) -> Clock:
    """The seconds that pass while a test runs, by the rate's own clock."""
    slack.world.posting.monotonic = real = Clock(100.0)
    return real


async def errors(api: Api, count: int, channel: str = "general") -> list[str | None]:
    posts = [await api("chat.postMessage", channel=channel, text="x") for _ in range(count)]
    return [post.get("error") for post in posts]


async def test_posts_are_limited_to_one_a_second(slack: LocalSlack, api: Api, real: Clock) -> None:
    burst = await errors(api, slack.world.posting.burst)
    at_once = await errors(api, 1)
    real.now += 1

    assert burst == [None] * slack.world.posting.burst
    assert at_once == ["ratelimited"]
    assert await errors(api, 2) == [None, "ratelimited"]


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
