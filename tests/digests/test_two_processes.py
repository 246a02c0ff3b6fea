"""Two processes with one digest: which of them may go on with a run, and until when."""

import asyncio
from datetime import timedelta

import pytest

from bot.digests.models import Outcome
from bot.keys.failures import FailureReason
from bot.keys.key_record import NoKeyError
from tests.digests.office import ACME, BOB, DAY, EVE, NINE, Office, ends, send_now
from tests.fakes import TIME_LIMIT_S

pytestmark = pytest.mark.anyio

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
LOST = (Outcome.MISSED, FailureReason.DOWN)


@pytest.fixture
def office() -> Office:
    """Return an office with its store in memory: another store does the same, more slowly."""
    return Office()


def beside(office: Office) -> Office:
    """Return another process on the same store, which posts into the same channels."""
    return Office(clock=office.clock, documents=office.documents, posts=office.posts)


async def dead_at(office: Office, *hours: float) -> None:
    """Let a process die while it collects, at each of these hours after nine."""
    for each in hours:
        await office.collecting_at(NINE + each * HOUR)
        await office.dies()


async def hand_over(office: Office) -> None:
    """Give the digest to this process, as a queue may do again with one that is in work."""
    await office.rounds.deliver(ACME, [(await office.digest()).digest_id])


async def test_a_run_at_work_is_left_to_its_worker_for_a_minute(office: Office) -> None:
    await office.make()
    await office.collecting_at(NINE)

    office.clock.now = NINE + 59 * SECOND
    await hand_over(beside(office))
    early = list(office.posts.posts)
    office.clock.now = NINE + MINUTE
    await hand_over(beside(office))

    assert (early, len(office.posts.posts)) == ([], 1)
    office.lists.gate.set()
    assert await office.tasks.drain(TIME_LIMIT_S)
    assert ends(await office.digest()) == [(Outcome.POSTED, None)]


async def test_a_post_under_way_is_not_uncertain_for_another_process(office: Office) -> None:
    await office.make()
    other = beside(office)

    async def look() -> None:
        office.posts.before_post = None
        office.clock.now = NINE + 59 * SECOND
        await hand_over(other)

    office.posts.before_post = look
    await office.at(NINE)

    assert (len(office.posts.posts), office.posts.notified) == (1, [])
    assert ends(await office.digest()) == [(Outcome.POSTED, None)]


async def test_send_now_of_a_process_that_died_is_reported_and_not_sent(office: Office) -> None:
    await office.make()
    office.lists.gate.clear()
    sending = asyncio.create_task(send_now(office))
    await office.lists.is_asked.wait()
    sending.cancel()
    await asyncio.wait({sending})
    await office.dies()

    await office.at(EVE + MINUTE)

    assert office.posts.posts == []
    assert ends(await office.digest()) == [(Outcome.FAILED, FailureReason.DOWN)]
    assert office.posts.notified == [(BOB.user_id, "failed down x1")]


async def test_a_run_whose_process_died_is_missed_when_the_next_slot_takes_its_place(
    office: Office,
) -> None:
    await office.make()
    await dead_at(office, 0)

    await office.at(NINE + DAY)

    assert ends(await office.digest()) == [LOST, (Outcome.POSTED, None)]
    assert office.posts.notified == [(BOB.user_id, "missed down x1")]


async def test_after_a_new_key_a_run_has_an_hour_and_no_more(office: Office) -> None:
    await office.make()
    office.lists.error = NoKeyError("none")
    await office.at(NINE)
    office.lists.error = None
    await office.desk.retry_waiting(ACME)
    await dead_at(office, 9)

    await office.at(NINE + 10 * HOUR)

    assert ends(await office.digest()) == [LOST]
