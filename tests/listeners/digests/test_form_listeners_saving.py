"""Saving the form of a digest: where it can fail, and what is said then."""

from dataclasses import replace
from datetime import time
from typing import Any

import pytest

from bot.digests.models import Mention, Mode
from bot.playground.slack import Person, View
from bot.slack.errors import ChannelClosedError, SlackRateLimitedError, SlackUnavailableError
from bot.store.documents import StoreError
from tests.digests.builders import BOB
from tests.digests.test_worker_alerts import ALL_DAY
from tests.listeners.running import Bot


async def test_the_second_of_two_editors_is_warned(bot: Bot) -> None:
    digest = await bot.made()
    form = await bot.change_form()
    plan = replace(digest.plan, filter_text="tag:theirs")
    by = replace(BOB, user_id=bot.ada.id)
    await bot.service.change(bot.workspace, digest.digest_id, plan, by=by, version=1)

    after = await bot.submit(form, {"Filter": "tag:mine"})

    assert f"Not saved.* <@{bot.ada.id}> has changed this digest" in after.everything
    assert "Open it again" in after.everything
    assert after.values["Filter"] == "tag:mine"
    assert (await bot.now(digest)).plan.filter_text == "tag:theirs"


async def test_saving_a_deleted_digest_says_that_it_is_gone(bot: Bot) -> None:
    digest = await bot.made()
    form = await bot.change_form()
    await bot.service.delete(bot.workspace, digest.digest_id)

    after = await bot.submit(form)

    assert "That digest was deleted" in after.everything
    assert "Back" in after.buttons


@pytest.mark.parametrize(
    ("channel", "text"),
    [
        ("random", "The app is not in that channel"),
        ("hidden", "/invite @Domain Tracker"),
        ("old", "archived"),
    ],
)
async def test_a_closed_channel_is_refused(bot: Bot, channel: str, text: str) -> None:
    form = await bot.new_form()
    channel_id = bot.channel_id(channel)

    choose_channel(bot.bob, form, channel_id)

    after = await bot.submit(form, {"Filter": "shop"})

    assert "Not saved.*" in after.everything
    assert text in after.everything
    assert (after.values["Channel"], after.values["Filter"]) == (channel_id, "shop")
    assert not _block_ids(after) & _block_ids(form)  # so that Slack takes it for a form again
    assert bot.posts.posts == []


def _block_ids(form: View) -> set[str]:
    return {block["block_id"] for block in form.blocks if block["type"] == "input"}


def choose_channel(person: Person, form: View, channel_id: str) -> None:
    """Choose a channel that Slack's own client may not offer any more."""
    live = person.by_id.live(form)
    [place] = [block for block in live.blocks if block.get("label", {}).get("text") == "Channel"]
    key = (place["block_id"], place["element"]["action_id"])
    live.typed[key] = {"type": "conversations_select", "selected_conversation": channel_id}


async def test_a_channel_of_others_is_refused(bot: Bot) -> None:
    cy = bot.slack.person("cy")
    await cy.type("/domaindigest")
    form = await bot.press(await bot.settled(cy), "New", cy)
    choose_channel(cy, form, bot.channel_id("secret"))

    after = await bot.submit(form, {}, cy)

    assert "Only members of a channel" in after.everything
    assert await bot.digests("secret") == []


@pytest.mark.parametrize(
    ("error", "text", "count"),
    [
        (
            ChannelClosedError("restricted_action"),
            "Not saved.* The app may not post in that channel",
            0,
        ),
        (SlackUnavailableError("lost"), "did not confirm the announcement", 1),
        (SlackRateLimitedError(1), "did not confirm the announcement", 1),
    ],
    ids=["refused", "lost", "busy"],
)
async def test_the_announcement_is_reported(
    bot: Bot, error: Exception, text: str, count: int
) -> None:
    form = await bot.new_form()
    bot.posts.errors.append(error)

    after = await bot.submit(form)

    assert text in after.everything
    assert len(await bot.digests()) == count


async def test_a_repeated_save_makes_one_digest(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    form = await bot.new_form()
    put = bot.repository.put

    async def saved_unheard(*digest: Any) -> None:
        await put(*digest)
        raise StoreError("no answer")

    with monkeypatch.context() as patched:
        patched.setattr(bot.repository, "put", saved_unheard)
        failed = await bot.submit(form)
    saved = await bot.submit(failed)

    assert "*Not saved.*" in failed.everything
    assert "✅ Saved." in saved.everything
    assert len(await bot.digests()) == 1


async def test_a_full_channel_takes_no_more(bot: Bot) -> None:
    for number in range(20):
        await bot.made(filter_text=f"below:{number}")
    listed = await bot.open_list()

    after = await bot.submit(await bot.press(listed, "New"), {"Filter": "shop"})

    assert "*20 digests in #general*" in listed.everything

    assert "can have 20 digests, and that one is full" in after.everything
    assert after.values["Filter"] == "shop"


async def test_a_person_who_left_a_channel_cannot_move_its_digest(bot: Bot) -> None:
    digest = await bot.made()
    form = await bot.change_form()
    bot.slack.world.workspace.channels[bot.channel_id("general")].members.discard(bot.bob.id)

    after = await bot.submit(form, {"Channel": "secret"})

    assert "Only members of a channel" in after.everything
    assert (await bot.now(digest)).plan == digest.plan


async def test_after_a_refused_move_the_form_can_be_saved_again(bot: Bot) -> None:
    digest = await bot.made()
    form = await bot.change_form()
    bot.posts.errors.append(ChannelClosedError("restricted_action"))

    after = await bot.submit(form, {"Channel": "secret"})
    refused = (await bot.now(digest)).plan
    saved = await bot.submit(after, {"Channel": "general", "Filter": "tag:prod"})

    assert "*Not saved.* The app may not post in that channel" in after.everything
    assert refused == digest.plan
    assert "✅ Saved." in saved.everything
    assert (await bot.now(digest)).plan == replace(digest.plan, filter_text="tag:prod")


async def test_a_store_failure_keeps_the_input(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: object) -> None:
        raise StoreError("away")

    digest = await bot.made(
        mentions=tuple(Mention(label=f"tag:{name}", who=("U1",)) for name in "ab")
    )
    form = await bot.change_form()
    typed = {"Filter": "tag:typed below:80", "Time": "07:13"}

    with monkeypatch.context() as patched:
        patched.setattr(bot.documents, "get", away)
        after = await bot.submit(form, typed)
    saved = await bot.submit(after)

    assert "*Not saved.* The app's database is unavailable" in after.everything
    assert (after.title, after.values["Filter"]) == ("Change digest", "tag:typed below:80")
    assert "✅ Saved." in saved.everything
    plan = (await bot.now(digest)).plan
    assert (plan.filter_text, plan.schedule.at) == ("tag:typed below:80", time(7, 13))
    assert plan.mentions == digest.plan.mentions


async def test_the_form_of_an_alert_keeps_its_input_while_its_cards_are_unreadable(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise StoreError("away")

    await bot.made(mode=Mode.WORSE, schedule=ALL_DAY)
    form = await bot.change_form()

    with monkeypatch.context() as patched:
        patched.setattr(bot.repository, "cards", away)
        after = await bot.submit(form, {"Filter": "tag:typed"})

    assert "*Not saved.* The app's database is unavailable" in after.everything
    assert after.values["Filter"] == "tag:typed"


@pytest.mark.parametrize("method", ["users.info", "conversations.info", "conversations.members"])
async def test_a_slack_failure_keeps_the_input(bot: Bot, method: str) -> None:
    form = await bot.new_form()
    bot.slack.fail_next(method, "fatal_error", times=3)

    after = await bot.submit(form, {"Filter": "tag:typed", "Time": "07:13"})

    assert "*Not saved.*" in after.everything
    assert (after.title, after.values["Filter"]) == ("New digest", "tag:typed")
    assert after.values["Time"] == "07:13"
    assert await bot.digests() == []
