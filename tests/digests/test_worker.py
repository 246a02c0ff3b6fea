"""What one tick starts: workers, dead processes, owners who are notified."""

import asyncio
from datetime import timedelta

import pytest

from bot.api_keys.models import KeyDraft
from bot.digests.models import Outcome, RunState, StoppedError
from bot.digests.run_state import newly_ended, was_postponed
from bot.slack.errors import (
    SlackRateLimitedError,
    SlackUnavailableError,
    SlackUnreachableError,
    TokenRefusedError,
)
from bot.tracker.models import UnavailableError
from bot.workspace import WorkspaceId
from tests.builders import ADMIN_ID, KEY
from tests.digests.office import ACME, ADA, BOB, DAY, NINE, Office
from tests.fakes import TIME_LIMIT_S

pytestmark = pytest.mark.anyio

SECOND = timedelta(seconds=1)


async def killed_while(office: Office, *, posting: bool) -> None:
    """Let the process die in the middle of the run of nine o'clock."""
    await office.make()
    office.clock.now = NINE
    is_there = office.lists.is_asked
    is_there.clear()
    if posting:
        is_there = asyncio.Event()

        async def hang() -> None:
            office.posts.before_post = None
            is_there.set()
            await asyncio.Event().wait()

        office.posts.before_post = hang
    else:
        office.lists.gate.clear()
    await office.rounds.run_due()
    await asyncio.wait_for(is_there.wait(), TIME_LIMIT_S)
    await office.tasks.cancel()
    office.lists.gate.set()
    office.start()


async def test_a_run_that_died_while_collecting_is_posted_by_the_next_process(
    office: Office,
) -> None:
    await killed_while(office, posting=False)

    await office.at(NINE + 59 * SECOND)
    early = list(office.posts.posts)
    await office.at(NINE + 61 * SECOND)

    assert (early, len(office.posts.posts), office.posts.notified) == ([], 1, [])


async def test_a_run_that_died_while_posting_is_reported_and_not_posted_again(
    office: Office,
) -> None:
    await killed_while(office, posting=True)

    await office.at(NINE + 61 * SECOND)

    assert [run.outcome for run in (await office.digest()).past] == [Outcome.UNCERTAIN]
    assert office.posts.notified == [(BOB.user_id, "uncertain down x1")]


async def test_what_a_lost_post_would_have_been_compared_with_goes_with_the_next_run(
    office: Office,
) -> None:
    await killed_while(office, posting=True)
    kept = f"{ACME}/digest-baseline/"
    lost = await office.documents.list_keys(kept)

    await office.at(NINE + 61 * SECOND)
    await office.at(NINE + DAY)

    digest = await office.digest()
    assert await office.documents.list_keys(kept) == [
        f"{kept}{digest.digest_id}/{digest.baseline}"
    ]
    assert len(lost) == 1


async def test_missed_slots_are_told_in_one_message_and_the_newest_is_posted(
    office: Office,
) -> None:
    await office.make()

    await office.at(NINE + 3 * DAY + 60 * SECOND)

    assert len(office.posts.posts) == 1
    assert office.posts.notified == [(BOB.user_id, "missed down x3")]


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


async def test_with_nobody_left_to_tell_nobody_is_tried_for_ever(office: Office) -> None:
    await office.make()
    office.posts.gone = {BOB.user_id}

    await office.at(NINE + timedelta(hours=7))

    assert (await office.digest()).notices == ()


@pytest.mark.parametrize(
    ("error", "wait_s"),
    [
        (SlackRateLimitedError(30), 30),
        (SlackRateLimitedError(0), 1),
        (SlackUnavailableError("reset"), 60),
        (SlackUnreachableError("refused"), 60),
        (TokenRefusedError("token_revoked"), 3600),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_what_could_not_be_told_is_told_later(
    office: Office, error: Exception, wait_s: int
) -> None:
    await office.make()
    office.posts.errors = [error]
    late = NINE + timedelta(hours=7)

    await office.at(late)
    await office.at(late + (wait_s - 1) * SECOND)
    early = list(office.posts.notified)
    await office.at(late + wait_s * SECOND)

    assert (early, len(office.posts.notified)) == ([], 1)


async def test_a_digest_that_cannot_be_read_keeps_no_other_from_its_slot(office: Office) -> None:
    await office.make()
    await office.documents.put(f"{ACME}/digest/odd", {"v": 1}, due_at=NINE)

    await office.at(NINE)

    assert len(office.posts.posts) == 1


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


async def test_what_a_queue_hands_over_is_delivered_when_the_call_returns(office: Office) -> None:
    digest = await office.make()
    office.clock.now = NINE

    await office.rounds.deliver(ACME, [digest.digest_id])

    assert len(office.posts.posts) == 1


async def test_what_a_queue_hands_over_twice_is_posted_once(office: Office) -> None:
    digest = await office.make()
    office.clock.now = NINE

    await asyncio.gather(*(office.rounds.deliver(ACME, [digest.digest_id]) for _ in range(2)))
    await office.rounds.deliver(ACME, [digest.digest_id])

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


async def test_a_stop_hands_everything_back_also_when_the_store_failed_at_one(
    office: Office,
) -> None:
    made = [await office.make(channel_id=f"C{number}") for number in range(7)]
    ids = [digest.digest_id for digest in made]
    office.clock.now = NINE
    office.documents.cannot_be_read = {f"{ACME}/digest/{ids[0]}"}
    office.lists.gate.clear()

    has_failed = office.documents.has_failed = asyncio.Event()
    delivering = asyncio.create_task(office.rounds.deliver(ACME, ids))
    await asyncio.wait_for(has_failed.wait(), TIME_LIMIT_S)
    office.rounds.stop()
    office.lists.gate.set()

    with pytest.raises(StoppedError):
        await delivering


async def test_a_queue_need_not_know_of_a_service_that_fails(office: Office) -> None:
    digest = await office.make()
    office.clock.now = NINE
    office.lists.error = UnavailableError("503", is_outcome_unknown=False)

    await office.rounds.deliver(ACME, [digest.digest_id])

    run = (await office.digest()).run
    assert run is not None
    assert run.state is RunState.WAITING


async def test_a_digest_that_was_deleted_is_no_failure_of_the_queue(office: Office) -> None:
    await office.rounds.deliver(ACME, ["0" * 12])

    assert office.posts.posts == []


async def test_each_run_that_ends_is_told_once(office: Office) -> None:
    await office.make()

    await office.at(NINE)
    await office.at(NINE + DAY)

    ended = [run for step in office.steps for run in newly_ended(*step)]
    assert [(run.outcome, run.slot.due_at) for run in ended] == [
        (Outcome.POSTED, NINE),
        (Outcome.POSTED, NINE + DAY),
    ]


async def test_each_time_a_run_is_put_off_is_told_once(office: Office) -> None:
    await office.make()
    office.lists.error = UnavailableError("503", is_outcome_unknown=False)

    await office.at(NINE)
    await office.at(NINE + 61 * SECOND)

    assert sum(was_postponed(*step) for step in office.steps) == 2
