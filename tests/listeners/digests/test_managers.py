"""Managers count as admins where only admins change digests, also those of a user group."""

from collections.abc import AsyncIterator

import pytest

from bot.digests.views.tables import DELETE
from bot.playground.slack import View
from tests.digests.builders import DIGEST_ID, a_digest
from tests.listeners.admin_room import PRESS, AdminRoom, running_admin_room

pytestmark = pytest.mark.anyio


@pytest.fixture
async def room() -> AsyncIterator[AdminRoom]:
    """A channel with a digest, where only admins and the web team may change digests."""
    async with running_admin_room() as room:
        await room.repository.put(room.workspace, a_digest(channel_id=room.channel_id()))
        await room.repository.restrict(room.workspace, admins_only=True)
        await room.name(groups=("web-team",))
        yield room


async def listed(room: AdminRoom, name: str = "bob") -> View:
    person = room.slack.person(name)
    await person.type("/domaindigest")
    await room.quiet()
    assert person.form is not None
    return person.form


async def delete(room: AdminRoom, name: str = "bob") -> str:
    person = room.slack.person(name)
    form = await room.open_button(person, DELETE, DIGEST_ID, note='[null, null, 0, "", null]')
    await person.press(form, PRESS)
    await room.quiet()
    return room.seen(person)


async def count(room: AdminRoom) -> int:
    return len(await room.repository.of_workspace(room.workspace))


async def test_whoever_is_in_the_group_changes_digests(room: AdminRoom) -> None:
    buttons = (await listed(room)).buttons

    await delete(room)

    assert "Delete" in buttons
    assert await count(room) == 0


async def test_whoever_is_not_sees_them(room: AdminRoom) -> None:
    form = await listed(room, "cy")

    seen = await delete(room, "cy")

    assert "1 digest" in form.everything
    assert "Delete" not in form.buttons
    assert "Only admins, owners, and managers can change digests" in seen
    assert await count(room) == 1


async def test_when_slack_does_not_say_they_are_seen_and_not_changed(room: AdminRoom) -> None:
    room.slack.fail_next("usergroups.users.list", "missing_scope")
    form = await listed(room)
    room.slack.fail_next("usergroups.users.list", "missing_scope")

    seen = await delete(room)

    assert "1 digest" in form.everything
    assert "Delete" not in form.buttons
    assert "Only admins, owners, and managers can change digests" in seen
    assert await count(room) == 1
