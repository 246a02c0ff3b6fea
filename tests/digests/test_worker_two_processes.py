"""Two processes with one digest: which of them may go on with a run, and until when."""

import asyncio
from datetime import timedelta

import pytest

from bot.digests.models import Mode, Outcome
from bot.keys.failures import FailureReason
from bot.keys.key_record import NoKeyError
from bot.slack.errors import SlackRateLimitedError
from bot.tracker.models import UnavailableError
from tests.digests.builders import ACME, BOB, EVE, NINE, Bot, ends, send_now
from tests.fakes import TIME_LIMIT_S

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)


def beside(bot: Bot) -> Bot:
    """Return another process on the same store, which posts into the same channels."""
    return Bot(clock=bot.clock, documents=bot.documents, posts=bot.posts)


async def hand_over(bot: Bot) -> None:
    """Give the digest to this process, as a queue may do again with one that is in work."""
    await bot.worker.deliver(ACME, [(await bot.digest()).digest_id])


@pytest.mark.parametrize("mode", Mode, ids=str)
async def test_of_two_processes_that_collect_one_posts(bot: Bot, mode: Mode) -> None:
    await bot.make(mode=mode)
    await bot.collecting_at(NINE)

    await hand_over(beside(bot))
    first = list(bot.posts.posts)
    bot.lists.gate.set()
    assert await bot.tasks.drain(TIME_LIMIT_S)

    assert (len(first), bot.posts.posts) == (1, first)
    assert ends(await bot.digest()) == [(Outcome.POSTED, None)]


async def test_of_two_processes_that_try_again_one_posts(bot: Bot) -> None:
    await bot.make()
    bot.posts.errors = [SlackRateLimitedError(30)]
    await bot.at(NINE)
    await bot.collecting_at(NINE + MINUTE)

    await hand_over(beside(bot))
    bot.lists.gate.set()
    assert await bot.tasks.drain(TIME_LIMIT_S)

    assert len(bot.posts.posts) == 1
    assert ends(await bot.digest()) == [(Outcome.POSTED, None)]


async def test_send_now_lost_with_its_process_is_reported(bot: Bot) -> None:
    await bot.make()
    bot.lists.gate.clear()
    sending = asyncio.create_task(send_now(bot))
    await bot.lists.is_asked.wait()
    sending.cancel()
    await asyncio.wait({sending})
    await bot.dies()

    await bot.at(EVE + MINUTE)

    assert bot.posts.posts == []
    assert ends(await bot.digest()) == [(Outcome.FAILED, FailureReason.DOWN)]
    assert bot.posts.notified == [(BOB.user_id, "failed down x1")]


async def test_after_a_new_key_a_run_has_an_hour_and_no_more(bot: Bot) -> None:
    await bot.make()
    bot.lists.error = NoKeyError("none")
    await bot.at(NINE)
    bot.lists.error = UnavailableError("down", is_outcome_unknown=False)
    await bot.service.retry_waiting(ACME)
    await bot.at(NINE + 9 * HOUR)
    await bot.collecting_at(NINE + 9 * HOUR + 30 * MINUTE)
    await bot.dies()

    await bot.at(NINE + 10 * HOUR)

    assert ends(await bot.digest()) == [(Outcome.FAILED, FailureReason.SERVICE)]


async def test_another_process_does_not_call_a_running_post_uncertain(bot: Bot) -> None:
    await bot.make()
    other = beside(bot)

    async def look() -> None:
        bot.posts.before_post = None
        bot.clock.now = NINE + 59 * SECOND
        await hand_over(other)

    bot.posts.before_post = look
    await bot.at(NINE)

    assert (len(bot.posts.posts), bot.posts.notified) == (1, [])
    assert ends(await bot.digest()) == [(Outcome.POSTED, None)]
