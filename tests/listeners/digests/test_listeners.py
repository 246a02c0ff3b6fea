"""`/domaindigest`: the list of a channel's digests, and what its buttons do."""

import pytest

from bot.keys.key_record import NoKeyError
from bot.slack.errors import ChannelClosedError, SlackUnavailableError
from bot.tracker.models import UnavailableError
from tests.listeners.running import Bot

DOWN = UnavailableError(is_outcome_unknown=False)


async def test_the_list_is_that_of_the_channel_where_it_was_typed(bot: Bot) -> None:
    await bot.made("general", filter_text="tag:here")
    await bot.made("secret", filter_text="tag:there")

    form = await bot.open_list()

    assert form.title == "Health digests"
    assert "1 digest in #general" in form.everything
    assert "tag:here" in form.everything
    assert "tag:there" not in form.everything


@pytest.mark.parametrize("channel", ["random", "hidden", "dm"])
async def test_the_list_without_the_bot_says_how_to_invite_it(bot: Bot, channel: str) -> None:
    form = await bot.open_list(channel=channel)

    assert "/invite @Domain Tracker" in form.everything
    assert "New" in form.buttons


async def test_a_list_that_does_not_open_in_time_can_be_asked_for_again(bot: Bot) -> None:
    bot.slack.fail_next("views.open", "expired_trigger_id")

    await bot.bob.type("/domaindigest")

    assert "couldn't open in time" in await bot.answer()
    assert bot.bob.messages()[-1].buttons == ["Try again"]


async def test_send_now_says_that_it_takes_a_while_and_then_that_it_was_sent(bot: Bot) -> None:
    await bot.made()
    form = await bot.open_list()

    sent = await bot.press(form, "Send now")

    assert "✅ Sent to *#general*." in sent.everything
    updates = [str(call.arguments) for call in bot.slack.calls if call.method == "views.update"]
    assert ["Sending…" in update for update in updates] == [False, True, False]
    [(_, post)] = bot.posts.posts
    assert post.startswith("Health digest: 1 domain, average 41.")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (SlackUnavailableError("lost"), "Slack did not confirm the post"),
        (ChannelClosedError("is_archived"), "That channel is archived"),
        (DOWN, "⚠️ *Not sent.* Domain Tracker is unavailable"),
    ],
    ids=["lost", "archived", "service"],
)
async def test_the_form_reports_the_post(bot: Bot, error: Exception, text: str) -> None:
    await bot.made()
    form = await bot.open_list()
    if error is DOWN:
        bot.lists.error = DOWN
    else:
        bot.posts.errors.append(error)

    sent = await bot.press(form, "Send now")

    assert text in sent.everything
    assert "1 digest in #general" in sent.everything
    assert "Send now" in sent.buttons
    assert bot.posts.posts == []


async def test_a_preview_that_does_not_open_is_explained_in_the_list(bot: Bot) -> None:
    await bot.made()
    form = await bot.open_list()
    bot.slack.fail_next("views.push", "expired_trigger_id")

    after = await bot.press(form, "Preview")

    assert "couldn't open in time" in after.everything
    assert "Preview" in after.buttons


async def test_without_a_key_the_form_says_who_can_set_one(bot: Bot) -> None:
    await bot.made()
    bot.lists.error = NoKeyError("none")

    member = await bot.press(await bot.open_list(), "Preview")
    admin = await bot.press(await bot.open_list(bot.ada), "Preview", bot.ada)

    assert "Please ask a workspace admin" in member.everything
    assert "Type `/domainkey`" in admin.everything


async def test_a_preview_whose_form_was_closed_is_a_reply(bot: Bot) -> None:
    await bot.made()
    form = await bot.open_list()
    bot.slack.fail_next("views.update", "not_found")

    await bot.press(form, "Preview")

    assert "Preview" in await bot.answer()
    assert bot.bob.messages()[-1].is_ephemeral


async def test_an_owner_deletes_what_they_made_in_a_channel_that_was_archived(bot: Bot) -> None:
    own, other = await bot.made_by_bob(), await bot.made(filter_text="tag:theirs")
    form = await bot.open_list()
    bot.slack.archive("general")

    after = await bot.press(form, "Delete")

    assert "🗑️ Deleted." in after.everything
    assert "tag:theirs" in after.everything  # bob is still among its members
    assert "unarchive it, type `/invite" in after.everything
    assert [each.digest_id for each in await bot.digests()] == [other.digest_id]
    assert own.digest_id != other.digest_id


async def test_a_closed_form_is_followed_by_a_message(bot: Bot) -> None:
    await bot.made()
    form = await bot.open_list()
    bot.lists.gate.clear()

    await bot.bob.press(form, "Send now")
    await bot.bob.close(form)
    bot.lists.gate.set()

    assert "✅ Sent to *#general*." in await bot.answer()


async def test_a_digest_is_deleted_after_a_question(bot: Bot) -> None:
    await bot.made()
    form = await bot.open_list()

    question = bot.bob.dismiss(form, "Delete")
    after = await bot.press(form, "Delete")

    assert "This deletes the digest and its history for the whole channel" in str(question)
    assert "🗑️ Deleted." in after.everything
    assert await bot.digests() == []


@pytest.mark.parametrize("label", ["Send now", "Pause", "Delete", "Change"])
async def test_a_digest_deleted_by_someone_else_is_gone(bot: Bot, label: str) -> None:
    digest = await bot.made()
    form = await bot.open_list()
    await bot.service.delete(bot.workspace, digest.digest_id)

    after = await bot.press(form, label)

    assert "That digest was deleted" in after.everything
    assert "No digests in #general yet" in after.everything
