"""The form that pauses a digest."""

from datetime import UTC, datetime

import pytest

from bot.digests.schedule import Schedule
from bot.playground.slack import View
from tests.digests.builders import DAILY
from tests.listeners.running import Bot


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


async def test_a_pause_of_a_digest_that_is_gone_says_so(bot: Bot) -> None:
    digest = await bot.made()
    form = await pause_form(bot)
    await bot.service.delete(bot.workspace, digest.digest_id)

    assert "That digest was deleted" in (await bot.submit(form)).everything


async def test_rights_are_asked_for_when_it_is_submitted(bot: Bot) -> None:
    digest = await bot.made()
    form = await pause_form(bot)
    bot.bob.member.is_restricted = True

    after = await bot.submit(form)

    assert "Guests can't see or change digests" in after.everything
    assert (await bot.now(digest)).pause is None
