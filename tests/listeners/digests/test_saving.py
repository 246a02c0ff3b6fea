"""Saving the form of a digest: where it can fail, and what is said then."""

from dataclasses import replace
from datetime import time
from typing import Any

import pytest

from bot.digests.models import Mention
from bot.playground.slack import Person, View
from bot.slack.errors import ChannelClosedError, SlackRateLimitedError, SlackUnavailableError
from bot.store.documents import StoreError
from tests.digests.office import BOB
from tests.listeners.digests.room import Room

pytestmark = pytest.mark.anyio


async def test_the_second_of_two_who_change_it_is_told(room: Room) -> None:
    digest = await room.made()
    form = await room.change_form()
    plan = replace(digest.plan, filter_text="tag:theirs")
    by = replace(BOB, user_id=room.ada.id)
    await room.desk.change(room.workspace, digest.digest_id, plan, by=by, version=1)

    after = await room.submit(form, {"Filter": "tag:mine"})

    assert f"Not saved.* <@{room.ada.id}> has changed this digest" in after.everything
    assert "Open it again" in after.everything
    assert after.values["Filter"] == "tag:mine"
    assert (await room.now(digest)).plan.filter_text == "tag:theirs"


async def test_a_digest_deleted_meanwhile_is_said_to_be_gone(room: Room) -> None:
    digest = await room.made()
    form = await room.change_form()
    await room.desk.delete(room.workspace, digest.digest_id)

    after = await room.submit(form)

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
async def test_a_channel_that_cannot_be_posted_to_is_refused_and_what_was_typed_stays(
    room: Room, channel: str, text: str
) -> None:
    form = await room.new_form()
    channel_id = room.channel_id(channel)

    choose_channel(room.bob, form, channel_id)

    after = await room.submit(form, {"Filter": "shop"})

    assert "Not saved.*" in after.everything
    assert text in after.everything
    assert (after.values["Channel"], after.values["Filter"]) == (channel_id, "shop")
    assert not _block_ids(after) & _block_ids(form)  # so that Slack takes it for a form again
    assert room.posts.posts == []


def _block_ids(form: View) -> set[str]:
    return {block["block_id"] for block in form.blocks if block["type"] == "input"}


def choose_channel(person: Person, form: View, channel_id: str) -> None:
    """Choose a channel that Slack's own client may not offer any more."""
    live = person.by_id.live(form)
    [place] = [block for block in live.blocks if block.get("label", {}).get("text") == "Channel"]
    key = (place["block_id"], place["element"]["action_id"])
    live.typed[key] = {"type": "conversations_select", "selected_conversation": channel_id}


async def test_a_channel_of_others_is_refused(room: Room) -> None:
    cy = room.slack.person("cy")
    await cy.type("/domaindigest")
    form = await room.press(await room.settled(cy), "New", cy)
    choose_channel(cy, form, room.channel_id("secret"))

    after = await room.submit(form, {}, cy)

    assert "Only members of a channel" in after.everything
    assert await room.digests("secret") == []


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
async def test_what_becomes_of_the_announcement_is_told(
    room: Room, error: Exception, text: str, count: int
) -> None:
    form = await room.new_form()
    room.posts.errors.append(error)

    after = await room.submit(form)

    assert text in after.everything
    assert len(await room.digests()) == count


async def test_a_form_that_was_saved_though_it_said_otherwise_makes_one_digest(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = await room.new_form()
    put = room.repository.put

    async def saved_unheard(*digest: Any) -> None:
        await put(*digest)
        raise StoreError("no answer")

    with monkeypatch.context() as patched:
        patched.setattr(room.repository, "put", saved_unheard)
        failed = await room.submit(form)
    saved = await room.submit(failed)

    assert "*Not saved.*" in failed.everything
    assert "✅ Saved." in saved.everything
    assert len(await room.digests()) == 1


async def test_a_full_channel_takes_no_more(room: Room) -> None:
    for _ in range(20):
        await room.made()
    listed = await room.list()

    after = await room.submit(await room.press(listed, "New"), {"Filter": "shop"})

    assert "*20 digests in #general*" in listed.everything

    assert "can have 20 digests, and that one is full" in after.everything
    assert after.values["Filter"] == "shop"


async def test_who_has_left_a_channel_cannot_take_its_digest_away(room: Room) -> None:
    digest = await room.made()
    form = await room.change_form()
    room.slack.world.workspace.channels[room.channel_id("general")].members.discard(room.bob.id)

    after = await room.submit(form, {"Channel": "secret"})

    assert "Only members of a channel" in after.everything
    assert (await room.now(digest)).plan == digest.plan


async def test_a_store_that_fails_takes_nothing_away_that_was_typed(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise StoreError("away")

    digest = await room.made(mentions=(Mention(label="tag:a", who=("U1",)),) * 2)
    form = await room.change_form()
    typed = {"Filter": "tag:typed below:80", "Time": "07:13"}

    with monkeypatch.context() as patched:
        patched.setattr(room.documents, "get", away)
        after = await room.submit(form, typed)
    saved = await room.submit(after)

    assert "*Not saved.* The app's database is unavailable" in after.everything
    assert (after.title, after.values["Filter"]) == ("Change digest", "tag:typed below:80")
    assert "✅ Saved." in saved.everything
    plan = (await room.now(digest)).plan
    assert (plan.filter_text, plan.schedule.at) == ("tag:typed below:80", time(7, 13))
    assert plan.mentions == digest.plan.mentions


@pytest.mark.parametrize("method", ["users.info", "conversations.info", "conversations.members"])
async def test_a_slack_that_fails_takes_nothing_away_that_was_typed(
    room: Room, method: str
) -> None:
    form = await room.new_form()
    room.slack.fail_next(method, "fatal_error", times=3)

    after = await room.submit(form, {"Filter": "tag:typed", "Time": "07:13"})

    assert "*Not saved.*" in after.everything
    assert (after.title, after.values["Filter"]) == ("New digest", "tag:typed")
    assert after.values["Time"] == "07:13"
    assert await room.digests() == []
