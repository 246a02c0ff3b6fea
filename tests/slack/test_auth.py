"""Whether Slack answers."""

from bot.slack.auth import WELL_FOR_S, SlackHealth
from bot.slack.errors import SlackError, SlackRateLimitedError, TokenRefusedError
from tests.fakes import FakeClock


class Slack:
    """Counts the calls, which fail with `error`."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.health = SlackHealth(self.ask, seconds=self.clock.seconds)
        self.error: SlackError | None = None
        self.calls = 0

    async def ask(self) -> None:
        self.calls += 1
        if self.error:
            raise self.error

    async def is_well(self) -> bool:
        try:
            await self.health.check()
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


async def test_a_rate_limit_is_an_answer() -> None:
    slack = Slack()
    slack.error = SlackRateLimitedError(30)

    assert await slack.is_well()
