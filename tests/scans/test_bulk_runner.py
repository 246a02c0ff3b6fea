"""Bulk scans: each domain once, waits, failures and every end.

The messages of a bulk scan reach the person, each once.
"""

from datetime import timedelta
from typing import Any

import pytest

from bot.keys.key_record import NoKeyError
from bot.keys.workspace_tracker import LackingScopeError
from bot.process.errors import BotError
from bot.scans.bulk_record import (
    FAILURES_IN_ROW,
    KIND,
    MAX_DOMAINS,
    RESERVE_PAUSE,
    BulkScanRunsError,
    End,
    items_of,
)
from bot.scans.bulk_runner import LEASE, SHOWN_EVERY_S
from bot.slack.client import SentMessage
from bot.slack.errors import PersonUnreachableError, SlackUnreachableError
from bot.tracker.models import (
    InvalidKeyError,
    IpNotAllowedError,
    RateLimitedError,
    RejectedError,
    ReserveReachedError,
    TimedOutError,
    TooBusyError,
    UnavailableError,
)
from tests.builders import a_domain
from tests.fakes import TIME_LIMIT_S
from tests.loops import loop_over
from tests.scans.bulk_bot import ACME, BOB, Bot

DOWN = UnavailableError("down", status=503)


async def test_each_domain_is_scanned_once_and_the_list_is_asked_once(bot: Bot) -> None:
    await bot.start("abca")

    run = await bot.pass_by()
    await bot.pass_by(timedelta(days=1))

    assert bot.scanned == ["a", "b", "c"]
    assert len(bot.lists.asked) == 1
    assert run.end is End.DONE
    assert [item.score_after for item in run.done] == [41, 41, 41]
    assert [who for who, _ in bot.posts.notified] == [BOB, BOB]
    assert "3 domains scanned." in bot.summary


async def test_of_more_than_one_takes_the_first_are_scanned(bot: Bot) -> None:
    run = await bot.start("".join(map(chr, range(0x4E00, 0x4E00 + MAX_DOMAINS + 5))))

    assert [item.domain_id for item in run.left] == list(map(chr, range(0x4E00, 0x4E00 + 200)))


@loop_over(("takes_s", "shown"), [(0.0, [0, 3]), (SHOWN_EVERY_S + 1, [0, 1, 2, 3])])
async def test_progress_is_shown_but_not_too_often(takes_s: float, shown: list[int]) -> None:
    bot = Bot(takes_s=takes_s)
    await bot.start("abc")

    await bot.pass_by()

    texts = [text for _, text in bot.posts.edited]
    assert [int(text.partition(" of 3 done")[0][-1]) for text in texts] == shown


async def test_progress_held_back_is_shown_during_the_next_scan(bot: Bot) -> None:
    await bot.start("ab")
    await bot.begin_scan()
    bot.takes_s = SHOWN_EVERY_S + 1
    bot.gate.set()
    await bot.finish()

    assert "1 of 2 done" in bot.posts.edited[1][1]


@loop_over(
    ("error", "wait"),
    [
        (RateLimitedError(300), timedelta(seconds=300)),
        (ReserveReachedError(60), RESERVE_PAUSE),
        (TooBusyError(), timedelta(minutes=1)),
    ],
)
async def test_a_stop_ends_the_wait_for_requests(error: BotError, wait: timedelta) -> None:
    bot = Bot()
    bot.errors = {"a": [error], "b": [error]}
    run = await bot.start("abc")

    await bot.pass_by()
    early = await bot.pass_by(wait - timedelta(seconds=1))
    waits = await bot.pass_by(timedelta(seconds=1))
    await bot.bulk.stop(ACME, run.run_id, BOB)
    after = await bot.pass_by()

    assert "Waiting for free requests" in bot.posts.edited[1][1]
    assert early.done == ()
    assert waits.waits_until
    assert bot.scanned == ["a", "a", "b"]
    assert after.end is End.STOPPED
    assert [item.trouble for item in after.done] == [None]


async def test_a_failed_domain_is_named_and_the_others_are_scanned(bot: Bot) -> None:
    bot.errors = {"a": [RejectedError(404, "gone")], "b": [TimedOutError(is_outcome_unknown=True)]}
    await bot.start("abc")

    run = await bot.pass_by()

    assert [item.trouble for item in run.done] == ["rejected", "timed_out", None]
    assert "1 of 3 domains scanned, 2 failed" in bot.summary
    assert "a.example: Domain Tracker declined it" in bot.summary
    assert "may still have been scanned" in bot.summary


async def test_a_service_that_is_down_ends_it(bot: Bot) -> None:
    bot.errors = {name: [DOWN] for name in "abcdefgh"}
    await bot.start("abcdefgh")

    run = await bot.pass_by()

    assert run.end is End.FAILING
    assert len(bot.scanned) == len(run.done) == FAILURES_IN_ROW
    assert bot.lists.asked == []
    assert "several scans in a row failed" in bot.summary


async def test_failures_between_scans_do_not_end_it(bot: Bot) -> None:
    names = "abcdefghi"
    bot.errors = {name: [DOWN] for name in names.replace("e", "")}
    await bot.start(names)

    run = await bot.pass_by()

    assert run.end is End.DONE
    assert len(run.failed) == len(names) - 1


@loop_over(
    "error, end, words",
    [
        (InvalidKeyError(), End.KEY, "can't be used for scans"),
        (IpNotAllowedError(), End.KEY, "can't be used for scans"),
        (NoKeyError(), End.REMOVED, "the API key was removed"),
        (LackingScopeError("scan"), End.SCOPE, "the API key has no scope for scans"),
    ],
)
async def test_a_key_that_stops_working_ends_it(error: BotError, end: End, words: str) -> None:
    bot = Bot()
    bot.errors = {"b": [error]}
    await bot.start("abc")

    run = await bot.pass_by()

    assert run.end is end
    assert words in bot.summary
    assert [item.host for item in run.left] == ["b.example", "c.example"]
    assert "`/domainkey`" not in bot.summary
    assert "/domainkey" in bot.summary


def test_a_domain_without_an_id_is_left_out() -> None:
    assert items_of([a_domain(domain_id=None)]) == []


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
