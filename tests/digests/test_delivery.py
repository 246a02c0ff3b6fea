"""Runs from claim to end, with a list, channels and people that may fail."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.digests.models import LostClaimError, Mode, Outcome, RunState
from bot.keys.failures import FailureReason
from bot.keys.key_record import NoKeyError
from bot.process.errors import BotError
from bot.slack.errors import (
    ChannelClosedError,
    SlackRateLimitedError,
    SlackUnavailableError,
    TokenRefusedError,
)
from bot.store.documents import UnreadableSecretError
from bot.tracker.models import InvalidKeyError, RateLimitedError, UnavailableError
from tests.builders import a_domain
from tests.digests.office import ACME, BOB, DAY, NINE, Office, outcomes

pytestmark = pytest.mark.anyio

HOUR = timedelta(hours=1)
DOWN = UnavailableError("down", is_outcome_unknown=False)


@pytest.fixture
def office() -> Office:
    """Return an office with its store in memory: another store does the same, more slowly."""
    return Office()


@pytest.mark.parametrize(
    ("mode", "score", "is_posted"),
    [
        (Mode.ALWAYS, 41, True),
        (Mode.CHANGES, 41, False),
        (Mode.CHANGES, 90, True),
        (Mode.WORSE, 90, False),
        (Mode.WORSE, 20, True),
    ],
    ids=lambda value: str(value),
)
async def test_a_mode_says_when_there_is_something_to_say(
    office: Office, mode: Mode, score: float, is_posted: bool
) -> None:
    await office.make(mode=mode)
    await office.at(NINE)
    office.posts.posts.clear()
    office.lists.domains = (a_domain(score=score),)

    await office.at(NINE + DAY)

    assert bool(office.posts.posts) is is_posted
    assert outcomes(await office.digest())[-1] is (Outcome.POSTED if is_posted else Outcome.QUIET)


async def test_slow_drift_is_told_although_no_day_alone_is_worth_it(office: Office) -> None:
    await office.make(mode=Mode.WORSE)
    await office.at(NINE)
    office.posts.posts.clear()

    for day in (1, 2):
        office.lists.domains = (a_domain(score=41 - 3 * day),)
        await office.at(NINE + day * DAY)

    assert len(office.posts.posts) == 1


async def test_a_sign_of_life_comes_after_so_many_silent_runs(office: Office) -> None:
    await office.make(mode=Mode.CHANGES, heartbeat_every=2)

    for day in range(7):
        await office.at(NINE + day * DAY)

    beat = ("C1", "heartbeat after 2")
    assert office.posts.posts[1:] == [beat, beat]


@pytest.mark.parametrize(
    ("mode", "count"), [(Mode.ALWAYS, 3), (Mode.CHANGES, 0), (Mode.WORSE, 0)], ids=str
)
async def test_an_empty_digest_is_left_out_unless_it_is_to_come_always(
    office: Office, mode: Mode, count: int
) -> None:
    await office.make(filter_text="below:10", mode=mode)

    for day in range(3):
        await office.at(NINE + day * DAY)

    assert len(office.posts.posts) == count


TROUBLES = [
    (DOWN, FailureReason.SERVICE, 60),
    (NoKeyError("none"), FailureReason.KEY, 300),
    (InvalidKeyError("refused"), FailureReason.KEY, 300),
    (RateLimitedError(90), FailureReason.RATE, 90),
    (UnreadableSecretError("sealed with another key"), FailureReason.KEY, 300),
]


@pytest.mark.parametrize(
    ("error", "trouble", "wait_s"), TROUBLES, ids=[type(row[0]).__name__ for row in TROUBLES]
)
async def test_without_a_list_nothing_is_posted_and_the_run_waits(
    office: Office, error: BotError, trouble: FailureReason, wait_s: int
) -> None:
    await office.make()
    office.lists.error = error

    await office.at(NINE)

    run = (await office.digest()).run
    assert office.posts.posts == []
    assert run is not None
    assert (run.state, run.trouble) == (RunState.WAITING, trouble)
    assert run.until - NINE == timedelta(seconds=wait_s)


@pytest.mark.parametrize(
    ("code", "trouble"),
    [
        ("is_archived", FailureReason.ARCHIVED),
        ("not_in_channel", FailureReason.NOT_IN_CHANNEL),
        ("channel_not_found", FailureReason.NOT_FOUND),
        ("restricted_action_read_only_channel", FailureReason.RESTRICTED),
    ],
)
async def test_a_closed_channel_pauses_its_digest_and_tells_the_owner_once(
    office: Office, code: str, trouble: FailureReason
) -> None:
    await office.make()
    office.posts.errors = [ChannelClosedError(code)]

    for day in range(3):
        await office.at(NINE + day * DAY)

    pause = (await office.digest()).pause
    assert pause is not None
    assert pause.why is trouble
    assert office.posts.notified == [(BOB.user_id, f"paused {trouble.value} x1")]


@pytest.mark.parametrize("is_lost", [True, False], ids=["posted", "not posted"])
async def test_what_may_have_been_posted_is_never_repeated_and_the_owner_is_told(
    office: Office, is_lost: bool
) -> None:
    await office.make()
    office.posts.errors, office.posts.is_lost = [SlackUnavailableError("reset")], is_lost

    await office.at(NINE)
    await office.at(NINE + HOUR)

    assert len(office.posts.posts) == is_lost
    assert outcomes(await office.digest()) == [Outcome.UNCERTAIN]
    assert office.posts.notified == [(BOB.user_id, "uncertain slack x1")]


async def test_a_refused_token_is_tried_once_an_hour(office: Office) -> None:
    await office.make()
    office.posts.errors = [TokenRefusedError("account_inactive")] * 2

    for minutes in range(0, 60, 10):
        await office.at(NINE + timedelta(minutes=minutes))

    assert len(office.posts.errors) == 1


async def test_a_wait_for_its_turn_is_not_an_uncertain_post(office: Office) -> None:
    await office.make()
    office.posts.turn_errors = [SlackRateLimitedError(30)]

    await office.at(NINE)

    run = (await office.digest()).run
    assert run is not None
    assert run.state is RunState.WAITING


async def test_a_store_that_fails_after_the_post_leaves_the_run_uncertain(office: Office) -> None:
    await office.make()

    async def fail() -> None:
        office.documents.is_full = True

    office.posts.before_post = fail
    await office.at(NINE)
    office.posts.before_post, office.documents.is_full = None, False
    await office.at(NINE + timedelta(seconds=61))

    assert outcomes(await office.digest()) == [Outcome.UNCERTAIN]


async def test_a_digest_with_a_new_filter_begins_anew(office: Office) -> None:
    digest = await office.make(mode=Mode.CHANGES)
    await office.at(NINE)
    digest = await office.digest()
    plan = replace(digest.plan, filter_text="shop")
    await office.desk.change(ACME, digest.digest_id, plan, by=BOB, version=digest.version)

    await office.at(NINE + DAY)

    assert len(office.posts.posts) == 2
    assert [run.average for run in (await office.digest()).past] == [None, 41]


async def test_what_the_next_post_is_compared_with_is_kept_from_a_worker_that_comes_late(
    office: Office,
) -> None:
    digest = await office.make()
    await office.at(NINE)
    posted = await office.digest()
    assert posted.baseline

    with pytest.raises(LostClaimError):
        await office.delivery.deliver(ACME, posted, posted.baseline)

    assert posted.baseline in await office.repository.baselines(ACME, digest.digest_id)
