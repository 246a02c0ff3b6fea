"""Whom the list of digests serves, and what it says when something breaks."""

import re
from dataclasses import replace

import pytest

from tests.digests.office import BOB
from tests.listeners.digests.room import Room

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("label", ["New", "Change", "Send now", "Preview", "Pause", "Delete"])
async def test_rights_are_asked_for_at_every_press(room: Room, label: str) -> None:
    await room.made()
    form = await room.list()
    room.bob.member.is_restricted = True

    after = await room.press(form, label)

    assert "Guests can't see or change digests" in after.everything
    assert set(after.buttons) <= {"Back"}
    assert len(await room.digests()) == 1


async def test_where_the_bot_cannot_look_nothing_is_changed(room: Room) -> None:
    await room.made("hidden", filter_text="tag:kept")
    own = await room.made_by_bob("hidden")
    form = await room.list(channel="hidden")
    theirs = replace(own, made_by=BOB.user_id)
    await room.repository.change(room.workspace, own.digest_id, lambda _: theirs)

    after = await room.press(form, "Delete")

    assert "tag:kept" in form.everything
    assert form.buttons.count("Delete") == 1
    assert "Only members of a channel can see and change" in after.everything
    assert len(await room.digests("hidden")) == 2


async def test_a_mistake_of_the_bot_does_not_leave_the_form_waiting(room: Room) -> None:
    await room.made()
    form = await room.list()
    room.lists.error = RuntimeError("boom")

    after = await room.press(form, "Preview")

    assert "Something went wrong in the app" in after.everything
    assert "Preview" in after.buttons
    assert "Reference" in await room.answer()


async def test_a_store_that_fails_is_told_in_the_form(room: Room) -> None:
    await room.made()
    form = await room.list()
    await room.documents.close()

    after = await room.press(form, "Delete")

    assert "The app's database is unavailable" in after.everything
    assert re.search("Reference [0-9a-f]{8}", after.everything)
    assert set(after.buttons) <= {"Back"}


@pytest.mark.parametrize("label", ["Delete", "Preview", "Send now"])
async def test_slack_is_asked_once_per_press_who_is_in_the_channel(room: Room, label: str) -> None:
    await room.made()
    form = await room.list()

    await room.press(form, label)

    asked = [call for call in room.slack.calls if call.method == "conversations.members"]
    assert len(asked) == 1


async def test_a_mistake_while_the_list_opens_does_not_leave_it_looking_for_ever(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("boom")

    with monkeypatch.context() as patched:
        patched.setattr(room.desk, "of_channel", broken)
        form = await room.list()
    again = await room.press(form, "Try again")

    assert "Something went wrong in the app" in form.everything
    assert "Reference" in await room.answer()
    assert "No digests in #general yet" in again.everything
