"""The messages of a bulk scan reach the person, each once."""

from datetime import timedelta
from typing import Any

import pytest

from bot.scans.bulk_record import (
    KIND,
    BulkScanRunsError,
)
from bot.scans.bulk_runner import LEASE
from bot.slack.client import SentMessage
from bot.slack.errors import PersonUnreachableError, SlackUnreachableError
from tests.fakes import TIME_LIMIT_S
from tests.scans.bulk_bot import ACME, BOB, Bot


async def test_nothing_begins_when_the_person_cannot_be_written_to(bot: Bot) -> None:
    bot.posts.gone = {BOB}

    with pytest.raises(PersonUnreachableError):
        await bot.start("abc")

    assert await bot.bulk.last(ACME) is None


async def test_a_start_lost_before_its_message_scans_nothing(bot: Bot) -> None:
    class CutOffError(BaseException):
        """The process dies."""

    bot.posts.errors = [CutOffError()]  # type: ignore[list-item]  # no error of Slack's
    with pytest.raises(CutOffError):
        await bot.start("a")

    bot.clock.now += LEASE
    await bot.bulk.run_due()
    assert await bot.tasks.drain(TIME_LIMIT_S)
    again = await bot.start("b")

    assert bot.scanned == []
    assert again.ts


async def test_a_start_under_way_is_the_only_one(bot: Bot) -> None:
    send = bot.posts.send_dm

    async def look_and_send(*what: Any) -> SentMessage:
        await bot.bulk.run_due()
        assert await bot.tasks.drain(TIME_LIMIT_S)
        with pytest.raises(BulkScanRunsError):
            await bot.start("b")
        return await send(*what)

    bot.posts.send_dm = look_and_send  # type: ignore[method-assign,assignment]

    run = await bot.start("a")

    assert await bot.bulk.last(ACME) == run


async def test_the_next_one_waits_for_the_last_summary(bot: Bot) -> None:
    await bot.start("a")
    await bot.begin_scan()
    bot.posts.errors = [SlackUnreachableError("down")] * 2
    await bot.finish()

    with pytest.raises(BulkScanRunsError):
        await bot.start("b")
    await bot.pass_by(timedelta(hours=1))

    assert "1 domain scanned" in bot.summary
    assert len(bot.lists.asked) == 1
    assert (await bot.start("b")).left


async def test_a_summary_without_an_answer_is_not_repeated(bot: Bot) -> None:
    await bot.start("a")
    bot.posts.answers_lost = 1

    for _ in range(4):
        await bot.pass_by(timedelta(hours=1))

    assert ["1 domain scanned" in text for _, text in bot.posts.notified] == [False, True]
    assert "1 domain scanned" in bot.posts.edited[-1][1]


async def test_a_refused_summary_is_tried_less_and_less_often(bot: Bot) -> None:
    await bot.start("a")
    waits = []

    for _ in range(4):
        bot.posts.errors = [SlackUnreachableError("down")] * 9
        await bot.pass_by(timedelta(hours=1))
        stored = await bot.documents.get(f"{ACME}/{KIND}")
        assert stored
        assert stored.due_at
        waits.append((stored.due_at - bot.clock()) / timedelta(minutes=1))

    assert waits == [1, 2, 4, 8]
