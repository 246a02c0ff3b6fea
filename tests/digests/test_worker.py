"""What one tick starts: workers, dead processes, owners who are notified."""

import asyncio
from datetime import timedelta

import pytest

from bot.digests.models import Outcome, StoppedError
from bot.keys.key_record import KeyDraft
from bot.process.workspace import WorkspaceId
from tests.builders import ADMIN_ID, KEY
from tests.digests.office import ACME, ADA, BOB, DAY, NINE, Office
from tests.fakes import TIME_LIMIT_S

pytestmark = pytest.mark.anyio

SECOND = timedelta(seconds=1)


async def test_a_run_that_died_while_posting_is_reported_and_not_posted_again(
    office: Office,
) -> None:
    await office.make()
    await office.dies_posting_at(NINE)

    await office.at(NINE + 61 * SECOND)

    assert [run.outcome for run in (await office.digest()).past] == [Outcome.UNCERTAIN]
    assert office.posts.notified == [(BOB.user_id, "uncertain down x1")]


async def test_what_a_lost_post_would_have_been_compared_with_goes_with_the_next_run(
    office: Office,
) -> None:
    await office.make()
    await office.dies_posting_at(NINE)
    kept = f"{ACME}/digest-baseline/"
    lost = await office.documents.list_keys(kept)

    await office.at(NINE + 61 * SECOND)
    await office.at(NINE + DAY)

    digest = await office.digest()
    assert await office.documents.list_keys(kept) == [
        f"{kept}{digest.digest_id}/{digest.baseline}"
    ]
    assert len(lost) == 1


async def test_an_owner_who_has_left_is_followed_by_whoever_changed_it_last(
    office: Office,
) -> None:
    digest = await office.make()
    await office.desk.change(ACME, digest.digest_id, digest.plan, by=ADA, version=1)
    office.posts.gone = {BOB.user_id}

    await office.at(NINE + timedelta(hours=7))

    assert office.posts.notified == [(ADA.user_id, "missed down x1")]


async def test_with_everybody_gone_whoever_set_the_key_is_told(office: Office) -> None:
    await office.make()
    draft = KeyDraft(secret=KEY, label="bot", expires_on=None, scopes=())
    await office.keys.save(ACME, draft, set_by=ADMIN_ID)
    office.posts.gone = {BOB.user_id}

    await office.at(NINE + timedelta(hours=7))

    assert office.posts.notified == [(ADMIN_ID, "missed down x1")]


async def test_a_slow_workspace_leaves_workers_to_the_others(office: Office) -> None:
    slow, quick = WorkspaceId("T1"), WorkspaceId("T2")
    for number in range(30):
        await office.make(channel_id=f"C{number % 15}")
    await office.desk.make(quick, (await office.repository.of_workspace(slow))[0].plan, by=BOB)
    office.forget_posts()
    office.lists.gate.clear()
    office.lists.quick = {quick}
    office.clock.now = NINE

    await office.rounds.run_due()
    await asyncio.wait_for(office.posts.is_posted.wait(), TIME_LIMIT_S)

    assert len(office.posts.posts) == 1
    office.lists.gate.set()
    assert await office.tasks.drain(TIME_LIMIT_S)


async def test_a_queue_does_not_begin_again_what_takes_longer_than_its_claim(
    office: Office,
) -> None:
    digest = await office.make()
    await office.collecting_at(NINE)
    office.clock.now = NINE + 61 * SECOND
    office.lists.purposes.clear()

    await office.rounds.deliver(ACME, [digest.digest_id])

    assert office.lists.purposes == []
    office.lists.gate.set()
    assert await office.tasks.drain(TIME_LIMIT_S)
    assert len(office.posts.posts) == 1


async def test_a_queue_is_told_what_a_stop_has_kept_from_beginning(office: Office) -> None:
    digest = await office.make()
    office.clock.now = NINE
    office.rounds.stop()

    with pytest.raises(StoppedError):
        await office.rounds.deliver(ACME, [digest.digest_id])

    assert office.posts.posts == []


async def test_a_queue_is_told_at_which_digests_the_store_failed_and_the_others_are_posted(
    office: Office,
) -> None:
    damaged, sound = await office.make(), await office.make(channel_id="C2")
    office.clock.now = NINE
    office.documents.cannot_be_read = {f"{ACME}/digest/{damaged.digest_id}"}

    failed = await office.rounds.deliver(ACME, [damaged.digest_id, sound.digest_id])

    assert failed == [damaged.digest_id]
    assert len(office.posts.posts) == 1
