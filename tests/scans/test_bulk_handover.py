"""Bulk scans in several processes: nothing is scanned twice, nothing is lost."""

import asyncio
from datetime import timedelta

import pytest

from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from bot.scans.bulk_record import INTERRUPTED
from bot.scans.bulk_runner import LEASE, SHOWN_EVERY_S, BulkScans
from bot.store.documents import Document, StoreError
from tests.fakes import TIME_LIMIT_S
from tests.scans.bulk_bot import ACME, Bot

MOMENTS = timedelta(seconds=1)


async def test_another_process_continues_after_a_kill(bot: Bot) -> None:
    await bot.start("abc")
    await bot.begin_scan()
    await bot.tasks.cancel()  # killed: nothing more is written
    bot.gate.set()
    bot.bulk = bot.process()

    await bot.pass_by()
    assert bot.scanned == ["a"]
    run = await bot.pass_by(LEASE)

    assert bot.scanned == ["a", "b", "c"]
    assert [item.trouble for item in run.done] == [INTERRUPTED, None, None]
    assert "the result is unknown" in bot.summary


async def test_of_two_processes_that_find_it_at_the_same_moment_one_scans(bot: Bot) -> None:
    await bot.start("abc")
    other = bot.process()

    await other.run_due()
    run = await bot.pass_by()

    assert bot.scanned == ["a", "b", "c"]
    assert [item.trouble for item in run.done] == [None, None, None]


async def test_a_long_scan_is_not_taken_over(bot: Bot) -> None:
    await bot.start("a")
    await bot.begin_scan()
    for _ in range(3):
        bot.clock.now += LEASE / 2
        await asyncio.sleep(SHOWN_EVERY_S)  # until it is renewed
    bot.bulk = bot.process()
    await bot.bulk.run_due()
    bot.gate.set()

    run = await bot.pass_by()

    assert bot.scanned == ["a"]
    assert [item.trouble for item in run.done] == [None]


async def test_a_store_failure_costs_no_scan(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    await bot.start("a")
    await bot.begin_scan()
    has_failed = asyncio.Event()

    async def fail(*_args: object, **_how: object) -> Document:
        has_failed.set()
        raise StoreError("the database restarts")

    with monkeypatch.context() as patch:
        patch.setattr(bot.documents, "put", fail)
        await has_failed.wait()
    bot.gate.set()

    run = await bot.pass_by()

    assert [item.trouble for item in run.done] == [None]


async def test_a_process_taken_for_dead_stops_writing(bot: Bot) -> None:
    await bot.start("ab")
    bot.gate.clear()
    first, bot.bulk = bot.bulk, bot.process()
    await first.run_due()
    await bot.is_asked.wait()
    bot.clock.now += LEASE
    await bot.begin_scan()
    await bot.finish()

    run = await bot.bulk.last(ACME)
    assert run
    assert bot.scanned == ["a", "b"]
    assert [item.trouble for item in run.done] == [INTERRUPTED, None]
    assert run.done[1].facts
    assert [issue.title for issue in run.done[1].facts.issues] == ["b", "mild"]


async def test_a_stop_of_the_process_hands_it_over_at_once(bot: Bot) -> None:
    await bot.start("ab")
    await bot.begin_scan()
    bot.tasks.stop()
    await bot.finish()
    bot.tasks = Tasks()
    bot.bulk = bot.process()

    await bot.pass_by()

    assert bot.scanned == ["a", "b"]


async def test_a_third_workspace_does_not_wait_for_two_long_ones(bot: Bot) -> None:
    workspaces = [WorkspaceId(f"T{number}") for number in range(BulkScans.at_once + 1)]
    bot.gate.clear()
    for workspace in workspaces:
        await bot.start("abcd", workspace)
        bot.clock.now += MOMENTS
    await bot.bulk.run_due()
    await bot.is_asked.wait()
    bot.gate.set()
    assert await bot.tasks.drain(TIME_LIMIT_S)

    done = [len(run.done) for each in workspaces if (run := await bot.bulk.last(each))]
    assert done == [1, 4, 4]  # the first one made room


async def test_a_forgotten_workspace_gets_nothing_more(bot: Bot) -> None:
    await bot.start("abc")
    await bot.begin_scan()
    await bot.documents.delete_prefix(f"{ACME}/")
    await bot.finish()

    assert bot.scanned == ["a"]
    assert await bot.bulk.last(ACME) is None
    assert len(bot.posts.notified) == 1
