"""What becomes of digests is counted once, when it is saved, who did it."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.digests.models import Digest
from bot.digests.repository import overdue, steps_to
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from bot.tracker.models import UnavailableError
from bot.web.metrics import DigestMetrics
from tests.digests.builders import ACME, ADA, NINE, Bot

SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)


class Counts(DigestMetrics):
    """Remembers what it was given."""

    def __init__(self, steps: Iterable[tuple[Digest, Digest]] = ()) -> None:
        self.runs: list[tuple[str, str | None]] = []
        self.lags: list[tuple[float, bool]] = []
        on_step = steps_to(self)
        for before, after in steps:
            on_step(before, after)

    def note_run(self, outcome: str, trouble: str | None) -> None:
        self.runs.append((outcome, trouble))

    def note_lag(self, lag_s: float, *, is_first_try: bool) -> None:
        self.lags.append((lag_s, is_first_try))


async def test_a_digest_that_was_posted_is_counted_once_with_its_lag(bot: Bot) -> None:
    await bot.make()
    await bot.at(NINE + 3 * SECOND)

    counts = Counts(bot.steps)

    assert (counts.runs, counts.lags) == ([("posted", None)], [(3.0, True)])


async def test_a_digest_after_a_retry_is_late_and_said_to_be_a_later_try(bot: Bot) -> None:
    await bot.make()
    bot.lists.error = UnavailableError(is_outcome_unknown=False)
    await bot.at(NINE)
    waiting = await bot.digest()
    plan = replace(waiting.plan, worst_count=5)
    await bot.service.change(ACME, waiting.digest_id, plan, by=ADA, version=waiting.version)
    bot.lists.error = None
    await bot.at(NINE + 61 * SECOND)

    counts = Counts(bot.steps)

    assert (counts.runs, counts.lags) == ([("posted", None)], [(61.0, False)])


@pytest.mark.parametrize(
    ("error", "run"),
    [
        (SlackUnavailableError("no answer"), ("uncertain", "slack")),
        (SlackRefusedError("invalid_arguments"), ("failed", "ours")),
    ],
    ids=["uncertain", "failed"],
)
async def test_an_unposted_digest_is_counted_with_its_reason(
    bot: Bot, error: Exception, run: tuple[str, str]
) -> None:
    await bot.make()
    bot.posts.errors.append(error)
    await bot.at(NINE)

    counts = Counts(bot.steps)

    assert (counts.runs, counts.lags) == ([run], [])


async def test_what_somebody_sends_now_is_never_late(bot: Bot) -> None:
    digest = await bot.make()
    bot.clock.now = NINE - HOUR
    await bot.service.send_now(ACME, digest.digest_id, by=ADA)

    counts = Counts(bot.steps)

    assert (counts.runs, counts.lags) == ([("posted", None)], [])


async def test_what_is_due_is_counted_with_the_time_of_the_longest(bot: Bot) -> None:
    await bot.make()
    await bot.make(channel_id="C2")
    bot.clock.now = NINE - SECOND
    before = await overdue(bot.repository, bot.clock())
    bot.clock.now = NINE + 90 * SECOND

    assert (before, await overdue(bot.repository, bot.clock())) == ((0, 0.0), (2, 90.0))
