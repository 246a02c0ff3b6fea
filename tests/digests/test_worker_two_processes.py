"""Two processes with one digest: which of them may go on with a run, and until when.

What people do, and what breaks, in the very middle of a run.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from operator import itemgetter
from typing import Any

import pytest

from bot.digests.models import Mode, Outcome, RunState
from bot.keys.failures import FailureReason
from bot.keys.key_record import NoKeyError
from bot.slack.errors import (
    ChannelClosedError,
    SlackRefusedError,
    SlackUnavailableError,
    SlackUnreachableError,
    TokenRefusedError,
)
from bot.store.documents import Document, StoreError
from bot.tracker.models import UnavailableError
from tests.digests.builders import (
    ACME,
    ADA,
    BOB,
    DAY,
    EVE,
    NINE,
    Bot,
    DocumentsOnDisk,
    ends,
    outcomes,
    send_now,
)
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


async def test_moving_away_from_a_closed_channel_ends_its_pause(bot: Bot) -> None:
    digest = await bot.make()
    bot.posts.errors = [ChannelClosedError("is_archived")]
    await bot.at(NINE)
    plan = replace(digest.plan, channel_id="C2")

    await bot.service.change(ACME, digest.digest_id, plan, by=ADA, version=1)
    post = await bot.service.preview(ACME, await bot.digest())

    assert (await bot.digest()).pause is None
    assert post.unposted == ()  # that is the old channel's story


async def test_a_digest_deleted_during_its_run_leaves_nothing(bot: Bot) -> None:
    digest = await bot.make()
    bot.lists.gate.clear()
    bot.clock.now = NINE
    await bot.worker.run_due()
    await bot.lists.is_asked.wait()

    await bot.service.delete(ACME, digest.digest_id)
    bot.lists.gate.set()
    await bot.at(NINE)

    assert bot.posts.posts == []
    assert [each.key for each in await bot.documents.list_prefix("")] == []


async def test_a_key_missing_for_days_is_reported_once(bot: Bot) -> None:
    await bot.make()
    bot.lists.error = NoKeyError("none")

    for hours in range(0, 4 * 24, 6):
        await bot.at(NINE + hours * HOUR)

    assert bot.posts.notified == [(BOB.user_id, "failed key x1")]


@pytest.mark.parametrize(
    ("error", "most"),
    [
        (SlackRefusedError("messages_tab_disabled"), 1),
        (SlackUnavailableError("internal_error"), 2),
        (TokenRefusedError("account_inactive"), 80),
        (SlackUnreachableError("refused"), 80),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_a_notice_is_not_repeated_forever(bot: Bot, error: Exception, most: int) -> None:
    await bot.make()
    await bot.at(NINE - MINUTE)
    bot.posts.errors = [error] * 1000
    pauses = 0

    for minutes in range(0, 20 * 24 * 60, 31):
        bot.clock.now = NINE + 7 * HOUR + minutes * MINUTE
        await bot.worker.run_due()
        assert await bot.tasks.drain(TIME_LIMIT_S)
        if (await bot.digest()).notices == ():
            break
        await pause_all(bot)
        pauses += 1  # which the channel would read

    assert (await bot.digest()).notices == ()
    assert 1000 - len(bot.posts.errors) - pauses <= most


async def pause_all(bot: Bot) -> None:
    """Let only the first notice be sent."""
    digest = await bot.digest()
    if digest.pause is None:
        await bot.service.pause(ACME, digest.digest_id, by=BOB, until=None)


async def test_an_unreachable_owner_does_not_delay_the_next_post(bot: Bot) -> None:
    await bot.make()
    bot.posts.gone = {BOB.user_id}
    bot.documents.cannot_be_read = {f"{ACME}/key"}

    await bot.at(NINE + 7 * HOUR)
    await bot.at(NINE + DAY)

    assert len(bot.posts.posts) == 1


class Restarting(DocumentsOnDisk):
    """A store that refuses the first word that something is about to be posted, or was."""

    def __init__(self, refuses: Callable[[Mapping[str, Any]], Any], refusals: int) -> None:
        super().__init__()
        self.refuses, self.refusals = refuses, refusals

    async def put(self, key: str, value: Mapping[str, Any], **how: Any) -> Document:
        if self.refusals and "/digest/" in key and self.refuses(value):
            self.refusals -= 1
            raise StoreError("starting up")
        return await super().put(key, value, **how)


@pytest.mark.parametrize(
    ("refuses", "refusals"),
    [(lambda digest: (digest["run"] or {}).get("state") == "posting", 1), (itemgetter("past"), 5)],
    ids=["before", "after"],
)
async def test_a_store_restart_around_a_post_does_not_cost_it(
    refuses: Callable[[Mapping[str, Any]], Any], refusals: int
) -> None:
    documents = Restarting(refuses, refusals)
    bot = Bot(documents=documents)
    await bot.make()

    await bot.at(NINE)

    assert documents.refusals == 0
    assert outcomes(await bot.digest()) == [Outcome.POSTED]


async def test_a_stop_begins_no_more_runs(bot: Bot) -> None:
    for number in range(12):
        await bot.make(channel_id=f"C{number}")
    bot.lists.gate.clear()
    bot.clock.now = NINE
    await bot.worker.run_due()
    await bot.lists.is_asked.wait()

    bot.tasks.stop()
    bot.lists.gate.set()
    assert await bot.tasks.drain(TIME_LIMIT_S)

    assert len(bot.posts.posts) == 5  # those that a worker had


async def test_a_list_that_takes_too_long_is_tried_again() -> None:
    bot = Bot(collect_within_s=0.02)
    await bot.make()
    bot.lists.gate.clear()

    await bot.at(NINE)
    run = (await bot.digest()).run
    bot.lists.gate.set()
    bot.collect_within_s = TIME_LIMIT_S  # on a busy machine a list takes longer than that
    bot.start()
    await bot.at(NINE + MINUTE)

    assert run is not None
    assert (run.state, run.trouble) == (RunState.WAITING, FailureReason.SERVICE)
    assert (len(bot.posts.posts), bot.posts.notified) == (1, [])
