"""The form in which admins name people and user groups as managers."""

from typing import Any

import pytest

from bot.access.repository import MAX_GROUPS, MAX_MANAGERS, Act, Named
from bot.access.views import GROUPS_FIELD, MANAGERS_FIELD
from bot.keys.listeners import read_managers_form
from bot.keys.views import NAME_MANAGERS
from bot.playground.slack import View
from tests.listeners.running import PRESS, AdminBot
from tests.loops import loop_over


@pytest.fixture
async def bot(admin_bot: AdminBot) -> AdminBot:
    return admin_bot


async def open_form(bot: AdminBot) -> View:
    await bot.ada.press(bot.button(bot.ada, NAME_MANAGERS, ""), PRESS)
    await bot.quiet()
    assert bot.ada.form is not None
    return bot.ada.form


async def submit(bot: AdminBot, form: View, **fields: Any) -> str:
    answers = {name.replace("_", " "): value for name, value in fields.items()}
    await bot.ada.submit(form, answers)
    await bot.quiet()
    assert bot.ada.form is not None
    return bot.ada.form.everything


async def named(bot: AdminBot) -> tuple[str, ...]:
    return (await bot.managers.named(bot.workspace)).ids


async def test_people_and_groups_are_named(bot: AdminBot) -> None:
    said = await submit(
        bot, await open_form(bot), Managers=["cy"], User_groups=["@web-team", "@security"]
    )

    cy, web, security = bot.slack.person("cy").id, *map(bot.group_id, ("web-team", "security"))
    assert await named(bot) == (cy, web, security)
    assert f"managers: <@{cy}>, <!subteam^{web}>, <!subteam^{security}>." in said
    [entry] = await bot.audit.entries(bot.workspace)
    assert (entry.act, entry.added) == (Act.MANAGERS_CHANGED, (cy, web, security))


async def test_a_deleted_group_is_shown_and_can_be_removed(bot: AdminBot) -> None:
    await bot.name(groups=("web-team",))
    del bot.slack.world.workspace.user_groups[bot.group_id("web-team")]
    form = await open_form(bot)

    await submit(bot, form, User_groups=[])

    assert "an unknown user group" in form.everything
    assert await named(bot) == ()


@pytest.mark.parametrize("error", ["missing_scope", "internal_error"])
async def test_people_can_be_named_without_the_list_of_groups(bot: AdminBot, error: str) -> None:
    await bot.name("bob", groups=("web-team",))
    bot.slack.fail_next("usergroups.list", error)

    form = await open_form(bot)
    await submit(bot, form, Managers=["cy"])

    assert "an unknown user group" in form.everything
    assert await named(bot) == (bot.slack.person("cy").id, bot.group_id("web-team"))


@pytest.mark.parametrize("name", ["gus", "zoe"])
async def test_a_guest_is_refused_and_the_input_stays(bot: AdminBot, name: str) -> None:
    said = await submit(
        bot, await open_form(bot), Managers=["bob", name], User_groups=["@web-team"]
    )

    assert "Not saved" in said
    assert f"<@{bot.slack.person(name).id}>" in said
    assert "@web-team" in said
    assert await named(bot) == ()


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
def test_only_group_ids_are_read(state: dict[str, Any], group_ids: tuple[str, ...]) -> None:
    people = [f"U{number}" for number in range(10, 40)]
    values = {
        "a": {MANAGERS_FIELD: {"selected_users": people}},
        "b": {GROUPS_FIELD: state},
    }

    read = read_managers_form(values)

    assert read == Named(tuple(people[:MAX_MANAGERS]), group_ids)
    assert len(read.group_ids) <= MAX_GROUPS


async def test_what_slack_refuses_to_draw_is_said_where_they_asked(bot: AdminBot) -> None:
    form = await open_form(bot)
    bot.slack.fail_next("views.update", "view_too_large")

    await submit(bot, form, Managers=["bob"])

    assert "managers:" in bot.ada.messages()[-1].everything
