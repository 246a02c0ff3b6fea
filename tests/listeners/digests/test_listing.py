"""`/domaindigest`: the list of a channel's digests, and what its buttons do."""

import pytest

from bot.keys.key_record import NoKeyError
from bot.slack.errors import ChannelClosedError, SlackUnavailableError
from bot.tracker.models import UnavailableError
from tests.listeners.digests.room import Room

pytestmark = pytest.mark.anyio

DOWN = UnavailableError(is_outcome_unknown=False)


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


async def test_send_now_says_that_it_takes_a_while_and_then_that_it_was_sent(room: Room) -> None:
    await room.made()
    form = await room.list()

    sent = await room.press(form, "Send now")

    assert "✅ Sent to *#general*." in sent.everything
    updates = [str(call.arguments) for call in room.slack.calls if call.method == "views.update"]
    assert ["Sending…" in update for update in updates] == [False, True, False]
    [(_, post)] = room.posts.posts
    assert post.startswith("Health digest: 1 domain, average 41.")


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
    room.posts.errors.append(error)

    sent = await room.press(form, "Send now")

    assert text in sent.everything
    assert "1 digest in #general" in sent.everything


async def test_a_service_that_is_down_is_told_in_the_form(room: Room) -> None:
    await room.made()
    form = await room.list()
    room.lists.error = DOWN

    after = await room.press(form, "Send now")

    assert "⚠️ *Not sent.* Domain Tracker is unavailable" in after.everything
    assert "Send now" in after.buttons
    assert room.posts.posts == []


async def test_a_preview_that_no_form_opens_for_is_said_in_the_list(room: Room) -> None:
    await room.made()
    form = await room.list()
    room.slack.fail_next("views.push", "expired_trigger_id")

    after = await room.press(form, "Preview")

    assert "couldn't open in time" in after.everything
    assert "Preview" in after.buttons


async def test_without_a_key_the_form_says_who_can_set_one(room: Room) -> None:
    await room.made()
    room.lists.error = NoKeyError("none")

    member = await room.press(await room.list(), "Preview")
    admin = await room.press(await room.list(room.ada), "Preview", room.ada)

    assert "Please ask a workspace admin" in member.everything
    assert "Type `/domainkey`" in admin.everything


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
    room.lists.gate.clear()

    await room.bob.press(form, "Send now")
    await room.bob.close(form)
    room.lists.gate.set()

    assert "✅ Sent to *#general*." in await room.answer()


async def test_a_digest_is_deleted_after_a_question(room: Room) -> None:
    await room.made()
    form = await room.list()

    question = room.bob.dismiss(form, "Delete")
    after = await room.press(form, "Delete")

    assert "This deletes the digest and its history for the whole channel" in str(question)
    assert "🗑️ Deleted." in after.everything
    assert await room.digests() == []


@pytest.mark.parametrize("label", ["Send now", "Pause", "Delete", "Change"])
async def test_a_digest_that_somebody_deleted_meanwhile_is_said_to_be_gone(
    room: Room, label: str
) -> None:
    digest = await room.made()
    form = await room.list()
    await room.desk.delete(room.workspace, digest.digest_id)

    after = await room.press(form, label)

    assert "That digest was deleted" in after.everything
    assert "No digests in #general yet" in after.everything
