"""The form in which admins name people and user groups as managers."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.access.repository import MAX_GROUPS, MAX_MANAGERS, Act, Named
from bot.access.views import GROUPS_FIELD, MANAGERS_FIELD
from bot.domainkey.listeners import read_managers_form
from bot.keys.views import NAME_MANAGERS
from bot.playground.slack import View
from tests.listeners.admin_room import PRESS, AdminRoom, running_admin_room
from tests.loops import loop_over

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
    return (await room.managers.named(room.workspace)).ids


async def test_people_and_groups_are_named(room: AdminRoom) -> None:
    said = await submit(
        room, await open_form(room), Managers=["cy"], User_groups=["@web-team", "@security"]
    )

    cy, web, security = room.slack.person("cy").id, *map(room.group_id, ("web-team", "security"))
    assert await named(room) == (cy, web, security)
    assert f"managers: <@{cy}>, <!subteam^{web}>, <!subteam^{security}>." in said
    [entry] = await room.audit.entries(room.workspace)
    assert (entry.act, entry.added) == (Act.MANAGERS_CHANGED, (cy, web, security))


async def test_a_group_that_is_gone_is_shown_as_such_and_can_be_taken_out(
    room: AdminRoom,
) -> None:
    await room.name(groups=("web-team",))
    del room.slack.world.workspace.user_groups[room.group_id("web-team")]
    form = await open_form(room)

    await submit(room, form, User_groups=[])

    assert "an unknown user group" in form.everything
    assert await named(room) == ()


@pytest.mark.parametrize("error", ["missing_scope", "internal_error"])
async def test_without_the_list_of_groups_people_can_be_named_and_groups_stay(
    room: AdminRoom, error: str
) -> None:
    await room.name("bob", groups=("web-team",))
    room.slack.fail_next("usergroups.list", error)

    form = await open_form(room)
    await submit(room, form, Managers=["cy"])

    assert "an unknown user group" in form.everything
    assert await named(room) == (room.slack.person("cy").id, room.group_id("web-team"))


@pytest.mark.parametrize("name", ["gus", "zoe"])
async def test_with_a_guest_or_a_stranger_none_is_saved_and_what_was_chosen_stays(
    room: AdminRoom, name: str
) -> None:
    said = await submit(
        room, await open_form(room), Managers=["bob", name], User_groups=["@web-team"]
    )

    assert "Not saved" in said
    assert f"<@{room.slack.person(name).id}>" in said
    assert "@web-team" in said
    assert await named(room) == ()


def options(*values: str) -> dict[str, Any]:
    chosen = [{"text": {"type": "plain_text", "text": each}, "value": each} for each in values]
    return {"selected_options": chosen}


@loop_over(
    ("state", "group_ids"),
    [
        ({}, ()),
        ({"selected_options": None}, ()),
        (options(), ()),
        (options("S1", "S2", "S1"), ("S1", "S2")),
        (options("U1", "everyone", "<!here>", "S1"), ("S1",)),
        (options(*(f"S{number}" for number in range(9))), tuple(f"S{n}" for n in range(5))),
    ],
    ids=str,
)
def test_only_what_may_be_a_group_is_read(
    state: dict[str, Any], group_ids: tuple[str, ...]
) -> None:
    people = [f"U{number}" for number in range(10, 40)]
    values = {
        "a": {MANAGERS_FIELD: {"selected_users": people}},
        "b": {GROUPS_FIELD: state},
    }

    read = read_managers_form(values)

    assert read == Named(tuple(people[:MAX_MANAGERS]), group_ids)
    assert len(read.group_ids) <= MAX_GROUPS


async def test_what_slack_refuses_to_draw_is_said_where_they_asked(room: AdminRoom) -> None:
    form = await open_form(room)
    room.slack.fail_next("views.update", "view_too_large")

    await submit(room, form, Managers=["bob"])

    assert "managers:" in room.ada.messages()[-1].everything
