"""The buttons about digests in messages: in posts, and in what their owners get."""

from datetime import time, timedelta

import pytest

from bot.digests.edits import Editor
from bot.digests.errors import RESUME_DIGEST, SEND_DIGEST
from bot.digests.models import Mode, Plan
from bot.digests.schedule import Schedule
from bot.digests.views.wording import DELETE_DIGEST, DIGEST_HERE, MAKE_DIGEST, MANAGE_DIGEST
from bot.tracker.models import InvalidKeyError
from tests.digests.office import BOB, DAILY
from tests.listeners.digests.room import Room

pytestmark = pytest.mark.anyio


async def test_manage_on_a_post_opens_the_list_of_its_channel(room: Room) -> None:
    digest = await room.made("secret")
    room.post(MANAGE_DIGEST, "Manage", digest.digest_id, "general")

    form = await room.press(room.bob.messages()[-1], "Manage")

    assert "1 digest in #secret" in form.everything


async def test_manage_is_for_those_of_the_channel_only(room: Room) -> None:
    digest = await room.made("secret")
    room.post(MANAGE_DIGEST, "Manage", digest.digest_id, "general")
    cy = room.slack.person("cy")

    form = await room.press(cy.messages()[-1], "Manage", cy)

    assert "Only members of a channel" in form.everything
    assert "1 digest" not in form.everything


async def test_who_made_a_digest_manages_it_where_the_bot_can_no_longer_look(room: Room) -> None:
    await room.made("secret")
    plan = Plan(channel_id=room.channel_id("secret"), schedule=DAILY)
    bob = Editor(user_id=room.bob.id, name="bob")
    digest, _ = await room.desk.make(room.workspace, plan, by=bob)
    room.post(MANAGE_DIGEST, "Manage", digest.digest_id, "dm")
    room.slack.remove_bot("secret")

    form = await room.press(room.bob.messages("dm")[-1], "Manage")
    gone = await room.press(form, "Delete")

    assert "1 digest" in form.everything
    assert "Deleted" in gone.everything
    assert [each.made_by for each in await room.digests("secret")] == [BOB.user_id]


async def test_nobody_else_manages_a_digest_where_the_bot_can_no_longer_look(room: Room) -> None:
    digest = await room.made("secret")
    room.post(MANAGE_DIGEST, "Manage", digest.digest_id, "general")
    room.slack.remove_bot("secret")

    form = await room.press(room.ada.messages()[-1], "Manage", room.ada)

    assert "1 digest" not in form.everything
    assert "Delete" not in form.buttons


@pytest.mark.parametrize(
    ("action_id", "label"),
    [
        *((MANAGE_DIGEST, "Manage"), (SEND_DIGEST, "Send now")),
        *((RESUME_DIGEST, "Resume"), (DELETE_DIGEST, "Delete")),
    ],
)
async def test_a_button_about_a_deleted_digest_says_so(
    room: Room, action_id: str, label: str
) -> None:
    room.post(action_id, label, "d0gone", "dm")

    await room.bob.press(room.bob.messages("dm")[-1], label)

    assert "That digest was deleted" in await room.answer(channel="dm")


async def test_an_owner_sends_a_missing_digest_from_the_direct_message_once(room: Room) -> None:
    digest = await room.made()
    room.post(SEND_DIGEST, "Send now", digest.digest_id, "dm")
    notice = room.bob.messages("dm")[-1]

    await room.bob.press(notice, "Send now")
    first = await room.answer(channel="dm")
    room.clock.advance(timedelta(minutes=5).total_seconds())
    await room.bob.press(notice, "Send now")
    second = await room.answer(channel="dm")

    assert "✅ Sent to *#general*." in first
    assert "This is already done" in second
    assert len(room.posts.posts) == 1


@pytest.mark.parametrize("keeps_bot", [True, False])
async def test_in_an_archived_channel_nothing_is_resumed_until_it_is_back(
    room: Room, keeps_bot: bool
) -> None:
    digest = await room.made()
    await room.desk.pause(room.workspace, digest.digest_id, by=BOB, until=None)
    room.post(RESUME_DIGEST, "Resume", digest.digest_id, "dm")
    notice = room.bob.messages("dm")[-1]
    room.slack.archive("general", keeps_bot=keeps_bot)

    await room.bob.press(notice, "Resume")
    refused = await room.answer(channel="dm")
    room.slack.unarchive("general")
    await room.slack.invite_bot("general")
    await room.bob.press(notice, "Resume")

    assert "That channel is archived" in refused
    assert "invite the app with `/invite`" in refused
    assert "Reference" not in refused
    assert "▶️ Resumed." in await room.answer(channel="dm")


async def test_what_keeps_a_missing_digest_from_being_sent_is_told_and_it_can_be_pressed_again(
    room: Room,
) -> None:
    digest = await room.made()
    room.post(SEND_DIGEST, "Send now", digest.digest_id, "dm")
    notice = room.bob.messages("dm")[-1]
    room.lists.error = InvalidKeyError()

    await room.bob.press(notice, "Send now")
    refused = await room.answer(channel="dm")
    room.lists.error = None
    await room.bob.press(notice, "Send now")

    assert "This workspace's API key no longer works" in refused
    assert "ask a workspace admin or owner" in refused
    assert "✅ Sent to" in await room.answer(channel="dm")


async def test_one_press_makes_a_digest_for_working_days_at_nine_in_the_persons_zone(
    room: Room,
) -> None:
    room.post(DIGEST_HERE, "Digest here", "d0new", "general")
    button = room.bob.messages()[-1]

    for _ in range(2):
        await room.bob.press(button, "Digest here")
        answer = await room.answer()
    [digest] = await room.digests()

    assert "✅ Saved. Next run Fri 20 Nov 2026, 09:00" in answer
    assert digest.plan == Plan(
        channel_id=room.channel_id("general"),
        schedule=Schedule(frozenset(range(5)), time(9), "Europe/Berlin"),
        mode=Mode.WORSE,
    )


async def test_a_guest_makes_no_digest_by_one_press(room: Room) -> None:
    person = room.slack.person("gus")
    room.post(DIGEST_HERE, "Digest here", "d0new", "general")

    await person.press(person.messages()[-1], "Digest here")

    assert "Guests can't" in await room.answer(person)
    assert await room.digests() == []


async def test_where_the_app_cannot_post_one_press_makes_no_digest(room: Room) -> None:
    room.post(DIGEST_HERE, "Digest here", "d0new", "general")
    room.slack.remove_bot("general")

    await room.bob.press(room.bob.messages()[-1], "Digest here")

    assert "`/invite @Domain Tracker`" in await room.answer()
    assert await room.digests() == []


async def test_in_a_direct_message_the_button_opens_the_form(room: Room) -> None:
    room.post(MAKE_DIGEST, "Make a digest", "", "dm")

    form = await room.press(room.bob.messages("dm")[-1], "Make a digest")
    saved = await room.submit(form, {"Channel": "general"})

    assert "Post a scheduled health summary" in form.everything
    assert "✅ Saved" in saved.everything
    assert len(await room.digests()) == 1
