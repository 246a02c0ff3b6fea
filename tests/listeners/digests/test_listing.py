"""`/domaindigest`: the list of a channel's digests, and what its buttons do."""

import asyncio
from datetime import timedelta

import pytest

from bot.api_keys.models import NoKeyError
from bot.slack.errors import ChannelClosedError, SlackRateLimitedError, SlackUnavailableError
from bot.tracker.models import UnavailableError
from tests.digests.office import BOB
from tests.listeners.digests.room import Room

pytestmark = pytest.mark.anyio

DOWN = UnavailableError(is_outcome_unknown=False)


async def test_what_means_nothing_is_named_and_nothing_opens(room: Room) -> None:
    await room.bob.type("/domaindigest tag:prod now")

    text = await room.answer()
    assert "`tag:prod` – nothing stands behind this command" in text
    assert "`now`" in text
    assert room.bob.form is None


async def test_the_list_is_that_of_the_channel_where_it_was_typed(room: Room) -> None:
    await room.made("general", filter_text="tag:here")
    await room.made("secret", filter_text="tag:there")

    form = await room.list()

    assert form.title == "Health digests"
    assert "1 digest in #general" in form.everything
    assert "tag:here" in form.everything
    assert "tag:there" not in form.everything


@pytest.mark.parametrize("channel", ["random", "hidden", "dm"])
async def test_without_the_bot_the_list_opens_and_says_how_to_go_on(
    room: Room, channel: str
) -> None:
    form = await room.list(channel=channel)

    assert "/invite @Domain Tracker" in form.everything
    assert "New" in form.buttons


async def test_a_list_that_does_not_open_in_time_can_be_asked_for_again(room: Room) -> None:
    room.slack.fail_next("views.open", "expired_trigger_id")

    await room.bob.type("/domaindigest")

    assert "couldn't open in time" in await room.answer()
    assert room.bob.messages()[-1].buttons == ["Try again"]


async def test_the_form_opens_before_anything_slow_is_asked(room: Room) -> None:
    await room.list()

    asked = [call.method for call in room.slack.calls]
    assert asked.index("views.open") < asked.index("conversations.info")


async def test_send_now_says_that_it_takes_a_while_and_then_that_it_was_sent(room: Room) -> None:
    await room.made()
    form = await room.list()

    sent = await room.press(form, "Send now")

    assert "✅ Sent to *#general*." in sent.everything
    updates = [str(call.arguments) for call in room.slack.calls if call.method == "views.update"]
    assert ["Sending…" in update for update in updates] == [False, True, False]
    assert [text for _, text in room.office.posts.posts] == ["digest: 1 domains, average 41.0"]


async def test_send_now_pressed_twice_sends_once(room: Room) -> None:
    await room.made()
    form = await room.list()

    await asyncio.gather(room.bob.press(form, "Send now"), room.bob.press(form, "Send now"))

    assert "✅ Sent to" in (await room.settled()).everything
    assert len(room.office.posts.posts) == 1


async def test_send_now_pressed_again_in_the_list_that_says_sent_sends_again(room: Room) -> None:
    await room.made()
    sent = await room.press(await room.list(), "Send now")

    again = await room.press(sent, "Send now")

    assert "✅ Sent to" in again.everything
    assert len(room.office.posts.posts) == 2


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (SlackUnavailableError("lost"), "Slack did not confirm the post"),
        (ChannelClosedError("is_archived"), "That channel is archived"),
    ],
    ids=["lost", "archived"],
)
async def test_what_slack_does_with_the_post_is_told_in_the_form(
    room: Room, error: Exception, text: str
) -> None:
    await room.made()
    form = await room.list()
    room.office.posts.errors.append(error)

    sent = await room.press(form, "Send now")

    assert text in sent.everything
    assert "1 digest in #general" in sent.everything


async def test_what_slack_does_not_take_is_on_its_way_and_whoever_sent_it_reads_when_it_is_posted(
    room: Room,
) -> None:
    await room.made()
    form = await room.list()
    room.office.posts.errors.append(SlackRateLimitedError(1))

    sent = await room.press(form, "Send now")
    await room.office.at(room.office.clock.now + timedelta(seconds=1))

    assert "🕓 *On its way.* Slack did not accept the post." in sent.everything
    assert "🕓 *Waiting*: Slack did not accept the post" in sent.everything
    assert len(room.office.posts.posts) == 1
    assert room.office.posts.notified == [(room.bob.id, "posted None x1")]


async def test_a_service_that_is_down_is_told_in_the_form(room: Room) -> None:
    await room.made()
    form = await room.list()
    room.office.lists.error = DOWN

    after = await room.press(form, "Send now")

    assert "⚠️ *Not sent.* Domain Tracker is unavailable" in after.everything
    assert "Send now" in after.buttons
    assert room.office.posts.posts == []


async def test_a_preview_that_cannot_be_made_says_why_above_the_list(room: Room) -> None:
    await room.made()
    form = await room.list()
    room.office.lists.error = DOWN

    above = await room.press(form, "Preview")

    assert "Domain Tracker is unavailable" in above.everything
    assert above.buttons == []
    assert above.id != form.id


async def test_a_preview_that_no_form_opens_for_is_said_in_the_list(room: Room) -> None:
    await room.made()
    form = await room.list()
    room.slack.fail_next("views.push", "expired_trigger_id")

    after = await room.press(form, "Preview")

    assert "couldn't open in time" in after.everything
    assert "Preview" in after.buttons


async def test_without_a_key_the_form_says_who_can_set_one(room: Room) -> None:
    await room.made()
    room.office.lists.error = NoKeyError("none")

    member = await room.press(await room.list(), "Preview")
    admin = await room.press(await room.list(room.ada), "Preview", room.ada)

    assert "Please ask a workspace admin" in member.everything
    assert "Type `/domainkey`" in admin.everything


async def test_a_preview_is_shown_above_the_list(room: Room) -> None:
    await room.made()
    form = await room.list()

    above = await room.press(form, "Preview")

    assert "Preview" in above.everything
    assert room.bob.messages() == []
    assert room.office.posts.posts == []


async def test_a_preview_whose_form_was_closed_is_a_reply(room: Room) -> None:
    await room.made()
    form = await room.list()
    room.slack.fail_next("views.update", "not_found")

    await room.press(form, "Preview")

    assert "Preview" in await room.answer()
    assert room.bob.messages()[-1].is_ephemeral


async def test_an_owner_deletes_what_they_made_in_a_channel_that_was_archived(room: Room) -> None:
    own, other = await room.made_by_bob(), await room.made(filter_text="tag:theirs")
    form = await room.list()
    room.slack.archive("general")

    after = await room.press(form, "Delete")

    assert "🗑️ Deleted." in after.everything
    assert "tag:theirs" in after.everything  # bob is still among its members
    assert "unarchive it, type `/invite" in after.everything
    assert [each.digest_id for each in await room.digests()] == [other.digest_id]
    assert own.digest_id != other.digest_id


async def test_a_form_that_was_closed_meanwhile_still_tells_how_it_ended(room: Room) -> None:
    await room.made()
    form = await room.list()
    room.office.lists.gate.clear()

    await room.bob.press(form, "Send now")
    await room.bob.close(form)
    room.office.lists.gate.set()

    assert "✅ Sent to *#general*." in await room.answer()


async def test_in_an_archived_channel_nothing_is_resumed(room: Room) -> None:
    digest = await room.made("random")
    await room.office.desk.pause(room.workspace, digest.digest_id, by=BOB, until=None)
    form = await room.list(channel="random")

    without_bot = await room.press(form, "Resume")
    room.slack.world.workspace.channels[digest.plan.channel_id].is_archived = True
    room.slack.world.workspace.channels[digest.plan.channel_id].members.add(room.slack.bot_user_id)
    archived = await room.press(without_bot, "Resume")

    assert "The app is not in that channel" in without_bot.everything
    assert "channel is archived" in archived.everything
    assert (await room.now(digest)).pause is not None


async def test_a_digest_is_deleted_after_a_question(room: Room) -> None:
    await room.made()
    form = await room.list()

    question = room.bob.dismiss(form, "Delete")
    after = await room.press(form, "Delete")

    assert "It is deleted for everyone" in str(question)
    assert "🗑️ Deleted." in after.everything
    assert await room.digests() == []


async def test_a_preview_of_a_digest_that_somebody_deleted_meanwhile_says_so(room: Room) -> None:
    digest = await room.made()
    form = await room.list()
    await room.office.desk.delete(room.workspace, digest.digest_id)

    assert "That digest was deleted" in (await room.press(form, "Preview")).everything


@pytest.mark.parametrize("label", ["Send now", "Pause", "Delete", "Change"])
async def test_a_digest_that_somebody_deleted_meanwhile_is_said_to_be_gone(
    room: Room, label: str
) -> None:
    digest = await room.made()
    form = await room.list()
    await room.office.desk.delete(room.workspace, digest.digest_id)

    after = await room.press(form, label)

    assert "That digest was deleted" in after.everything
    assert "No digests in #general yet" in after.everything
