"""What people do with digests, one at a time and two at once."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.digests.models import (
    MAX_PER_CHANNEL,
    EditConflictError,
    Mode,
    Outcome,
    Plan,
    TooManyDigestsError,
    UnknownDigestError,
)
from bot.domains.end_dates import EndDates
from bot.process.workspace import WorkspaceId
from bot.slack.errors import ChannelClosedError
from bot.tracker.models import UnavailableError
from bot.tracker.rate_limit import Purpose
from tests.builders import a_domain
from tests.digests.office import ACME, ADA, BOB, DAILY, DAY, NINE, Office

pytestmark = pytest.mark.anyio

OTHER = WorkspaceId("T2")
PLAN = Plan(channel_id="C1", schedule=DAILY)


async def test_a_form_that_two_processes_get_makes_one_digest(office: Office) -> None:
    beside = Office(clock=office.clock, documents=office.documents, posts=office.posts)

    first, second = await asyncio.gather(
        *(each.desk.make(ACME, PLAN, by=BOB, digest_id="d1") for each in (office, beside))
    )

    assert first[0].digest_id == second[0].digest_id == (await office.digest()).digest_id
    assert office.posts.posts == [("C1", "announced by bob")]
    assert len(office.notes + beside.notes) == 1


async def test_a_form_that_is_sent_again_with_other_values_changes_its_digest() -> None:
    office = Office()
    await office.desk.make(ACME, PLAN, by=BOB, digest_id="d1")

    again, _ = await office.desk.make(ACME, replace(PLAN, worst_count=7), by=BOB, digest_id="d1")

    assert (await office.digest(), again.plan.worst_count) == (again, 7)


async def test_another_workspace_sees_and_touches_none_of_them(office: Office) -> None:
    digest = await office.make()

    assert await office.desk.of_channel(OTHER, "C1") == []
    with pytest.raises(UnknownDigestError):
        await office.desk.send_now(OTHER, digest.digest_id, by=BOB)
    with pytest.raises(UnknownDigestError):
        await office.desk.delete(OTHER, digest.digest_id)


async def test_a_digest_does_not_move_into_a_channel_that_is_full() -> None:
    office = Office()
    for _ in range(MAX_PER_CHANNEL):
        await office.make(channel_id="C2")
    digest = await office.make()

    with pytest.raises(TooManyDigestsError):
        await office.desk.change(
            ACME, digest.digest_id, replace(PLAN, channel_id="C2"), by=ADA, version=1
        )

    assert await office.desk.get(ACME, digest.digest_id) == digest


async def test_who_did_what_is_remembered() -> None:
    office = Office()
    digest = (await office.desk.make(ACME, PLAN, by=BOB))[0]
    place = (ACME, digest.digest_id)

    changed = await office.desk.change(*place, replace(PLAN, channel_id="C2"), by=ADA, version=1)
    await office.desk.pause(*place, by=BOB, until=None)
    resumed = await office.desk.resume(*place, by=ADA)
    await office.desk.delete(*place, by=BOB)

    assert resumed.pause is changed.pause is None
    assert office.notes == [
        ("digest-made", BOB.user_id, "C1"),
        ("digest-changed", ADA.user_id, "C2"),
        ("digest-paused", BOB.user_id, "C2"),
        ("digest-resumed", ADA.user_id, "C2"),
        ("digest-deleted", BOB.user_id, "C2"),
    ]


async def test_a_digest_does_not_move_into_a_channel_that_refuses_it(office: Office) -> None:
    digest = await office.make()
    office.posts.errors = [ChannelClosedError("is_archived")]
    moved = replace(PLAN, channel_id="C2")

    with pytest.raises(ChannelClosedError):
        await office.desk.change(ACME, digest.digest_id, moved, by=ADA, version=digest.version)

    assert (await office.digest()).plan.channel_id == "C1"


async def test_send_now_posts_whatever_the_mode_and_is_compared_with_next(office: Office) -> None:
    digest = await office.make(mode=Mode.CHANGES)
    await office.at(NINE)
    office.lists.domains = (a_domain(score=90),)
    office.clock.advance(3600)

    await office.desk.send_now(ACME, digest.digest_id, by=ADA)
    await office.at(NINE + DAY)

    assert [run.outcome for run in (await office.digest()).past] == [
        Outcome.POSTED,
        Outcome.POSTED,
        Outcome.QUIET,
    ]


async def test_send_now_asks_for_the_list_even_where_one_is_fresh() -> None:
    office = Office()
    digest = await office.make()
    await office.at(NINE)
    office.lists.domains = (a_domain(score=90),)

    await office.desk.send_now(ACME, digest.digest_id, by=ADA)
    await office.at(NINE + timedelta(seconds=1))

    assert office.posts.posts[1:] == [("C1", "digest: 1 domains, average 90.0")]
    assert len(office.lists.asked) == 2


async def test_send_now_without_a_list_says_so_and_leaves_nothing_behind(office: Office) -> None:
    digest = await office.make()
    office.lists.error = UnavailableError("down", is_outcome_unknown=False)

    with pytest.raises(UnavailableError):
        await office.desk.send_now(ACME, digest.digest_id, by=ADA)

    left = await office.digest()
    assert (left.run, left.past, left.next) == (None, (), digest.next)


async def test_a_preview_shows_the_post_and_records_nothing(office: Office) -> None:
    digest = await office.make()

    post = await office.desk.preview(ACME, digest)

    assert (post.is_preview, post.report.totals.count) == (True, 1)
    assert (await office.digest(), office.posts.posts) == (digest, [])


async def test_a_deleted_digest_leaves_nothing_behind(office: Office) -> None:
    digest = await office.make()
    await office.at(NINE)
    await office.at(NINE + DAY)

    await office.desk.delete(ACME, digest.digest_id)

    assert await office.documents.list_prefix("") == []
    with pytest.raises(UnknownDigestError):
        await office.desk.delete(ACME, digest.digest_id)


async def test_how_many_domains_a_filter_chooses_is_unknown_without_a_list(office: Office) -> None:
    plan = replace(PLAN, filter_text="below:10")
    none = await office.desk.matching(ACME, plan)
    office.clock.advance(61)
    office.lists.error = UnavailableError("down", is_outcome_unknown=False)

    assert (none, await office.desk.matching(ACME, plan)) == (0, None)


async def test_labels_in_use_are_offered_and_none_without_a_list(office: Office) -> None:
    office.lists.domains = (a_domain(tags=("prod",), folder="Web shops"),)

    assert await office.desk.labels(ACME) == ["tag:prod", "folder:Web shops"]
    office.lists.error = UnavailableError("down", is_outcome_unknown=False)
    assert await office.desk.labels(OTHER) == []


async def test_a_form_that_is_sent_again_overwrites_no_later_change() -> None:
    office = Office()
    await office.desk.make(ACME, PLAN, by=BOB, digest_id="d1")
    await office.desk.change(ACME, "d1", replace(PLAN, worst_count=7), by=ADA, version=1)

    with pytest.raises(EditConflictError):
        await office.desk.make(ACME, PLAN, by=BOB, digest_id="d1")

    assert (await office.digest()).plan.worst_count == 7


async def test_only_what_waited_for_its_channel_is_resumed_when_the_app_is_added_to_it(
    office: Office,
) -> None:
    paused = await office.make()
    await office.desk.pause(ACME, paused.digest_id, by=BOB, until=None)

    assert await office.desk.resume_in(ACME, paused.plan.channel_id) == []
    assert (await office.digest()).pause


async def test_what_is_kept_while_a_digest_reads_is_for_the_next_one(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest, collector, began = await office.make(), office.desk.collector, office.clock()
    read = collector.ends.get

    async def read_slowly(workspace: WorkspaceId) -> dict[str, EndDates]:
        office.clock.now += timedelta(seconds=2)
        return await read(workspace)

    monkeypatch.setattr(collector.ends, "get", read_slowly)
    collected = await collector.collect(ACME, digest, slot=None, purpose=Purpose.SCHEDULED)

    assert collected.baseline.taken_at == began
