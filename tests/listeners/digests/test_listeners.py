"""`/domaindigest`: the list of a channel's digests, and what its buttons do.

The buttons about digests in messages: in posts, and in what their owners get.
"""

from datetime import time, timedelta

import pytest

from bot.digests.edits import Editor
from bot.digests.models import Mode, Plan
from bot.digests.schedule import Schedule
from bot.digests.views.wording import (
    DELETE_DIGEST,
    DIGEST_HERE,
    MAKE_DIGEST,
    MANAGE_DIGEST,
    RESUME_DIGEST,
    SEND_DIGEST,
)
from bot.keys.key_record import NoKeyError
from bot.slack.errors import ChannelClosedError, SlackUnavailableError
from bot.tracker.models import UnavailableError
from tests.digests.builders import BOB, DAILY
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


async def test_manage_on_a_post_lists_digests_for_members_of_the_channel(bot: Bot) -> None:
    digest = await bot.made("secret")
    bot.post_digest_button(MANAGE_DIGEST, "Manage", digest.digest_id, "general")
    cy = bot.slack.person("cy")

    listed = await bot.press(bot.bob.messages()[-1], "Manage")
    form = await bot.press(cy.messages()[-1], "Manage", cy)

    assert "1 digest in #secret" in listed.everything
    assert "Only members of a channel" in form.everything
    assert "1 digest" not in form.everything


async def test_an_owner_manages_a_digest_that_the_bot_cannot_see(bot: Bot) -> None:
    await bot.made("secret", name="of another person")
    plan = Plan(channel_id=bot.channel_id("secret"), schedule=DAILY)
    bob = Editor(user_id=bot.bob.id, name="bob")
    digest, _ = await bot.service.make(bot.workspace, plan, by=bob)
    bot.post_digest_button(MANAGE_DIGEST, "Manage", digest.digest_id, "dm")
    bot.slack.remove_bot("secret")

    form = await bot.press(bot.bob.messages("dm")[-1], "Manage")
    gone = await bot.press(form, "Delete")

    assert "1 digest" in form.everything
    assert "Deleted" in gone.everything
    assert [each.made_by for each in await bot.digests("secret")] == [BOB.user_id]


@pytest.mark.parametrize(
    ("action_id", "label"),
    [
        *((MANAGE_DIGEST, "Manage"), (SEND_DIGEST, "Send now")),
        *((RESUME_DIGEST, "Resume"), (DELETE_DIGEST, "Delete")),
    ],
)
async def test_a_button_of_a_deleted_digest_says_so(bot: Bot, action_id: str, label: str) -> None:
    bot.post_digest_button(action_id, label, "d0gone", "dm")

    await bot.bob.press(bot.bob.messages("dm")[-1], label)

    assert "That digest was deleted" in await bot.answer(channel="dm")


async def test_an_owner_sends_a_missing_digest_from_the_direct_message_once(bot: Bot) -> None:
    digest = await bot.made()
    bot.post_digest_button(SEND_DIGEST, "Send now", digest.digest_id, "dm")
    notice = bot.bob.messages("dm")[-1]

    await bot.bob.press(notice, "Send now")
    first = await bot.answer(channel="dm")
    bot.clock.advance(timedelta(minutes=5).total_seconds())
    await bot.bob.press(notice, "Send now")
    second = await bot.answer(channel="dm")

    assert "✅ Sent to *#general*." in first
    assert "This is already done" in second
    assert len(bot.posts.posts) == 1


@pytest.mark.parametrize("keeps_bot", [True, False])
async def test_an_archived_channel_resumes_nothing(bot: Bot, keeps_bot: bool) -> None:
    digest = await bot.made()
    await bot.service.pause(bot.workspace, digest.digest_id, by=BOB, until=None)
    bot.post_digest_button(RESUME_DIGEST, "Resume", digest.digest_id, "dm")
    notice = bot.bob.messages("dm")[-1]
    bot.slack.archive("general", keeps_bot=keeps_bot)

    await bot.bob.press(notice, "Resume")
    refused = await bot.answer(channel="dm")
    bot.slack.unarchive("general")
    await bot.slack.invite_bot("general")
    await bot.bob.press(notice, "Resume")

    assert "That channel is archived" in refused
    assert "invite the app with `/invite`" in refused
    assert "Reference" not in refused
    assert "▶️ Resumed." in await bot.answer(channel="dm")


async def test_one_press_makes_a_digest_for_working_days_at_nine(bot: Bot) -> None:
    bot.post_digest_button(DIGEST_HERE, "Digest here", "d0new", "general")
    button = bot.bob.messages()[-1]

    for _ in range(2):
        await bot.bob.press(button, "Digest here")
        answer = await bot.answer()
    [digest] = await bot.digests()

    assert "✅ Saved. Next run Fri 20 Nov 2026, 09:00" in answer
    assert digest.plan == Plan(
        channel_id=bot.channel_id("general"),
        schedule=Schedule(frozenset(range(5)), time(9), "Europe/Berlin"),
        mode=Mode.WORSE,
    )


async def test_a_guest_makes_no_digest_by_one_press(bot: Bot) -> None:
    person = bot.slack.person("gus")
    bot.post_digest_button(DIGEST_HERE, "Digest here", "d0new", "general")

    await person.press(person.messages()[-1], "Digest here")

    assert "Guests can't" in await bot.answer(person)
    assert await bot.digests() == []


async def test_where_the_app_cannot_post_one_press_makes_no_digest(bot: Bot) -> None:
    bot.post_digest_button(DIGEST_HERE, "Digest here", "d0new", "general")
    bot.slack.remove_bot("general")

    await bot.bob.press(bot.bob.messages()[-1], "Digest here")

    assert "`/invite @Domain Tracker`" in await bot.answer()
    assert await bot.digests() == []


async def test_in_a_direct_message_the_button_opens_the_form(bot: Bot) -> None:
    bot.post_digest_button(MAKE_DIGEST, "Make a digest", "", "dm")

    form = await bot.press(bot.bob.messages("dm")[-1], "Make a digest")
    saved = await bot.submit(form, {"Channel": "general"})

    assert "Post a scheduled health summary" in form.everything
    assert "✅ Saved" in saved.everything
    assert len(await bot.digests()) == 1
