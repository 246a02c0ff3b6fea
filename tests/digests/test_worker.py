"""What one tick starts: workers, dead processes, owners who are notified."""

import asyncio
from datetime import timedelta

import pytest

from bot.digests.models import StoppedError
from bot.keys.key_record import KeyDraft
from bot.process.workspace import WorkspaceId
from bot.store.documents import StoreError
from tests.builders import ADMIN_ID, KEY
from tests.digests.builders import ACME, ADA, BOB, NINE, Bot
from tests.fakes import TIME_LIMIT_S

SECOND = timedelta(seconds=1)


async def test_the_last_editor_is_notified_when_the_owner_has_left(bot: Bot) -> None:
    digest = await bot.make()
    await bot.service.change(ACME, digest.digest_id, digest.plan, by=ADA, version=1)
    bot.posts.gone = {BOB.user_id}

    await bot.at(NINE + timedelta(hours=7))

    assert bot.posts.notified == [(ADA.user_id, "missed down x1")]


async def test_the_setter_of_the_key_is_notified_when_all_have_left(bot: Bot) -> None:
    await bot.make()
    draft = KeyDraft(secret=KEY, label="bot", expires_on=None, scopes=())
    await bot.keys.save(ACME, draft, set_by=ADMIN_ID)
    bot.posts.gone = {BOB.user_id}

    await bot.at(NINE + timedelta(hours=7))

    assert bot.posts.notified == [(ADMIN_ID, "missed down x1")]


async def test_a_slow_workspace_leaves_workers_to_the_others(bot: Bot) -> None:
    slow, quick = WorkspaceId("T1"), WorkspaceId("T2")
    for number in range(30):
        await bot.make(channel_id=f"C{number}")
    await bot.service.make(quick, (await bot.repository.of_workspace(slow))[0].plan, by=BOB)
    bot.forget_posts()
    bot.lists.gate.clear()
    bot.lists.quick = {quick}
    bot.clock.now = NINE

    await bot.worker.run_due()
    await asyncio.wait_for(bot.posts.is_posted.wait(), TIME_LIMIT_S)

    assert len(bot.posts.posts) == 1
    bot.lists.gate.set()
    assert await bot.tasks.drain(TIME_LIMIT_S)


async def test_a_queue_does_not_restart_a_run_that_is_under_way(bot: Bot) -> None:
    digest = await bot.make()
    await bot.collecting_at(NINE)
    bot.clock.now = NINE + 61 * SECOND
    bot.lists.purposes.clear()

    await bot.worker.deliver(ACME, [digest.digest_id])

    assert bot.lists.purposes == []
    bot.lists.gate.set()
    assert await bot.tasks.drain(TIME_LIMIT_S)
    assert len(bot.posts.posts) == 1


async def test_a_stop_refuses_new_work_of_a_queue(bot: Bot) -> None:
    digest = await bot.make()
    bot.clock.now = NINE
    bot.tasks.stop()

    with pytest.raises(StoppedError):
        await bot.worker.deliver(ACME, [digest.digest_id])

    assert bot.posts.posts == []


async def test_a_queue_learns_that_the_store_could_not_read_a_digest(bot: Bot) -> None:
    damaged, sound = await bot.make(), await bot.make(channel_id="C2")
    bot.clock.now = NINE
    bot.documents.cannot_be_read = {f"{ACME}/digest/{damaged.digest_id}"}

    with pytest.raises(StoreError):
        await bot.worker.deliver(ACME, [damaged.digest_id, sound.digest_id])

    assert len(bot.posts.posts) == 1
