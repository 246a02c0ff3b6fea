"""Who may see and change the digests of a channel.

Whom the list of digests serves, and what it says when something breaks.
"""

import re
from dataclasses import replace

import pytest

from bot.digests.access import ChannelAccess, DigestAccess
from bot.digests.models import GuestError, NotInChannelError
from bot.dispatch.request import Request
from bot.process.errors import ExternalUserError
from bot.slack.replies import Origin
from tests.digests.builders import BOB
from tests.dispatch.builders import a_request
from tests.listeners.running import Bot


class Asking:
    """People who ask `DigestAccess`, of a Slack that is really there."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.access = DigestAccess(bot.service)

    def by(self, name: str, typed_in: str | None = None, view_id: str | None = None) -> Request:
        channel_id = self.bot.channel_id(typed_in) if typed_in else None
        origin = Origin(self.bot.slack.person(name).id, channel_id)
        return a_request(self.bot.workspace, origin, self.bot.client, view_id=view_id)

    async def editor(self, name: str, channel: str) -> ChannelAccess:
        channel_id = self.bot.channel_id(channel)
        return await self.access.require_editor(self.by(name), channel_id)


@pytest.fixture
def asking(bot: Bot) -> Asking:
    return Asking(bot)


@pytest.mark.parametrize(
    ("name", "channel", "error"),
    [
        ("cy", "secret", NotInChannelError),
        ("olga", "secret", NotInChannelError),  # an owner, but it is private
        ("bob", "hidden", NotInChannelError),  # where the bot is not
        ("gus", "general", GuestError),
        ("zoe", "shared", ExternalUserError),
    ],
)
async def test_others_do_not(
    asking: Asking, name: str, channel: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await asking.editor(name, channel)


async def test_admins_change_the_digests_of_every_public_channel(asking: Asking) -> None:
    random = asking.bot.slack.world.workspace.channels[asking.bot.channel_id("random")]
    random.members.clear()

    assert (await asking.editor("olga", "random")).member.is_admin
    with pytest.raises(NotInChannelError):
        await asking.editor("bob", "random")


@pytest.mark.parametrize(
    ("view_id", "channel", "may_see"),
    [
        (None, "random", True),  # Slack has just said that they are there
        ("V1", "random", False),  # they were, when they typed: now they are not
        ("V1", "hidden", True),  # no one can say
    ],
)
async def test_typing_a_command_proves_membership(
    asking: Asking, view_id: str | None, channel: str, may_see: bool
) -> None:
    channel_id = asking.bot.channel_id(channel)
    asking.bot.slack.world.workspace.channels[channel_id].members.discard(asking.bot.bob.id)
    conversation = asking.by("bob", typed_in=channel, view_id=view_id)

    if may_see:
        await asking.access.require_visitor(conversation, channel_id)
    else:
        with pytest.raises(NotInChannelError):
            await asking.access.require_visitor(conversation, channel_id)


async def test_a_press_does_not_prove_membership(asking: Asking) -> None:
    channel_id = asking.bot.channel_id("secret")
    conversation = asking.by("cy", typed_in="secret")
    origin = replace(conversation.origin, channel_id=channel_id, is_message=True)
    conversation = replace(conversation, origin=origin)

    with pytest.raises(NotInChannelError):
        await asking.access.require_visitor(conversation, channel_id)


@pytest.mark.parametrize("keeps_bot", [True, False])
@pytest.mark.parametrize("code", ["", "fetch_members_failed"])
async def test_owners_keep_archived_digests(asking: Asking, keeps_bot: bool, code: str) -> None:
    bot = asking.bot
    own, other = await bot.made_by_bob(), await bot.made(name="of another person")
    bot.slack.archive("general", keeps_bot=keeps_bot)
    bot.slack.world.workspace.channels[own.plan.channel_id].members.discard(bot.bob.id)
    if code:
        bot.slack.fail_next("conversations.members", code, times=9)

    assert (
        await asking.access.require_editor(asking.by("bob"), own.plan.channel_id, digest=own)
    ).sees_own_only
    assert (
        await asking.access.require_visitor(asking.by("bob"), own.plan.channel_id)
    ).sees_own_only
    with pytest.raises(NotInChannelError):
        await asking.access.require_editor(asking.by("bob"), other.plan.channel_id, digest=other)


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
