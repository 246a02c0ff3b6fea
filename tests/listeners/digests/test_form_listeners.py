"""The form that makes or changes a digest, between people and the store.

The form that pauses a digest.
"""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.digests.models import Mention, Mode
from bot.digests.schedule import Schedule
from bot.playground.slack import View
from bot.slack.errors import SlackUnavailableError
from tests.builders import a_domain
from tests.digests.builders import DAILY
from tests.listeners.running import Bot


async def test_a_new_digest_is_for_this_channel_on_working_days_at_nine_here(bot: Bot) -> None:
    form = await bot.new_form("secret")

    assert form.title == "New digest"
    assert form.values["Channel"] == bot.channel_id("secret")
    assert form.values["Days"] == ["Mon", "Tue", "Wed", "Thu", "Fri"]
    assert (form.values["Time"], form.values["Time zone"]) == ("09:00", bot.bob.member.tz)
    assert (form.values["Post"], form.values["Worst domains shown"]) == ("Every time", "5")


@pytest.mark.parametrize("zone", ["", "Mars/Olympus"])
async def test_a_person_without_a_time_zone_begins_with_utc(bot: Bot, zone: str) -> None:
    bot.bob.member.tz = zone

    assert (await bot.new_form()).values["Time zone"] == "UTC"


@pytest.mark.parametrize("channel", ["dm", "hidden"])
async def test_an_unreadable_channel_has_to_be_chosen(bot: Bot, channel: str) -> None:
    form = await bot.new_form(channel)

    saved = await bot.submit(form, {"Channel": "general"})

    assert form.values["Channel"] is None
    assert "✅ Saved." in saved.everything
    assert "1 digest in #general" in saved.everything


async def test_a_saved_digest_is_announced_and_listed_with_its_next_run(bot: Bot) -> None:
    form = await bot.new_form()
    form = await bot.choose(form, "Post", "When something got worse")

    saved = await bot.submit(
        form,
        {
            "Days": ["Sat", "Sun"],
            "Time": "23:59",
            "Time zone": "Asia/Tokyo",
            "Filter": "tag:prod below:80",
            "Post": "When something got worse",
            "Heartbeat": "After 5 quiet runs",
            "Worst domains shown": "25",
            "Tag or folder": "tag:prod",
            "Mention": ["cy"],
        },
    )

    [digest] = await bot.digests()
    assert digest.plan.schedule.days == {5, 6}
    assert (digest.plan.mode, digest.plan.heartbeat_every) == (Mode.WORSE, 5)
    cy = bot.slack.person("cy").id
    assert digest.plan.mentions == (Mention(label="tag:prod", who=(cy,)),)
    assert (digest.made_by, digest.made_by_name) == (bot.bob.id, "bob")
    assert "✅ Saved. Next run Sat 21 Nov 2026, 23:59, for you " in saved.everything
    assert "no domain matches the filter" in saved.everything
    [(_, announcement)] = bot.posts.posts
    assert announcement.startswith("The health digest of bob is posted in this channel")


async def test_a_choice_that_is_drawn_late_leaves_what_was_saved_since(bot: Bot) -> None:
    form = await bot.new_form()
    bot.slack.fail_next("users.info", kind="slow", delay_s=0.1)

    await bot.bob.choose(form, "Days", ["Sun"])
    await bot.bob.submit(form)
    form = await bot.settled()

    assert (form.title, len(await bot.digests())) == ("Health digests", 1)


async def test_a_digest_is_changed_from_what_it_is(bot: Bot) -> None:
    digest = await bot.made(
        filter_text="tag:prod", mentions=(Mention(label="tag:a", who=("U1",)),)
    )
    form = await bot.change_form()

    saved = await bot.submit(form, {"Time": "10:00", "Post": "When something changed"})

    changed = await bot.now(digest)
    schedule = replace(DAILY, at=changed.plan.schedule.at)
    assert form.values["Filter"] == "tag:prod"
    assert f"{changed.plan.schedule.at:%H:%M}" == "10:00"
    assert changed.plan == replace(digest.plan, schedule=schedule, mode=Mode.CHANGES)
    assert changed.changed_by == bot.bob.id
    assert "✅ Saved. Next run Fri 20 Nov 2026, 10:00." in saved.everything


async def test_two_digests_changed_one_after_the_other_do_not_mix(bot: Bot) -> None:
    await bot.made(filter_text="tag:one")
    await bot.made(filter_text="tag:two")
    form = await bot.change_form()
    await bot.bob.choose(form, "Filter", "tag:typed")

    listed = await bot.press(form, "Back")
    other = await bot.press(listed, "Change", nth=1)

    assert other.values["Filter"] == "tag:two"


RULES = (Mention(label="tag:a", who=("U1AAA",)), Mention(label="tag:b", who=("U1BBB",)))


async def test_a_rule_without_its_tick_is_gone_once_the_form_is_saved(bot: Bot) -> None:
    digest = await bot.made(mentions=RULES)
    form = await bot.change_form()

    await bot.bob.choose(form, "Mention rules", ["tag:b"])
    form = await bot.choose(form, "Days", ["Sun"])
    before = await bot.now(digest)
    await bot.submit(form)

    assert form.values["Mention rules"] == ["tag:b"]
    assert before.plan.mentions == RULES
    assert (await bot.now(digest)).plan.mentions == RULES[1:]


async def test_every_rule_can_be_removed_and_another_one_added(bot: Bot) -> None:
    digest = await bot.made(mentions=RULES)
    form = await bot.change_form()
    [group] = list(bot.slack.world.workspace.user_groups.values())[:1]

    await bot.submit(
        form,
        {
            "Mention rules": [],
            "Tag or folder": "folder:new",
            "Mention user group": f"@{group.handle}",
        },
    )

    rule = Mention(label="folder:new", who=(group.id,))
    assert (await bot.now(digest)).plan.mentions == (rule,)


async def test_an_eleventh_rule_is_refused_under_its_field(bot: Bot) -> None:
    await bot.made(mentions=tuple(Mention(label=f"tag:t{n}", who=("U1",)) for n in range(10)))
    form = await bot.change_form()
    mention = {"Mention": ["cy"]}

    refused = await bot.bob.submit(form, {"Tag or folder": "tag:new"} | mention)

    assert "Remove the tick from one first" in refused.errors["Tag or folder"]


async def test_the_menus_offer_what_there_is(bot: Bot) -> None:
    bot.lists.domains = (a_domain(tags=("prod",)),)
    form = await bot.new_form()

    zones = await bot.bob.suggest(form, "Time zone", "tokyo")
    labels = await bot.bob.suggest(form, "Tag or folder", "pr")
    groups = await bot.bob.suggest(form, "Mention user group", "")

    assert zones[0] == "Asia/Tokyo"
    assert labels == ["tag:prod", "tag:pr", "folder:pr"]
    assert all(group.startswith("@") for group in groups)


async def test_without_the_permission_no_user_groups_are_offered(bot: Bot) -> None:
    form = await bot.new_form()
    bot.slack.fail_next("usergroups.list", "missing_scope")

    assert await bot.bob.suggest(form, "Mention user group", "") == []


async def test_without_the_service_what_was_typed_is_offered(bot: Bot) -> None:
    form = await bot.new_form()
    bot.lists.error = SlackUnavailableError("any")

    assert await bot.bob.suggest(form, "Tag or folder", "eu") == ["tag:eu", "folder:eu"]


async def pause_form(bot: Bot) -> View:
    return await bot.press(await bot.open_list(), "Pause")


async def test_a_pause_ends_when_the_day_begins_by_the_clock_of_the_digest(bot: Bot) -> None:
    digest = await bot.made(schedule=Schedule(DAILY.days, DAILY.at, "Asia/Tokyo"))

    after = await bot.submit(await pause_form(bot), {"Until": "2026-12-01"})

    pause = (await bot.now(digest)).pause
    assert pause is not None
    assert pause.until == datetime(2026, 11, 30, 15, tzinfo=UTC)
    assert "⏸️ Paused until 1 Dec 2026." in after.everything


async def test_a_pause_without_an_end_says_how_to_end_it(bot: Bot) -> None:
    digest = await bot.made()

    after = await bot.submit(await pause_form(bot))

    assert "⏸️ Paused. Press `Resume` to run it again." in after.everything
    assert (await bot.now(digest)).pause is not None


@pytest.mark.parametrize("day", ["2026-11-19", "2026-11-20", "2036-11-20", "9999-12-31"])
async def test_a_day_that_has_begun_in_the_zone_of_the_digest_or_is_far_away_is_refused(
    bot: Bot, day: str
) -> None:
    digest = await bot.made(schedule=Schedule(DAILY.days, DAILY.at, "Asia/Tokyo"))
    bot.clock.now = datetime(2026, 11, 19, 16, tzinfo=UTC)  # the 20th in Tokyo

    after = await bot.submit(await pause_form(bot), {"Until": day})

    assert "That day has already begun in the digest's time zone" in after.everything
    assert after.values["Until"] == day
    assert (await bot.now(digest)).pause is None


async def test_rights_are_asked_for_when_it_is_submitted(bot: Bot) -> None:
    digest = await bot.made()
    form = await pause_form(bot)
    bot.bob.member.is_restricted = True

    after = await bot.submit(form)

    assert "Guests can't see or change digests" in after.everything
    assert (await bot.now(digest)).pause is None
