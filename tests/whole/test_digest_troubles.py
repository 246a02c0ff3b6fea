"""Digests when something is wrong: with the key, the service, Slack, the bot, or what is typed."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from bot.playground.slack import FormError
from tests.whole.digests import (
    DAY,
    at_nine,
    digests,
    make,
    move_to,
    new_form,
    next_digest,
    next_notice,
    nine,
    open_list,
    press_in,
    settled,
    until_listed,
)
from tests.whole.town import Town, running_bot, running_stand_ins

pytestmark = [pytest.mark.anyio, pytest.mark.modes("socket")]

MINUTE = timedelta(minutes=1)


@pytest.mark.modes("socket", "shared")
async def test_a_lost_answer_is_never_repeated_and_the_owner_is_told(shop: Town) -> None:
    await make(shop)
    shop.slack.fail_next("chat.postMessage", kind="drop", after_acting=True)

    await at_nine(shop)
    notice = await next_notice(shop)
    move_to(shop, shop.clock() + 30 * MINUTE)
    await open_list(shop, shop.bob)

    assert "Send now" in notice.buttons
    assert len(digests(shop)) == 1


@pytest.mark.modes("socket", "shared")
async def test_a_busy_slack_gets_the_digest_when_it_said(shop: Town) -> None:
    await make(shop)
    shop.slack.fail_next("chat.postMessage", "ratelimited", retry_after_s=2)

    await at_nine(shop)

    assert len(digests(shop)) == 1


@pytest.mark.modes("socket", "shared")
async def test_a_busy_slack_gets_the_announcement_and_what_is_sent_now_a_little_later(
    shop: Town,
) -> None:
    shop.slack.fail_next("chat.postMessage", "ratelimited", retry_after_s=1)
    saved = await make(shop)
    await shop.bob.next_message(where=lambda each: "set up a health digest" in each.everything)
    shop.slack.fail_next("chat.postMessage", "ratelimited", retry_after_s=1)

    sent = await press_in(shop.bob, await open_list(shop, shop.bob), "Send now")
    await next_digest(shop)
    notice = await next_notice(shop)

    assert "Its announcement is on its way" in saved.everything
    assert "On its way" in sent.everything
    assert "Your digest is posted" in notice.everything
    assert len(digests(shop)) == 1


@pytest.mark.modes("shared")
async def test_without_a_service_the_digest_waits_and_comes_late(shop: Town) -> None:
    await make(shop)
    shop.tracker.fail_next("503", times=50)
    move_to(shop, nine(shop))
    await until_listed(shop, "Domain Tracker did not answer")
    shop.tracker.faults.clear()
    move_to(shop, shop.clock() + 20 * MINUTE)

    post = await next_digest(shop)

    assert "late" in post.everything.lower()


@pytest.mark.modes("socket", "shared")
async def test_a_refused_key_is_told_once_and_a_new_one_sends_what_waits_once(shop: Town) -> None:
    await make(shop)
    await make(shop, channel="secret")
    shop.acme.revoke_key(shop.key)
    move_to(shop, nine(shop))
    notice = await next_notice(shop, shop.ada)

    await shop.connect()
    await next_digest(shop)
    await next_digest(shop, channel="secret")
    await open_list(shop, shop.bob)

    assert "key" in notice.everything
    assert (len(digests(shop)), len(digests(shop, "secret"))) == (1, 1)
    notices = [
        message for message in shop.ada.messages("dm") if "no longer works" in message.everything
    ]
    assert len(notices) == 1


async def test_an_empty_list_is_asked_for_once_more_and_the_digest_says_that_it_stayed_so(
    shop: Town,
) -> None:
    await make(shop)
    await at_nine(shop)
    shop.acme.domains.clear()
    shop.tracker.requests.clear()

    post = await at_nine(shop)

    assert "less than half as long as at the last digest" in post.everything
    assert "3 domains gone" in post.everything
    assert len(shop.tracker.requests) == 2


async def test_an_owner_who_has_left_is_followed_by_whoever_set_the_key(shop: Town) -> None:
    await make(shop)
    shop.slack.deactivate("bob")
    shop.slack.archive("general")

    move_to(shop, nine(shop))
    notice = await next_notice(shop, shop.ada)

    assert "archived" in notice.everything


async def test_a_private_channel_of_others_cannot_be_chosen(shop: Town) -> None:
    cy = shop.slack.person("cy")
    form = await new_form(shop, cy)

    with pytest.raises(FormError):
        await cy.submit(form, {"Channel": "secret"})


@pytest.mark.modes("shared")
async def test_a_form_that_is_submitted_twice_makes_one_digest(shop: Town) -> None:
    form = await new_form(shop, shop.bob)

    await asyncio.gather(shop.bob.submit(form), shop.bob.submit(form))
    listed = await settled(shop.bob)

    assert "1 digest in" in listed.everything
    assert "1 digest in" in (await open_list(shop, shop.bob)).everything


@pytest.mark.modes("socket", "shared")
async def test_d17_a_slot_is_posted_once_across_restarts(tmp_path: Path, mode: str) -> None:
    async with running_stand_ins(tmp_path, mode) as town:
        async with running_bot(town):
            town.acme.add("shop.example", health=41)
            await town.connect()
            await make(town)
            await at_nine(town)
        for _ in range(2):
            async with running_bot(town):
                await open_list(town, town.bob)

        assert len(digests(town)) == 1


@pytest.mark.modes("socket", "shared")
async def test_d18_after_days_of_downtime_the_newest_comes_once_and_the_others_are_told(
    tmp_path: Path, mode: str
) -> None:
    async with running_stand_ins(tmp_path, mode) as town:
        async with running_bot(town):
            town.acme.add("shop.example", health=41)
            await town.connect()
            await make(town)
        move_to(town, nine(town) + 3 * DAY + 60 * MINUTE)
        async with running_bot(town):
            post = await next_digest(town)
            notice = await next_notice(town)
            listed = await open_list(town, town.bob)

        assert "late" in post.everything.lower()
        assert "3" in notice.everything
        assert "missed" in listed.everything
        assert len(digests(town)) == 1


@pytest.mark.modes("socket", "shared")
async def test_what_a_person_missed_of_several_digests_is_one_message(
    tmp_path: Path, mode: str
) -> None:
    async with running_stand_ins(tmp_path, mode) as town:
        async with running_bot(town):
            town.acme.add("shop.example", health=41)
            await town.connect()
            await make(town)
            await make(town, {"Time": "09:20"})
        move_to(town, nine(town) + 3 * DAY + 60 * MINUTE)
        async with running_bot(town):
            notice = await next_notice(town)
            for _ in range(2):
                await next_digest(town)

        assert "6 digests were missed: the bot was not running" in notice.everything
        assert notice.buttons == ["Send now", "Send now"]
        assert len(town.bob.messages("dm")) == 1


@pytest.mark.modes("shared")
async def test_only_admins_where_an_admin_said_so_also_in_forms_that_are_open(shop: Town) -> None:
    his = await make(shop)
    listed = await open_list(shop, shop.ada)
    await press_in(shop.ada, listed, "Only admins may change digests")

    refused = await press_in(shop.bob, his, "Delete")
    now = await open_list(shop, shop.bob)

    assert "admin" in refused.everything.lower()
    assert "only admins" in now.everything.lower()
    assert "New" not in now.buttons
    assert "Delete" not in now.buttons
    assert "1 digest" in (await open_list(shop, shop.ada)).everything


async def test_slack_refusing_the_new_blocks_gets_the_plain_twin(shop: Town) -> None:
    await make(shop)
    shop.slack.refuse_block_types("data_table", "data_visualization")

    post = await at_nine(shop)

    assert "shop.example" in post.everything
    assert {block["type"] for block in post.blocks} <= {"header", "section", "context", "actions"}
