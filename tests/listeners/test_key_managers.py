"""The form in which admins name managers."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.access.repository import MAX_MANAGERS, Act
from bot.access.views import MANAGERS_FIELD
from bot.domainkey.listeners import read_managers_form
from bot.keys.views import NAME_MANAGERS
from bot.playground.slack import View
from tests.listeners.admin_room import PRESS, AdminRoom, running_admin_room

pytestmark = pytest.mark.anyio


@pytest.fixture
async def room() -> AsyncIterator[AdminRoom]:
    async with running_admin_room() as room:
        yield room


async def open_form(room: AdminRoom) -> View:
    await room.ada.press(room.button(room.ada, NAME_MANAGERS, ""), PRESS)
    await room.quiet()
    assert room.ada.form is not None
    return room.ada.form


async def submit(room: AdminRoom, form: View, **fields: Any) -> str:
    answers = {name.replace("_", " "): value for name, value in fields.items()}
    await room.ada.submit(form, answers)
    await room.quiet()
    assert room.ada.form is not None
    return room.ada.form.everything


async def named(room: AdminRoom) -> tuple[str, ...]:
    return await room.managers.named(room.workspace)


async def test_people_are_named(room: AdminRoom) -> None:
    said = await submit(room, await open_form(room), Managers=["cy", "bob"])

    cy, bob = (room.slack.person(name).id for name in ("cy", "bob"))
    assert await named(room) == (cy, bob)
    assert f"managers: <@{cy}>, <@{bob}>." in said
    [entry] = await room.audit.entries(room.workspace)
    assert (entry.act, entry.added) == (Act.MANAGERS_CHANGED, (cy, bob))


@pytest.mark.parametrize("name", ["gus", "zoe"])
async def test_with_a_guest_or_a_stranger_none_is_saved(room: AdminRoom, name: str) -> None:
    said = await submit(room, await open_form(room), Managers=["bob", name])

    assert "Not saved" in said
    assert f"<@{room.slack.person(name).id}>" in said
    assert await named(room) == ()


def test_not_more_than_twenty_are_read() -> None:
    people = [f"U{number}" for number in range(10, 40)]

    read = read_managers_form({"a": {MANAGERS_FIELD: {"selected_users": people}}})

    assert read == tuple(people[:MAX_MANAGERS])


async def test_what_slack_refuses_to_draw_is_said_where_they_asked(room: AdminRoom) -> None:
    form = await open_form(room)
    room.slack.fail_next("views.update", "view_too_large")

    await submit(room, form, Managers=["bob"])

    assert "managers:" in room.ada.messages()[-1].everything
