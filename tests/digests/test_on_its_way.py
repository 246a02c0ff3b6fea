"""What somebody sends while Slack takes nothing: it comes later, and they read that it has."""

from datetime import timedelta

import pytest

from bot.digests.models import (
    Digest,
    DigestBusyError,
    Mode,
    Outcome,
    Plan,
)
from bot.digests.run_state import is_promised
from bot.keys.key_record import NoKeyError
from bot.slack.errors import (
    ChannelClosedError,
    SlackRateLimitedError,
    SlackUnavailableError,
    SlackUnreachableError,
)
from tests.digests.office import ACME, ADA, BOB, DAILY, EVE, NINE, Office

pytestmark = pytest.mark.anyio

MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)
BUSY = SlackRateLimitedError(30)
REFUSED = SlackUnreachableError("refused")
ON_C2 = Plan(channel_id="C2", schedule=DAILY)


async def send_now(office: Office, error: Exception | None = None) -> Digest:
    """Let Ada press `Send now`; `error` is what Slack answers."""
    office.posts.errors = [error] if error else []
    return await office.desk.send_now(ACME, (await office.digest()).digest_id, by=ADA)


@pytest.mark.parametrize(
    ("error", "after"), [(BUSY, 30 * SECOND), (REFUSED, MINUTE)], ids=["busy", "refused"]
)
async def test_send_now_that_slack_did_not_take_comes_as_soon_as_it_does(
    office: Office, error: Exception, after: timedelta
) -> None:
    await office.make(mode=Mode.WORSE)
    sent = await send_now(office, error)

    await office.at(EVE + after - SECOND)
    before = list(office.posts.posts)
    await office.at(EVE + after)

    assert sent.run is not None
    assert (is_promised(sent.run), sent.run.until) == (True, EVE + after)
    assert (before, len(office.posts.posts)) == ([], 1)
    assert office.posts.notified == [(ADA.user_id, "posted None x1")]
    [run] = (await office.digest()).past
    assert (run.outcome, run.asked_by) == (Outcome.POSTED, ADA.user_id)


async def test_another_process_takes_it_up_also_if_the_one_that_had_it_died() -> None:
    office = Office()
    await office.make()
    await send_now(office, BUSY)
    office.start()
    await office.collecting_at(EVE + MINUTE)
    await office.dies()

    await office.at(EVE + 2 * MINUTE)

    assert len(office.posts.posts) == 1
    assert office.posts.notified == [(ADA.user_id, "posted None x1")]


async def test_nothing_is_promised_that_takes_longer(office: Office) -> None:
    await office.make()

    with pytest.raises(SlackRateLimitedError):
        await send_now(office, SlackRateLimitedError(601))

    assert (await office.digest()).run is None


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (SlackUnavailableError("reset"), ["uncertain slack x1", "uncertain slack x1"]),
        (ChannelClosedError("is_archived"), ["failed archived x1", "paused archived x1"]),
    ],
    ids=["unknown", "closed"],
)
async def test_whatever_becomes_of_it_is_told_to_whoever_waits_and_to_the_owner(
    error: Exception, text: list[str]
) -> None:
    office = Office()
    await office.make()
    await send_now(office, BUSY)
    office.posts.errors = [error]

    await office.at(EVE + MINUTE)

    assert office.posts.posts == []
    assert sorted(office.posts.notified) == list(
        zip([ADA.user_id, BOB.user_id], text, strict=True)
    )


async def test_a_pause_ends_it_and_whoever_waits_reads_so() -> None:
    office = Office()
    digest = await office.make()
    await send_now(office, BUSY)
    await office.desk.pause(ACME, digest.digest_id, by=BOB, until=None)

    await office.at(EVE + MINUTE)

    [(_, told)] = office.posts.posts
    assert told.startswith("bob paused the digest")
    assert office.posts.notified == [(ADA.user_id, "failed slack x1")]


async def test_without_a_key_it_ends_and_whoever_waits_reads_why() -> None:
    office = Office()
    await office.make()
    await send_now(office, BUSY)
    office.lists.error = NoKeyError("removed")

    await office.at(EVE + MINUTE)

    assert (await office.digest()).run is None
    assert sorted(office.posts.notified) == [
        (each.user_id, "failed key x1") for each in (ADA, BOB)
    ]


async def test_a_slot_that_comes_due_meanwhile_is_posted_after_it() -> None:
    office = Office()
    await office.make()
    office.clock.now = NINE - MINUTE
    await send_now(office, SlackRateLimitedError(120))

    await office.at(NINE)
    before = len(office.posts.posts)
    await office.at(NINE + MINUTE)

    runs = (await office.digest()).past
    assert (before, [run.asked_by for run in runs]) == (0, [ADA.user_id, None])
    assert [run.outcome for run in runs] == [Outcome.POSTED] * 2


async def test_whoever_waits_may_press_again_and_others_read_that_it_comes() -> None:
    office = Office()
    digest = await office.make()
    await send_now(office, BUSY)

    with pytest.raises(DigestBusyError):
        await office.desk.send_now(ACME, digest.digest_id, by=BOB)
    sent = await send_now(office)

    assert (sent.run, len(office.posts.posts)) == (None, 1)
    await office.at(EVE + MINUTE)
    assert office.posts.notified == []


@pytest.mark.parametrize("error", [BUSY, REFUSED], ids=["busy", "refused"])
async def test_a_digest_is_saved_also_if_slack_does_not_take_its_announcement(
    error: Exception,
) -> None:
    office = Office()
    office.posts.errors = [error]
    _, is_announced = await office.desk.make(ACME, ON_C2, by=BOB)

    assert (is_announced, office.posts.posts) == (False, [])
    assert (await office.digest()).plan == ON_C2
