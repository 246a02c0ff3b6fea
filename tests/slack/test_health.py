"""Whether Slack answers, as readiness says it: by the last answer, and not by each look."""

import pytest

from bot.slack.auth import WELL_FOR_S, SlackHealth
from bot.slack.errors import SlackError, SlackRateLimitedError, TokenRefusedError
from tests.fakes import FakeClock

pytestmark = pytest.mark.anyio


class Slack:
    """Counts the calls, which fail with `error`."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.health = SlackHealth(seconds=self.clock.seconds)
        self.error: SlackError | None = None
        self.calls = 0

    async def ask(self) -> None:
        self.calls += 1
        if self.error:
            raise self.error

    async def is_well(self) -> bool:
        try:
            await self.health.check(self.ask)
        except SlackError:
            return False
        return True


async def test_a_good_answer_is_good_for_a_few_seconds() -> None:
    slack = Slack()

    assert [await slack.is_well(), await slack.is_well()] == [True, True]
    assert slack.calls == 1

    slack.error = TokenRefusedError("account_inactive")
    slack.clock.advance(WELL_FOR_S)
    assert not await slack.is_well()


@pytest.mark.parametrize("outcome", ["failed", "unreachable"])
async def test_after_a_call_that_failed_the_next_look_asks(outcome: str) -> None:
    slack = Slack()
    await slack.is_well()
    slack.error = TokenRefusedError("account_inactive")

    slack.health.note_call("users.info", outcome, 0.1)

    assert not await slack.is_well()


async def test_while_it_is_not_well_every_look_asks() -> None:
    slack = Slack()
    slack.error = TokenRefusedError("account_inactive")
    await slack.is_well()
    slack.error = None

    assert await slack.is_well()


async def test_a_rate_limit_is_an_answer_once_slack_has_said_who_the_bot_is() -> None:
    slack = Slack()
    slack.error = SlackRateLimitedError(30)
    assert not await slack.is_well()

    slack.error = None
    await slack.is_well()
    slack.error = SlackRateLimitedError(30)
    slack.clock.advance(WELL_FOR_S)

    assert await slack.is_well()
