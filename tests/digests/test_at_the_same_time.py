"""What people do, and what breaks, in the very middle of a run."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from operator import itemgetter
from typing import Any

import pytest

from bot.blocks.message import Message
from bot.digests.delivery import DigestRenderer
from bot.digests.models import Outcome, RunState
from bot.digests.report import Post
from bot.keys.failures import FailureReason
from bot.keys.key_record import NoKeyError
from bot.slack.errors import (
    ChannelClosedError,
    SlackRefusedError,
    SlackUnavailableError,
    SlackUnreachableError,
    TokenRefusedError,
)
from bot.store.documents import Document, StoreError
from tests.digests.office import (
    ACME,
    ADA,
    BOB,
    DAY,
    NINE,
    DocumentsOnDisk,
    Office,
    an_alert,
    announcement,
    outcomes,
)
from tests.fakes import TIME_LIMIT_S

pytestmark = pytest.mark.anyio

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)


@pytest.fixture
def office() -> Office:
    """Return an office with its store in memory: another store does the same, more slowly."""
    return Office()


async def test_moving_on_from_a_closed_channel_ends_the_pause_that_it_caused(
    office: Office,
) -> None:
    digest = await office.make()
    office.posts.errors = [ChannelClosedError("is_archived")]
    await office.at(NINE)
    plan = replace(digest.plan, channel_id="C2")

    await office.desk.change(ACME, digest.digest_id, plan, by=ADA, version=1)
    post = await office.desk.preview(ACME, await office.digest())

    assert (await office.digest()).pause is None
    assert post.unposted == ()  # that is the old channel's story


async def test_what_is_deleted_while_it_is_collected_leaves_nothing_behind(
    office: Office,
) -> None:
    digest = await office.make()
    office.lists.gate.clear()
    office.clock.now = NINE
    await office.rounds.run_due()
    await office.lists.is_asked.wait()

    await office.desk.delete(ACME, digest.digest_id)
    office.lists.gate.set()
    await office.at(NINE)

    assert office.posts.posts == []
    assert [each.key for each in await office.documents.list_prefix("")] == []


async def test_the_key_is_away_for_days_and_the_owner_hears_of_it_once(office: Office) -> None:
    await office.make()
    office.lists.error = NoKeyError("none")

    for hours in range(0, 4 * 24, 6):
        await office.at(NINE + hours * HOUR)

    assert office.posts.notified == [(BOB.user_id, "failed key x1")]


@pytest.mark.parametrize(
    ("error", "most"),
    [
        (SlackRefusedError("messages_tab_disabled"), 1),
        (SlackUnavailableError("internal_error"), 2),
        (TokenRefusedError("account_inactive"), 80),
        (SlackUnreachableError("refused"), 80),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_a_notice_is_not_repeated_for_ever(
    office: Office, error: Exception, most: int
) -> None:
    await office.make()
    await office.at(NINE - MINUTE)
    office.posts.errors = [error] * 1000
    pauses = 0

    for minutes in range(0, 20 * 24 * 60, 31):
        office.clock.now = NINE + 7 * HOUR + minutes * MINUTE
        await office.rounds.run_due()
        assert await office.tasks.drain(TIME_LIMIT_S)
        if (await office.digest()).notices == ():
            break
        await pause_all(office)
        pauses += 1  # which the channel would read

    assert (await office.digest()).notices == ()
    assert 1000 - len(office.posts.errors) - pauses <= most


async def pause_all(office: Office) -> None:
    """Let only the first notice be sent."""
    digest = await office.digest()
    if digest.pause is None:
        await office.desk.pause(ACME, digest.digest_id, by=BOB, until=None)


def broken_words(_post: Post) -> Message:
    raise KeyError("a mistake of ours")


async def test_a_mistake_of_ours_is_told_at_once_and_as_one(office: Office) -> None:
    office.words = DigestRenderer(broken_words, broken_words, announcement, an_alert)
    office.start()
    await office.make()

    await office.at(NINE)

    assert office.posts.notified == [(BOB.user_id, "failed ours x1")]


async def test_an_owner_who_cannot_be_told_does_not_hold_up_the_next_post(
    office: Office,
) -> None:
    await office.make()
    office.posts.gone = {BOB.user_id}
    office.documents.cannot_be_read = {f"{ACME}/key"}

    await office.at(NINE + 7 * HOUR)
    await office.at(NINE + DAY)

    assert len(office.posts.posts) == 1


class Restarting(DocumentsOnDisk):
    """A store that refuses the first word that something is about to be posted, or was."""

    def __init__(self, refuses: Callable[[Mapping[str, Any]], Any], refusals: int) -> None:
        super().__init__()
        self.refuses, self.refusals = refuses, refusals

    async def put(self, key: str, value: Mapping[str, Any], **how: Any) -> Document:
        if self.refusals and "/digest/" in key and self.refuses(value):
            self.refusals -= 1
            raise StoreError("starting up")
        return await super().put(key, value, **how)


@pytest.mark.parametrize(
    ("refuses", "refusals"),
    [(lambda digest: (digest["run"] or {}).get("state") == "posting", 1), (itemgetter("past"), 5)],
    ids=["before", "after"],
)
async def test_a_store_that_starts_again_around_a_post_does_not_cost_it(
    refuses: Callable[[Mapping[str, Any]], Any], refusals: int
) -> None:
    documents = Restarting(refuses, refusals)
    office = Office(documents=documents)
    await office.make()

    await office.at(NINE)

    assert documents.refusals == 0
    assert outcomes(await office.digest()) == [Outcome.POSTED]


async def test_after_a_stop_nothing_more_is_begun(office: Office) -> None:
    for number in range(12):
        await office.make(channel_id=f"C{number}")
    office.lists.gate.clear()
    office.clock.now = NINE
    await office.rounds.run_due()
    await office.lists.is_asked.wait()

    office.rounds.stop()
    office.lists.gate.set()
    assert await office.tasks.drain(TIME_LIMIT_S)

    assert len(office.posts.posts) == 5  # those that a worker had


async def test_a_list_that_takes_too_long_is_waited_for_like_one_that_does_not_come() -> None:
    office = Office(collect_within_s=0.02)
    await office.make()
    office.lists.gate.clear()

    await office.at(NINE)
    run = (await office.digest()).run
    office.lists.gate.set()
    office.collect_within_s = TIME_LIMIT_S  # on a busy machine a list takes longer than that
    office.start()
    await office.at(NINE + MINUTE)

    assert run is not None
    assert (run.state, run.trouble) == (RunState.WAITING, FailureReason.SERVICE)
    assert (len(office.posts.posts), office.posts.notified) == (1, [])
