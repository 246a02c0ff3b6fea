"""What somebody sends while Slack takes nothing: it comes later, and they read that it has."""

from datetime import timedelta

import pytest

from bot.digests.models import Digest, DigestBusyError, Mode, Outcome
from bot.keys.key_record import NoKeyError
from bot.slack.errors import (
    ChannelClosedError,
    SlackRateLimitedError,
    SlackUnavailableError,
    SlackUnreachableError,
)
from tests.digests.builders import ACME, ADA, BOB, EVE, NINE, Bot

MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)
BUSY = SlackRateLimitedError(30)
REFUSED = SlackUnreachableError("refused")


async def send_now(bot: Bot, error: Exception | None = None) -> Digest:
    """Let Ada press `Send now`; `error` is what Slack answers."""
    bot.posts.errors = [error] if error else []
    return await bot.service.send_now(ACME, (await bot.digest()).digest_id, by=ADA)


@pytest.mark.parametrize(
    ("error", "after"), [(BUSY, 30 * SECOND), (REFUSED, MINUTE)], ids=["busy", "refused"]
)
async def test_send_now_is_kept_for_later(bot: Bot, error: Exception, after: timedelta) -> None:
    await bot.make(mode=Mode.WORSE)
    sent = await send_now(bot, error)

    await bot.at(EVE + after - SECOND)
    before = list(bot.posts.posts)
    await bot.at(EVE + after)

    assert sent.run is not None
    assert (sent.run.is_promised, sent.run.until) == (True, EVE + after)
    assert (before, len(bot.posts.posts)) == ([], 1)
    assert bot.posts.notified == [(ADA.user_id, "posted None x1")]
    [run] = (await bot.digest()).past
    assert (run.outcome, run.asked_by) == (Outcome.POSTED, ADA.user_id)


async def test_a_post_that_takes_longer_is_not_promised(bot: Bot) -> None:
    await bot.make()

    with pytest.raises(SlackRateLimitedError):
        await send_now(bot, SlackRateLimitedError(601))

    assert (await bot.digest()).run is None


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (SlackUnavailableError("reset"), ["uncertain slack x1", "uncertain slack x1"]),
        (ChannelClosedError("is_archived"), ["failed archived x1", "paused archived x1"]),
        (NoKeyError("removed"), ["failed key x1", "failed key x1"]),
    ],
    ids=["unknown", "closed", "key"],
)
async def test_both_hear_of_a_failed_promise(bot: Bot, error: Exception, text: list[str]) -> None:
    await bot.make()
    await send_now(bot, BUSY)
    if isinstance(error, NoKeyError):
        bot.lists.error = error
    else:
        bot.posts.errors = [error]

    await bot.at(EVE + MINUTE)

    assert (bot.posts.posts, (await bot.digest()).run) == ([], None)
    assert sorted(bot.posts.notified) == list(zip([ADA.user_id, BOB.user_id], text, strict=True))


async def test_a_pause_ends_a_promised_post_with_a_notice(bot: Bot) -> None:
    digest = await bot.make()
    await send_now(bot, BUSY)
    await bot.service.pause(ACME, digest.digest_id, by=BOB, until=None)

    await bot.at(EVE + MINUTE)

    [(_, said)] = bot.posts.posts
    assert said.startswith("bob paused the digest")
    assert bot.posts.notified == [(ADA.user_id, "failed slack x1")]


async def test_a_slot_due_before_a_promised_post_follows_it(bot: Bot) -> None:
    await bot.make()
    bot.clock.now = NINE - MINUTE
    await send_now(bot, SlackRateLimitedError(120))

    await bot.at(NINE)
    before = len(bot.posts.posts)
    await bot.at(NINE + MINUTE)

    runs = (await bot.digest()).past
    assert (before, [run.asked_by for run in runs]) == (0, [ADA.user_id, None])
    assert [run.outcome for run in runs] == [Outcome.POSTED] * 2


async def test_only_the_person_who_waits_may_press_again(bot: Bot) -> None:
    digest = await bot.make()
    await send_now(bot, BUSY)

    with pytest.raises(DigestBusyError):
        await bot.service.send_now(ACME, digest.digest_id, by=BOB)
    sent = await send_now(bot)

    assert (sent.run, len(bot.posts.posts)) == (None, 1)
    await bot.at(EVE + MINUTE)
    assert bot.posts.notified == []
