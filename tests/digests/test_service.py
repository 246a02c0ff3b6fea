"""What people do with digests, one at a time and two at once."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.access.repository import Act
from bot.digests.models import (
    MAX_PER_CHANNEL,
    EditConflictError,
    Mode,
    Outcome,
    Plan,
    SameDigestError,
    TooManyDigestsError,
    UnknownDigestError,
)
from bot.domains.kept_facts import KeptFacts
from bot.process.workspace import WorkspaceId
from bot.slack.errors import ChannelClosedError
from bot.tracker.models import UnavailableError
from bot.tracker.rate_limit import Purpose
from tests.builders import a_domain
from tests.digests.builders import ACME, ADA, BOB, DAILY, DAY, NINE, Bot

OTHER = WorkspaceId("T2")
PLAN = Plan(channel_id="C1", schedule=DAILY)


async def test_a_form_that_two_processes_get_makes_one_digest(bot: Bot) -> None:
    beside = Bot(clock=bot.clock, documents=bot.documents, posts=bot.posts)

    first, second = await asyncio.gather(
        *(each.service.make(ACME, PLAN, by=BOB, digest_id="d1") for each in (bot, beside))
    )

    assert first[0].digest_id == second[0].digest_id == (await bot.digest()).digest_id
    [(channel_id, announcement)] = bot.posts.posts
    assert channel_id == "C1"
    assert announcement.startswith("The health digest of bob is posted in this channel")
    assert len(bot.notes + beside.notes) == 1


async def test_another_workspace_sees_and_touches_none_of_them(bot: Bot) -> None:
    digest = await bot.make()

    assert await bot.service.of_channel(OTHER, "C1") == []
    with pytest.raises(UnknownDigestError):
        await bot.service.send_now(OTHER, digest.digest_id, by=BOB)
    with pytest.raises(UnknownDigestError):
        await bot.service.delete(OTHER, digest.digest_id)


async def test_a_channel_has_no_two_equal_digests(bot: Bot) -> None:
    digest = await bot.make()

    with pytest.raises(SameDigestError):
        await bot.service.make(ACME, PLAN, by=BOB)

    await bot.make(channel_id="C2")
    assert await bot.service.of_channel(ACME, "C1") == [digest]
    assert bot.posts.posts == []


async def test_a_digest_does_not_move_into_a_channel_that_is_full(bot: Bot) -> None:
    for number in range(MAX_PER_CHANNEL):
        await bot.make(channel_id="C2", name=str(number))
    digest = await bot.make()

    with pytest.raises(TooManyDigestsError):
        await bot.service.change(
            ACME, digest.digest_id, replace(PLAN, channel_id="C2"), by=ADA, version=1
        )

    assert await bot.service.get(ACME, digest.digest_id) == digest


async def test_the_history_names_the_person_and_the_action(bot: Bot) -> None:
    digest = (await bot.service.make(ACME, PLAN, by=BOB))[0]
    place = (ACME, digest.digest_id)

    changed = await bot.service.change(*place, replace(PLAN, channel_id="C2"), by=ADA, version=1)
    await bot.service.pause(*place, by=BOB, until=None)
    resumed = await bot.service.resume(*place, by=ADA)
    await bot.service.delete(*place, by=BOB)

    assert resumed.pause is changed.pause is None
    assert bot.notes == [
        (Act.DIGEST_MADE, BOB.user_id, "C1"),
        (Act.DIGEST_CHANGED, ADA.user_id, "C2"),
        (Act.DIGEST_PAUSED, BOB.user_id, "C2"),
        (Act.DIGEST_RESUMED, ADA.user_id, "C2"),
        (Act.DIGEST_DELETED, BOB.user_id, "C2"),
    ]


async def test_a_digest_does_not_move_into_a_channel_that_refuses_it(bot: Bot) -> None:
    await bot.make()
    await bot.at(NINE)
    digest = await bot.digest()
    bot.posts.errors = [ChannelClosedError("is_archived")]
    moved = replace(PLAN, channel_id="C2", filter_text="tag:prod")

    with pytest.raises(ChannelClosedError):
        await bot.service.change(ACME, digest.digest_id, moved, by=ADA, version=digest.version)

    after = await bot.digest()
    assert after == replace(digest, rev=after.rev, version=after.version)
    assert after.version > digest.version
    assert digest.packed_baseline


async def test_send_now_posts_whatever_the_mode_and_is_compared_with_next(bot: Bot) -> None:
    digest = await bot.make(mode=Mode.CHANGES)
    await bot.at(NINE)
    bot.lists.domains = (a_domain(score=90),)
    bot.clock.advance(3600)

    await bot.service.send_now(ACME, digest.digest_id, by=ADA)
    await bot.at(NINE + DAY)

    assert [run.outcome for run in (await bot.digest()).past] == [
        Outcome.POSTED,
        Outcome.POSTED,
        Outcome.QUIET,
    ]


async def test_send_now_asks_for_the_list_even_where_one_is_fresh(bot: Bot) -> None:
    digest = await bot.make()
    await bot.at(NINE)
    bot.lists.domains = (a_domain(score=90),)

    await bot.service.send_now(ACME, digest.digest_id, by=ADA)
    await bot.at(NINE + timedelta(seconds=1))

    assert bot.posts.posts[1:] == [("C1", "digest: 1 domains, average 90.0")]
    assert len(bot.lists.asked) == 2


async def test_how_many_domains_a_filter_chooses_is_unknown_without_a_list(bot: Bot) -> None:
    plan = replace(PLAN, filter_text="below:10")
    none = await bot.service.matching(ACME, plan)
    bot.clock.advance(61)
    bot.lists.error = UnavailableError("down", is_outcome_unknown=False)

    assert (none, await bot.service.matching(ACME, plan)) == (0, None)


async def test_labels_in_use_are_offered_and_none_without_a_list(bot: Bot) -> None:
    bot.lists.domains = (a_domain(tags=("prod",), folder="Web shops"),)

    assert await bot.service.labels(ACME) == ["tag:prod", "folder:Web shops"]
    bot.lists.error = UnavailableError("down", is_outcome_unknown=False)
    assert await bot.service.labels(OTHER) == []


async def test_a_form_that_is_sent_again_overwrites_no_later_change(bot: Bot) -> None:
    await bot.service.make(ACME, PLAN, by=BOB, digest_id="d1")
    await bot.service.change(ACME, "d1", replace(PLAN, worst_count=7), by=ADA, version=1)

    with pytest.raises(EditConflictError):
        await bot.service.make(ACME, PLAN, by=BOB, digest_id="d1")

    assert (await bot.digest()).plan.worst_count == 7


async def test_adding_the_app_resumes_only_digests_that_waited_for_it(bot: Bot) -> None:
    paused = await bot.make()
    await bot.service.pause(ACME, paused.digest_id, by=BOB, until=None)

    await bot.service.greet(ACME, paused.plan.channel_id)

    assert (await bot.digest()).pause


async def test_new_end_dates_wait_for_the_next_run(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest, collector, began = await bot.make(), bot.service.collector, bot.clock()
    read = collector.kept_facts.get

    async def read_slowly(workspace: WorkspaceId) -> dict[str, KeptFacts]:
        bot.clock.now += timedelta(seconds=2)
        return await read(workspace)

    monkeypatch.setattr(collector.kept_facts, "get", read_slowly)
    collected = await collector.collect(ACME, digest, slot=None, purpose=Purpose.SCHEDULED)

    assert collected.baseline.taken_at == began
