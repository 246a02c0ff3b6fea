"""Whom the list of digests serves, and what it says when something breaks."""

import re
from dataclasses import replace

import pytest

from tests.digests.builders import BOB
from tests.listeners.running import Bot


@pytest.mark.parametrize("label", ["New", "Change", "Send now", "Preview", "Pause", "Delete"])
async def test_rights_are_asked_for_at_every_press(bot: Bot, label: str) -> None:
    await bot.made()
    form = await bot.open_list()
    bot.bob.member.is_restricted = True

    after = await bot.press(form, label)

    assert "Guests can't see or change digests" in after.everything
    assert set(after.buttons) <= {"Back"}
    assert len(await bot.digests()) == 1


async def test_where_the_bot_cannot_look_nothing_is_changed(bot: Bot) -> None:
    await bot.made("hidden", filter_text="tag:kept")
    own = await bot.made_by_bob("hidden")
    form = await bot.open_list(channel="hidden")
    theirs = replace(own, made_by=BOB.user_id)
    await bot.repository.change(bot.workspace, own.digest_id, lambda _: theirs)

    after = await bot.press(form, "Delete")

    assert "tag:kept" in form.everything
    assert form.buttons.count("Delete") == 1
    assert "Only members of a channel can see and change" in after.everything
    assert len(await bot.digests("hidden")) == 2


async def test_a_mistake_of_the_bot_does_not_leave_the_form_waiting(bot: Bot) -> None:
    await bot.made()
    form = await bot.open_list()
    bot.lists.error = RuntimeError("boom")

    after = await bot.press(form, "Preview")

    assert "Something went wrong in the app" in after.everything
    assert "Preview" in after.buttons
    assert "Reference" in await bot.answer()


async def test_the_form_says_that_the_store_failed(bot: Bot) -> None:
    await bot.made()
    form = await bot.open_list()
    await bot.documents.close()

    after = await bot.press(form, "Delete")

    assert "The app's database is unavailable" in after.everything
    assert re.search("Reference [0-9a-f]{8}", after.everything)
    assert set(after.buttons) <= {"Back"}


@pytest.mark.parametrize("label", ["Delete", "Preview", "Send now"])
async def test_a_press_requests_the_members_once(bot: Bot, label: str) -> None:
    await bot.made()
    form = await bot.open_list()

    await bot.press(form, label)

    asked = [call for call in bot.slack.calls if call.method == "conversations.members"]
    assert len(asked) == 1


async def test_an_error_of_the_list_is_shown(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("boom")

    with monkeypatch.context() as patched:
        patched.setattr(bot.service, "of_workspace", broken)
        form = await bot.open_list()
    again = await bot.press(form, "Try again")

    assert "Something went wrong in the app" in form.everything
    assert "Reference" in await bot.answer()
    assert "No digests in #general yet" in again.everything
