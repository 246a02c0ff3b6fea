"""What people do, and what breaks, in the very middle of a run."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, time, timedelta
from typing import Any

import pytest

from bot.api_keys.models import NoKeyError
from bot.digests.delivery import DigestRenderer
from bot.digests.models import (
    Digest,
    FailureReason,
    Mode,
    Outcome,
    RunState,
)
from bot.digests.report import Post
from bot.digests.repository import encode_digest
from bot.digests.schedule import Slot
from bot.message import Message
from bot.portfolio.end_dates import EndDates, KeptEndDates
from bot.slack.errors import (
    ChannelClosedError,
    MissingScopeError,
    SlackRateLimitedError,
    SlackRefusedError,
    SlackUnavailableError,
    SlackUnreachableError,
    TokenRefusedError,
)
from bot.store.documents import Document, StoreError
from bot.tracker.findings import EndDate
from bot.tracker.models import InvalidKeyError, TimedOutError, UnavailableError
from bot.workspace import WorkspaceId
from tests.builders import a_domain
from tests.digests.office import (
    ACME,
    ADA,
    BOB,
    DAILY,
    DAY,
    EVE,
    NINE,
    DocumentsOnDisk,
    Office,
    an_alert,
    announcement,
)
from tests.fakes import TIME_LIMIT_S

pytestmark = pytest.mark.anyio

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
DOWN = UnavailableError("down", is_outcome_unknown=False)


@pytest.fixture
def office() -> Office:
    """Return an office with its store in memory: another store does the same, more slowly."""
    return Office()


def outcomes(digest: Digest) -> list[Outcome]:
    return [run.outcome for run in digest.past]


def in_the_middle_of_the_post(office: Office, **change: Any) -> None:
    """Let somebody change the digest just when Slack is asked; then Slack refuses."""
    errors, office.posts.errors = office.posts.errors, []

    async def act() -> None:
        office.posts.before_post = None
        digest = await office.digest()
        plan = replace(digest.plan, **change)
        if change:
            await office.desk.change(ACME, digest.digest_id, plan, by=ADA, version=digest.version)
        else:
            await office.desk.pause(ACME, digest.digest_id, by=ADA, until=None)
        office.posts.errors = errors

    office.posts.before_post = act


async def test_a_digest_paused_in_the_middle_of_its_post_is_not_tried_again(
    office: Office,
) -> None:
    await office.make()
    office.posts.errors = [SlackRateLimitedError(30)]
    in_the_middle_of_the_post(office)

    await office.at(NINE)
    await office.at(NINE + HOUR)

    assert office.posts.posts == []
    assert outcomes(await office.digest()) == [Outcome.FAILED]


async def test_a_digest_given_another_time_in_the_middle_of_its_post_is_not_tried_again(
    office: Office,
) -> None:
    await office.make()
    office.posts.errors = [SlackUnreachableError("refused")]
    in_the_middle_of_the_post(office, schedule=replace(DAILY, at=time(15)))

    await office.at(NINE)
    await office.at(NINE + 2 * MINUTE)

    assert office.posts.posts == []
    assert (await office.digest()).next.local.hour == 15


async def test_a_digest_moved_out_of_a_closed_channel_is_not_paused(office: Office) -> None:
    await office.make()
    office.posts.errors = [ChannelClosedError("is_archived")]
    in_the_middle_of_the_post(office, channel_id="C2")

    await office.at(NINE)

    assert (await office.digest()).pause is None


async def test_a_digest_that_waits_is_posted_into_the_channel_that_it_was_moved_to(
    office: Office,
) -> None:
    digest = await office.make()
    office.lists.error = DOWN
    await office.at(NINE)
    office.lists.error = None
    plan = replace(digest.plan, channel_id="C2")

    await office.desk.change(ACME, digest.digest_id, plan, by=ADA, version=1)
    office.posts.posts.clear()
    await office.at(NINE + HOUR)

    assert [channel for channel, _ in office.posts.posts] == ["C2"]


async def test_a_slot_that_is_due_survives_a_change_of_the_channel(office: Office) -> None:
    digest = await office.make()
    office.clock.now = NINE + 5 * SECOND  # before the tick
    plan = replace(digest.plan, channel_id="C2")

    await office.desk.change(ACME, digest.digest_id, plan, by=ADA, version=1)
    office.posts.posts.clear()
    await office.at(NINE + 10 * SECOND)

    assert [channel for channel, _ in office.posts.posts] == ["C2"]


async def test_a_slot_that_is_due_and_called_off_is_recorded(office: Office) -> None:
    digest = await office.make()
    office.clock.now = NINE + 5 * SECOND
    plan = replace(digest.plan, schedule=replace(DAILY, at=time(15)))

    await office.desk.change(ACME, digest.digest_id, plan, by=ADA, version=1)

    [past] = (await office.digest()).past
    assert (past.outcome, past.trouble) == (Outcome.FAILED, FailureReason.CHANGED)


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


async def test_resume_after_the_end_of_a_pause_loses_no_slot(office: Office) -> None:
    digest = await office.make()
    await office.desk.pause(ACME, digest.digest_id, by=BOB, until=NINE - HOUR)
    office.clock.now = NINE + 4 * SECOND

    await office.desk.resume(ACME, digest.digest_id, by=BOB)
    await office.at(NINE + 10 * SECOND)

    assert len(office.posts.posts) == 1


async def test_a_pause_does_not_throw_away_what_somebody_else_is_typing(office: Office) -> None:
    digest = await office.make()
    await office.desk.pause(ACME, digest.digest_id, by=BOB, until=None)

    plan = replace(digest.plan, worst_count=5)
    changed = await office.desk.change(ACME, digest.digest_id, plan, by=ADA, version=1)

    assert changed.plan.worst_count == 5
    assert changed.pause is not None


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


async def test_a_new_key_and_a_busy_slack_still_make_one_late_post(office: Office) -> None:
    await office.make()
    office.lists.error = InvalidKeyError("refused")
    await office.at(NINE)
    await office.at(NINE + 9 * HOUR)
    office.lists.error = None
    office.posts.errors = [SlackRateLimitedError(30)]

    await office.desk.retry_waiting(ACME)
    await office.at(NINE + 9 * HOUR)
    await office.at(NINE + 9 * HOUR + MINUTE)

    assert len(office.posts.posts) == 1


async def test_a_lacking_permission_is_waited_for_and_not_called_our_mistake(
    office: Office,
) -> None:
    await office.make()
    office.posts.errors = [MissingScopeError("chat:write")]

    await office.at(NINE)

    run = (await office.digest()).run
    assert run is not None
    assert (run.state, run.trouble) == (RunState.WAITING, FailureReason.PERMISSION)


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

    for minutes in range(0, 20 * 24 * 60, 31):
        office.clock.now = NINE + 7 * HOUR + minutes * MINUTE
        await office.rounds.run_due()
        assert await office.tasks.drain(TIME_LIMIT_S)
        if (await office.digest()).notices == ():
            break
        await pause_all(office)

    assert (await office.digest()).notices == ()
    assert 1000 - len(office.posts.errors) <= most


async def pause_all(office: Office) -> None:
    """Let only the first notice be sent."""
    digest = await office.digest()
    if digest.pause is None:
        await office.desk.pause(ACME, digest.digest_id, by=BOB, until=None)


async def test_many_slots_lost_to_one_cause_are_told_together(office: Office) -> None:
    await office.make()
    office.posts.turn_errors = [TokenRefusedError("account_inactive")] * 10_000
    office.posts.errors = [TokenRefusedError("account_inactive")] * 10_000

    for hours in range(24 * 15):
        await office.at(NINE + hours * HOUR)

    assert sum(notice.count for notice in (await office.digest()).notices) >= 14


async def test_an_unknown_zone_pauses_its_digest_and_tells_the_owner(office: Office) -> None:
    digest = await office.make()
    value = encode_digest(digest)
    value["plan"]["schedule"]["zone"] = "Mars/Phobos"
    await office.documents.put(f"{ACME}/digest/{digest.digest_id}", value, due_at=NINE)

    for minutes in range(0, 60, 10):
        await office.at(NINE + minutes * MINUTE)

    assert office.posts.notified == [(BOB.user_id, "paused zone x1")]


async def test_a_digest_that_cannot_be_read_hides_no_other(office: Office) -> None:
    digest = await office.make()
    await office.documents.put(f"{ACME}/digest/odd", {"v": 9}, due_at=NINE)

    assert await office.desk.of_channel(ACME, "C1") == [digest]
    await office.desk.retry_waiting(ACME)


async def test_a_thousand_digests_of_one_slow_workspace_hold_up_no_other(office: Office) -> None:
    slow, quick = WorkspaceId("T1"), WorkspaceId("T2")
    digest = await office.make()
    for number in range(1100):
        plan = replace(digest.plan, channel_id=f"C{number}")
        copy = replace(digest, digest_id=f"x{number:05}", rev=0, plan=plan)
        await office.repository.put(slow, copy)
    await office.desk.make(quick, replace(digest.plan, channel_id="QUICK"), by=BOB)
    office.forget_posts()
    office.lists.gate.clear()
    office.lists.quick = {quick}

    office.clock.now = NINE
    await office.rounds.run_due()
    await asyncio.wait_for(office.posts.is_posted.wait(), TIME_LIMIT_S)

    assert [channel for channel, _ in office.posts.posts] == ["QUICK"]
    await office.tasks.cancel()


def broken_words(_post: Post) -> Message:
    raise KeyError("a mistake of ours")


async def test_a_mistake_of_ours_is_told_at_once_and_as_one(office: Office) -> None:
    office.words = DigestRenderer(broken_words, broken_words, announcement, an_alert)
    office.start()
    await office.make()

    await office.at(NINE)

    assert office.posts.notified == [(BOB.user_id, "failed ours x1")]


async def test_send_now_that_meets_a_mistake_of_ours_tells_no_owner_of_a_stop(
    office: Office,
) -> None:
    office.words = DigestRenderer(broken_words, broken_words, announcement, an_alert)
    office.start()
    digest = await office.make()

    with pytest.raises(KeyError):
        await office.desk.send_now(ACME, digest.digest_id, by=ADA)
    await office.at(EVE + 70 * SECOND)

    assert (office.posts.notified, (await office.digest()).run) == ([], None)


async def test_a_slot_whose_hour_new_rules_have_moved_is_posted_once(office: Office) -> None:
    digest = await office.make()
    by_old_rules = Slot(NINE - HOUR, digest.next.local)
    await office.repository.change(
        ACME, digest.digest_id, lambda each: replace(each, next=by_old_rules)
    )

    await office.at(NINE - HOUR)
    await office.at(NINE)

    assert [run.slot.due_at for run in (await office.digest()).past] == [NINE]


async def test_an_owner_who_cannot_be_told_does_not_hold_up_the_next_post(
    office: Office,
) -> None:
    await office.make()
    office.posts.gone = {BOB.user_id}
    office.documents.cannot_be_read = {f"{ACME}/key"}

    await office.at(NINE + 7 * HOUR)
    await office.at(NINE + DAY)

    assert len(office.posts.posts) == 1


class BrieflyFull(DocumentsOnDisk):
    """A store that refuses the first word that something was posted."""

    refusals = 0

    async def put(self, key: str, value: Mapping[str, Any], **how: Any) -> Document:
        if "/digest/" in key and value["past"] and not self.refusals:
            self.refusals += 1
            raise StoreError("busy for a moment")
        return await super().put(key, value, **how)


async def test_a_store_that_is_busy_for_a_moment_makes_no_post_uncertain() -> None:
    office = Office(documents=BrieflyFull())
    await office.make()

    await office.at(NINE)

    assert outcomes(await office.digest()) == [Outcome.POSTED]
    assert office.posts.notified == []


class RestartedBeforePost(DocumentsOnDisk):
    """A store that refuses the first word that something is about to be posted."""

    refusals = 0

    async def put(self, key: str, value: Mapping[str, Any], **how: Any) -> Document:
        is_posting = "/digest/" in key and (value["run"] or {}).get("state") == "posting"
        if is_posting and not self.refusals:
            self.refusals += 1
            raise StoreError("starting up")
        return await super().put(key, value, **how)


async def test_a_store_that_starts_again_before_a_post_does_not_cost_the_claim() -> None:
    documents = RestartedBeforePost()
    office = Office(documents=documents)
    await office.make()

    await office.at(NINE)

    assert documents.refusals == 1
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


async def test_a_domain_that_falls_below_the_line_has_got_worse(office: Office) -> None:
    office.lists.domains = (a_domain("a.example", 20), a_domain("b.example", 71))
    await office.make(filter_text="below:70", mode=Mode.WORSE)
    await office.at(NINE)
    office.lists.domains = (a_domain("a.example", 20), a_domain("b.example", 69))

    await office.at(NINE + DAY)

    assert [text for _, text in office.posts.posts][1:] == ["digest: 2 domains, average 44.5"]


async def test_a_domain_that_rises_above_the_line_is_no_bad_news(office: Office) -> None:
    office.lists.domains = (a_domain("a.example", 20), a_domain("b.example", 40))
    await office.make(filter_text="below:50", mode=Mode.WORSE)
    await office.at(NINE)
    office.lists.domains = (a_domain("a.example", 20), a_domain("b.example", 90))

    await office.at(NINE + DAY)

    assert len(office.posts.posts) == 1


async def test_a_domain_that_a_filter_of_days_takes_in_has_got_worse(office: Office) -> None:
    office.lists.domains = (a_domain("a.example", 20), a_domain("b.example", 90))
    for host, days in (("a.example", 20), ("b.example", 31)):
        ends = EndDates(NINE, certificate=EndDate((NINE + days * DAY).date()))
        await KeptEndDates(office.documents).keep(ACME, host, ends)
    await office.make(filter_text="cert:30", mode=Mode.WORSE)
    await office.at(NINE)

    await office.at(NINE + DAY)
    await office.at(NINE + 2 * DAY)

    assert [text for _, text in office.posts.posts] == [
        "digest: 1 domains, average 20.0",
        "digest: 2 domains, average 55.0",
    ]


async def test_a_key_of_another_portfolio_is_not_compared_with_the_old_one(
    office: Office,
) -> None:
    office.lists.domains = tuple(a_domain(f"old{number}.example", 90) for number in range(6))
    await office.make(mode=Mode.WORSE)
    await office.at(NINE)
    office.lists.domains = tuple(a_domain(f"new{number}.example", 20) for number in range(6))

    office.clock.now = NINE + DAY
    post = await office.desk.preview(ACME, await office.digest())

    assert (post.report.since, post.report.gone, post.report.new) == (None, (), ())
    assert post.sent_at == datetime.fromisoformat("2026-11-21T08:00:00+00:00")


async def test_a_digest_that_somebody_changes_while_it_moves_is_not_announced_for_nothing(
    office: Office,
) -> None:
    digest = await office.make()
    seen: list[str] = []

    async def look() -> None:
        seen.append((await office.digest()).plan.channel_id)

    office.posts.before_post = look
    plan = replace(digest.plan, channel_id="C2")

    await office.desk.change(ACME, digest.digest_id, plan, by=ADA, version=1)

    assert seen == ["C2"]  # what is announced is so already


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


async def test_send_now_tells_whoever_asked_that_the_list_takes_too_long() -> None:
    office = Office(collect_within_s=0.02)
    digest = await office.make()
    office.lists.gate.clear()

    with pytest.raises(TimedOutError):
        await office.desk.send_now(ACME, digest.digest_id, by=ADA)

    assert (await office.digest()).run is None


async def test_a_stop_in_the_middle_of_a_run_does_not_wait_for_an_owner_to_be_told(
    office: Office,
) -> None:
    await office.make()
    office.lists.gate.clear()
    office.clock.now = NINE + 3 * DAY + MINUTE  # three were missed, one is caught up on
    await office.rounds.run_due()
    await office.lists.is_asked.wait()

    await office.tasks.cancel()

    assert office.posts.notified == []
