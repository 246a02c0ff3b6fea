"""What people do to a digest whose run is under way, waits, or was left by a dead process."""

import asyncio
from datetime import timedelta

import pytest

from bot.digests.models import Digest, DigestBusyError, LostClaimError, Mode, Outcome
from bot.keys.failures import FailureReason
from bot.slack.errors import ChannelClosedError, SlackRateLimitedError
from bot.tracker.models import UnavailableError
from tests.digests.office import ACME, BOB, DAY, EVE, NINE, Office, ends, replan, send_now

pytestmark = pytest.mark.anyio

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
DOWN = UnavailableError("down", is_outcome_unknown=False)
CLOSED = ChannelClosedError("is_archived")


@pytest.fixture
def office() -> Office:
    """Return an office with its store in memory: another store does the same, more slowly."""
    return Office()


def digests(office: Office) -> list[str]:
    """Return the channels into which digests came, without the announcements."""
    return [channel for channel, text in office.posts.posts if text.startswith("digest")]


async def pause(office: Office) -> Digest:
    return await office.desk.pause(ACME, (await office.digest()).digest_id, by=BOB, until=None)


async def test_a_change_of_anything_but_the_filter_keeps_the_trend_and_the_silence(
    office: Office,
) -> None:
    await office.make(mode=Mode.CHANGES, heartbeat_every=2)
    for day in range(2):
        await office.at(NINE + day * DAY)

    await replan(office, worst_count=5)
    for day in range(2, 4):
        await office.at(NINE + day * DAY)
    post = await office.desk.preview(ACME, await office.digest())

    assert [text for _, text in office.posts.posts][1:] == ["heartbeat after 2"]
    assert [point.average for point in post.trend] == [41] * 5


async def test_other_bounds_of_the_score_begin_the_silence_and_no_comparison(
    office: Office,
) -> None:
    await office.make(mode=Mode.CHANGES, heartbeat_every=2, filter_text="below:50")
    for day in range(3):
        await office.at(NINE + day * DAY)

    await replan(office, filter_text="below:60")
    await office.at(NINE + 3 * DAY)
    digest = await office.digest()

    assert len(office.posts.posts) == 1
    assert [run.average for run in digest.past] == [None, None, None, 41]
    assert digest.silent_runs == 1


async def test_a_filter_that_changes_in_the_middle_of_a_post_leaves_nothing_to_compare_with(
    office: Office,
) -> None:
    await office.make()
    await office.at(NINE)

    async def change() -> None:
        office.posts.before_post = None
        await replan(office, filter_text="shop")

    office.posts.before_post = change
    await office.at(NINE + DAY)
    digest = await office.digest()

    assert len(digests(office)) == 2
    assert (digest.baseline, [run.average for run in digest.past]) == (None, [None, None])
    assert await office.documents.list_prefix(f"{ACME}/digest-baseline/") == []


async def test_a_change_while_the_list_is_collected_begins_the_run_again_at_once(
    office: Office,
) -> None:
    await office.make()
    await office.collecting_at(NINE)

    await replan(office, channel_id="C2")
    office.lists.gate.set()
    await office.at(NINE)

    assert digests(office) == ["C2"]
    assert ends(await office.digest()) == [(Outcome.POSTED, None)]


async def test_send_now_that_a_change_calls_off_is_no_loss_to_report(office: Office) -> None:
    await office.make()
    office.lists.gate.clear()
    sending = asyncio.create_task(send_now(office))
    await office.lists.is_asked.wait()

    await replan(office, worst_count=5)
    office.lists.gate.set()
    with pytest.raises(LostClaimError):
        await sending
    await office.at(EVE + HOUR)

    assert (ends(await office.digest()), office.posts.notified) == ([], [])


async def test_a_post_that_its_old_channel_refused_is_not_posted_into_the_new_one(
    office: Office,
) -> None:
    await office.make()

    async def move() -> None:
        office.posts.before_post = None
        await replan(office, channel_id="C2")
        office.posts.errors = [CLOSED]

    office.posts.before_post = move
    await office.at(NINE)

    digest = await office.digest()
    assert (digests(office), digest.pause) == ([], None)
    assert ends(digest) == [(Outcome.FAILED, FailureReason.ARCHIVED)]


async def test_slots_that_are_due_and_called_off_by_a_pause_are_recorded_after_the_others(
    office: Office,
) -> None:
    await office.make()
    await office.at(NINE)
    office.clock.now = NINE + 3 * DAY  # to the second, and before the tick

    paused = await pause(office)

    assert ends(paused) == [(Outcome.POSTED, None), *[(Outcome.FAILED, FailureReason.CHANGED)] * 3]
    assert [(run.slot.due_at - NINE).days for run in paused.past] == [0, 1, 2, 3]
    assert paused.next.due_at == NINE + 4 * DAY


async def test_a_run_that_a_pause_calls_off_at_work_says_so(office: Office) -> None:
    await office.make()
    await office.collecting_at(NINE)

    paused = await pause(office)
    office.lists.gate.set()
    await office.at(NINE)

    assert ends(paused) == [(Outcome.FAILED, FailureReason.CHANGED)]
    assert digests(office) == []


async def test_a_pause_calls_off_send_now_without_a_word(office: Office) -> None:
    await office.make()
    office.lists.gate.clear()
    sending = asyncio.create_task(send_now(office))
    await office.lists.is_asked.wait()

    paused = await pause(office)
    office.lists.gate.set()

    with pytest.raises(LostClaimError):
        await sending
    assert (paused.run, paused.past) == (None, ())
    assert await office.documents.list_prefix(f"{ACME}/digest-baseline/") == []


async def test_what_is_sent_now_is_taken_up_by_no_one_else(office: Office) -> None:
    await office.make()
    office.lists.error = DOWN
    await office.at(NINE)
    office.lists.error = None
    office.lists.gate.clear()
    office.lists.is_asked.clear()
    office.clock.now = NINE + MINUTE
    sending = asyncio.create_task(send_now(office))
    await office.lists.is_asked.wait()

    await office.at(NINE + MINUTE)
    with pytest.raises(DigestBusyError):
        await send_now(office)
    office.lists.gate.set()

    assert ends(await sending) == [(Outcome.POSTED, None)]


async def test_send_now_follows_a_dead_process_after_its_minute(office: Office) -> None:
    await office.make()
    await office.collecting_at(NINE)
    await office.dies()

    office.clock.now = NINE + 59 * SECOND
    with pytest.raises(DigestBusyError):
        await send_now(office)
    office.clock.now = NINE + MINUTE
    await send_now(office)

    assert len(digests(office)) == 1


async def test_send_now_after_a_process_that_died_while_posting_is_another_post(
    office: Office,
) -> None:
    await office.make()
    await office.dies_posting_at(NINE)
    office.clock.now = NINE + MINUTE

    sent = await send_now(office)
    await office.at(NINE + MINUTE)

    assert ends(sent) == [(Outcome.UNCERTAIN, FailureReason.DOWN), (Outcome.POSTED, None)]
    assert office.posts.notified == [(BOB.user_id, "uncertain down x1")]


async def resume(office: Office) -> Digest:
    return await office.desk.resume(ACME, (await office.digest()).digest_id, by=BOB)


async def test_a_digest_paused_and_resumed_in_the_middle_of_its_post_is_not_tried_again(
    office: Office,
) -> None:
    await office.make()

    async def act() -> None:
        office.posts.before_post = None
        await pause(office)
        await resume(office)
        office.posts.errors = [SlackRateLimitedError(30)]

    office.posts.before_post = act
    await office.at(NINE)

    assert ends(await office.digest()) == [(Outcome.FAILED, FailureReason.SLACK)]
