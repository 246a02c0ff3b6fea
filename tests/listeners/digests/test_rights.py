"""Whom the list of digests serves, and what it says when something breaks."""

import pytest

from tests.listeners.digests.room import Room

pytestmark = pytest.mark.anyio


async def test_an_admin_keeps_digests_to_admins_and_gives_them_back(room: Room) -> None:
    await room.made()
    form = await room.list(room.ada)

    kept = await room.press(form, "Only admins may change digests", room.ada)
    seen = await room.list()
    await room.press(kept, "Let members change digests", room.ada)

    assert "🔒 From now on only admins" in kept.everything
    assert seen.buttons == []
    assert "1 digest" in seen.everything
    assert "Change" in (await room.list()).buttons


async def test_who_is_no_admin_any_more_does_not_say_who_may(room: Room) -> None:
    form = await room.list(room.ada)
    room.ada.member.is_admin = False

    after = await room.press(form, "Only admins may change digests", room.ada)

    assert "only admins and owners make and change digests" in after.everything
    assert not await room.office.desk.admins_only(room.workspace)


@pytest.mark.parametrize("label", ["New", "Change", "Send now", "Preview", "Pause", "Delete"])
async def test_rights_are_asked_for_at_every_press(room: Room, label: str) -> None:
    await room.made()
    form = await room.list()
    await room.office.desk.restrict(room.workspace, admins_only=True)

    after = await room.press(form, label)

    assert "only admins and owners make and change digests. Please ask" in after.everything
    assert after.buttons == []
    assert len(await room.digests()) == 1


async def test_who_has_left_the_channel_is_shown_nothing_of_it(room: Room) -> None:
    await room.made(filter_text="tag:inside")
    form = await room.list()
    room.slack.world.workspace.channels[room.channel_id("general")].members.discard(room.bob.id)

    after = await room.press(form, "Delete")

    assert "You are not in that channel" in after.everything
    assert "tag:inside" not in after.everything
    assert len(await room.digests()) == 1


async def test_where_the_bot_cannot_look_nothing_is_changed(room: Room) -> None:
    await room.made("hidden", filter_text="tag:kept")
    form = await room.list(channel="hidden")

    after = await room.press(form, "Delete")

    assert "tag:kept" in form.everything
    assert "You are not in that channel, or I am not" in after.everything
    assert len(await room.digests("hidden")) == 1


async def test_a_guest_is_told_that_digests_are_not_for_guests(room: Room) -> None:
    gus = room.slack.person("gus")

    await gus.type("/domaindigest")

    assert "Guests cannot see or change digests" in await room.answer(gus)
    assert gus.form is None


async def test_a_mistake_of_the_bot_does_not_leave_the_form_waiting(room: Room) -> None:
    await room.made()
    form = await room.list()
    room.office.lists.error = RuntimeError("boom")

    after = await room.press(form, "Preview")

    assert "Something broke on my side" in after.everything
    assert "Preview" in after.buttons
    assert "Reference" in await room.answer()


async def test_a_store_that_fails_is_told_in_the_form(room: Room) -> None:
    await room.made()
    form = await room.list()
    await room.office.documents.close()

    after = await room.press(form, "Delete")

    assert "I cannot reach my memory right now" in after.everything
    assert after.buttons == ["Back"]


@pytest.mark.parametrize("label", ["Delete", "Preview", "Send now"])
async def test_slack_is_asked_once_per_press_who_is_in_the_channel(room: Room, label: str) -> None:
    await room.made()
    form = await room.list()

    await room.press(form, label)

    asked = [call for call in room.slack.calls if call.method == "conversations.members"]
    assert len(asked) == 1
