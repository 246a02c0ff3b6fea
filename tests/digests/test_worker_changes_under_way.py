"""What people do to a digest whose run is under way, waits, or was left by a dead process."""

import asyncio
from datetime import timedelta

import pytest

from bot.digests.models import DigestBusyError, LostClaimError, Mode, Outcome
from bot.keys.failures import FailureReason
from bot.slack.errors import ChannelClosedError
from bot.tracker.models import UnavailableError
from tests.digests.builders import DAY, EVE, NINE, Bot, ends, replan, send_now

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
DOWN = UnavailableError("down", is_outcome_unknown=False)
CLOSED = ChannelClosedError("is_archived")


def digests(bot: Bot) -> list[str]:
    """Return the channels into which digests came, without the announcements."""
    return [channel for channel, text in bot.posts.posts if text.startswith("digest")]


async def test_new_score_bounds_restart_the_silence(bot: Bot) -> None:
    await bot.make(mode=Mode.CHANGES, heartbeat_every=2, filter_text="below:50")
    for day in range(3):
        await bot.at(NINE + day * DAY)

    await replan(bot, filter_text="below:60")
    await bot.at(NINE + 3 * DAY)
    digest = await bot.digest()

    assert len(bot.posts.posts) == 1
    assert [run.average for run in digest.past] == [None, None, None, 41]
    assert digest.silent_runs == 1


async def test_a_filter_changed_during_a_post_drops_its_baseline(bot: Bot) -> None:
    await bot.make()
    await bot.at(NINE)

    async def change() -> None:
        bot.posts.before_post = None
        await replan(bot, filter_text="shop")

    bot.posts.before_post = change
    await bot.at(NINE + DAY)
    digest = await bot.digest()

    assert len(digests(bot)) == 2
    assert (digest.baseline, digest.packed_baseline) == (None, "")
    assert [run.average for run in digest.past] == [None, None]


async def test_a_change_during_collection_restarts_the_run_at_once(bot: Bot) -> None:
    await bot.make()
    await bot.collecting_at(NINE)

    await replan(bot, channel_id="C2")
    bot.lists.gate.set()
    await bot.at(NINE)

    assert digests(bot) == ["C2"]
    assert ends(await bot.digest()) == [(Outcome.POSTED, None)]


async def test_send_now_cancelled_by_a_change_is_not_reported(bot: Bot) -> None:
    await bot.make()
    bot.lists.gate.clear()
    sending = asyncio.create_task(send_now(bot))
    await bot.lists.is_asked.wait()

    await replan(bot, worst_count=5)
    bot.lists.gate.set()
    with pytest.raises(LostClaimError):
        await sending
    await bot.at(EVE + HOUR)

    assert (ends(await bot.digest()), bot.posts.notified) == ([], [])


async def test_a_refused_post_is_not_posted_into_the_new_channel(bot: Bot) -> None:
    await bot.make()

    async def move() -> None:
        bot.posts.before_post = None
        await replan(bot, channel_id="C2")
        bot.posts.errors = [CLOSED]

    bot.posts.before_post = move
    await bot.at(NINE)

    digest = await bot.digest()
    assert (digests(bot), digest.pause) == ([], None)
    assert ends(digest) == [(Outcome.FAILED, FailureReason.ARCHIVED)]


async def test_no_other_worker_takes_over_send_now(bot: Bot) -> None:
    await bot.make()
    bot.lists.error = DOWN
    await bot.at(NINE)
    bot.lists.error = None
    bot.lists.gate.clear()
    bot.lists.is_asked.clear()
    bot.clock.now = NINE + MINUTE
    sending = asyncio.create_task(send_now(bot))
    await bot.lists.is_asked.wait()

    await bot.at(NINE + MINUTE)
    with pytest.raises(DigestBusyError):
        await send_now(bot)
    bot.lists.gate.set()

    assert ends(await sending) == [(Outcome.POSTED, None)]


@pytest.mark.parametrize("is_dead", [True, False], ids=["dead", "alive"])
async def test_send_now_takes_over_the_slot_of_a_process_that_collects(
    bot: Bot, is_dead: bool
) -> None:
    await bot.make()
    await bot.collecting_at(NINE)
    if is_dead:
        await bot.dies()

    sending = asyncio.create_task(send_now(bot))
    bot.lists.gate.set()
    sent = await sending
    await bot.at(NINE)

    assert ends(sent) == [(Outcome.POSTED, None)]
    assert (len(digests(bot)), ends(await bot.digest())) == (1, ends(sent))
