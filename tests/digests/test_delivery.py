"""Runs from claim to end, with a list, channels and people that may fail."""

from datetime import timedelta

import pytest

from bot.digests.models import Mode, Outcome, RunState
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
from tests.digests.builders import BOB, DAY, NINE, Bot, outcomes

HOUR = timedelta(hours=1)
DOWN = UnavailableError("down", is_outcome_unknown=False)


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
async def test_a_mode_decides_whether_to_post(
    bot: Bot, mode: Mode, score: float, is_posted: bool
) -> None:
    await bot.make(mode=mode)
    await bot.at(NINE)
    bot.posts.posts.clear()
    bot.lists.domains = (a_domain(score=score),)

    await bot.at(NINE + DAY)

    assert bool(bot.posts.posts) is is_posted
    assert outcomes(await bot.digest())[-1] is (Outcome.POSTED if is_posted else Outcome.QUIET)


async def test_a_heartbeat_follows_the_chosen_number_of_quiet_runs(bot: Bot) -> None:
    await bot.make(mode=Mode.CHANGES, heartbeat_every=2)

    for day in range(7):
        await bot.at(NINE + day * DAY)

    beat = ("C1", "heartbeat after 2")
    assert bot.posts.posts[1:] == [beat, beat]


@pytest.mark.parametrize(
    ("mode", "count"), [(Mode.ALWAYS, 3), (Mode.CHANGES, 0), (Mode.WORSE, 0)], ids=str
)
async def test_an_empty_digest_comes_only_in_mode_always(bot: Bot, mode: Mode, count: int) -> None:
    await bot.make(filter_text="below:10", mode=mode)

    for day in range(3):
        await bot.at(NINE + day * DAY)

    assert len(bot.posts.posts) == count


TROUBLES = [
    (DOWN, FailureReason.SERVICE, 60),
    (NoKeyError("none"), FailureReason.KEY, 10),
    (InvalidKeyError("refused"), FailureReason.KEY, 10),
    (RateLimitedError(90), FailureReason.RATE, 90),
    (UnreadableSecretError("sealed with another key"), FailureReason.KEY, 10),
]


@pytest.mark.parametrize(
    ("error", "trouble", "wait_s"), TROUBLES, ids=[type(row[0]).__name__ for row in TROUBLES]
)
async def test_a_run_without_a_list_waits(
    bot: Bot, error: BotError, trouble: FailureReason, wait_s: int
) -> None:
    await bot.make()
    bot.lists.error = error

    await bot.at(NINE)

    run = (await bot.digest()).run
    assert bot.posts.posts == []
    assert run is not None
    assert (run.state, run.trouble) == (RunState.WAITING, trouble)
    assert run.until - NINE == timedelta(seconds=wait_s)


@pytest.mark.parametrize(
    ("code", "trouble"),
    [
        ("is_archived", FailureReason.ARCHIVED),
        ("not_in_channel", FailureReason.NOT_IN_CHANNEL),
        ("channel_not_found", FailureReason.NOT_FOUND),
        ("restricted_action", FailureReason.RESTRICTED),
        ("restricted_action_read_only_channel", FailureReason.RESTRICTED),
    ],
)
async def test_a_closed_channel_is_paused(bot: Bot, code: str, trouble: FailureReason) -> None:
    await bot.make()
    bot.posts.errors = [ChannelClosedError(code)]

    for day in range(3):
        await bot.at(NINE + day * DAY)

    pause = (await bot.digest()).pause
    assert pause is not None
    assert pause.why is trouble
    assert bot.posts.notified == [(BOB.user_id, f"paused {trouble.value} x1")]


@pytest.mark.parametrize("is_lost", [True, False], ids=["posted", "not posted"])
async def test_an_uncertain_post_is_not_repeated_but_reported(bot: Bot, is_lost: bool) -> None:
    await bot.make()
    bot.posts.errors, bot.posts.is_lost = [SlackUnavailableError("reset")], is_lost

    await bot.at(NINE)
    await bot.at(NINE + HOUR)

    assert len(bot.posts.posts) == is_lost
    assert outcomes(await bot.digest()) == [Outcome.UNCERTAIN]
    assert bot.posts.notified == [(BOB.user_id, "uncertain slack x1")]


async def test_a_refused_token_is_tried_once_an_hour(bot: Bot) -> None:
    await bot.make()
    bot.posts.errors = [TokenRefusedError("account_inactive")] * 2

    for minutes in range(0, 60, 10):
        await bot.at(NINE + timedelta(minutes=minutes))

    assert len(bot.posts.errors) == 1


async def test_without_the_app_no_list_is_asked_for(bot: Bot) -> None:
    await bot.make()
    bot.posts.is_uninstalled = True

    await bot.at(NINE)

    run = (await bot.digest()).run
    assert run is not None
    assert run.trouble is FailureReason.UNINSTALLED
    assert bot.lists.asked == []


async def test_a_wait_for_its_turn_is_not_an_uncertain_post(bot: Bot) -> None:
    await bot.make()
    bot.posts.turn_errors = [SlackRateLimitedError(30)]

    await bot.at(NINE)

    run = (await bot.digest()).run
    assert run is not None
    assert run.state is RunState.WAITING


async def test_a_store_that_fails_after_the_post_leaves_the_run_uncertain(bot: Bot) -> None:
    await bot.make()

    async def fail() -> None:
        bot.documents.is_full = True

    bot.posts.before_post = fail
    await bot.at(NINE)
    bot.posts.before_post, bot.documents.is_full = None, False
    await bot.at(NINE + timedelta(seconds=61))

    assert outcomes(await bot.digest()) == [Outcome.UNCERTAIN]
