"""Managers count as admins where only admins change digests, also those of a user group."""

from collections.abc import AsyncIterator

import pytest

from bot.digests.views.tables import DELETE
from bot.playground.slack import View
from tests.digests.builders import DIGEST_ID, a_digest
from tests.listeners.running import PRESS, AdminBot, running_admin_bot


@pytest.fixture
async def bot() -> AsyncIterator[AdminBot]:
    """A channel with a digest, where only admins and the web team may change digests."""
    async with running_admin_bot() as bot:
        await bot.repository.put(bot.workspace, a_digest(channel_id=bot.channel_id()))
        await bot.repository.restrict(bot.workspace, admins_only=True)
        await bot.name(groups=("web-team",))
        yield bot


async def listed(bot: AdminBot, name: str = "bob") -> View:
    person = bot.slack.person(name)
    await person.type("/domaindigest")
    await bot.quiet()
    assert person.form is not None
    return person.form


async def delete(bot: AdminBot, name: str = "bob") -> str:
    person = bot.slack.person(name)
    form = await bot.open_button(person, DELETE, DIGEST_ID, note='[null, null, 0, "", null]')
    await person.press(form, PRESS)
    await bot.quiet()
    return bot.seen(person)


async def count(bot: AdminBot) -> int:
    return len(await bot.repository.of_workspace(bot.workspace))


async def test_members_of_the_group_change_digests(bot: AdminBot) -> None:
    buttons = (await listed(bot)).buttons

    await delete(bot)

    assert "Delete" in buttons
    assert await count(bot) == 0


async def test_others_only_see_digests(bot: AdminBot) -> None:
    form = await listed(bot, "cy")

    seen = await delete(bot, "cy")

    assert "1 digest" in form.everything
    assert "Delete" not in form.buttons
    assert "Only admins, owners, and managers can change digests" in seen
    assert await count(bot) == 1


async def test_when_slack_does_not_say_they_are_seen_and_not_changed(bot: AdminBot) -> None:
    bot.slack.fail_next("usergroups.users.list", "missing_scope")
    form = await listed(bot)
    bot.slack.fail_next("usergroups.users.list", "missing_scope")

    seen = await delete(bot)

    assert "1 digest" in form.everything
    assert "Delete" not in form.buttons
    assert "Only admins, owners, and managers can change digests" in seen
    assert await count(bot) == 1
