"""The form in which admins name managers."""

from typing import Any

import pytest

from bot.access.permissions import MAX_MANAGERS
from bot.access.views import MANAGERS_FIELD
from bot.domainkey.listeners import read_managers_form
from bot.domainkey.views import NAME_MANAGERS
from bot.playground.slack import View
from tests.listeners.running import PRESS, AdminBot


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
    return await bot.permissions.managers(bot.workspace)


@pytest.mark.parametrize("name", ["gus", "zoe"])
async def test_no_one_is_saved_with_a_guest_or_a_stranger(bot: AdminBot, name: str) -> None:
    said = await submit(bot, await open_form(bot), Managers=["bob", name])

    assert "Not saved" in said
    assert f"<@{bot.slack.person(name).id}>" in said
    assert await named(bot) == ()


def test_twenty_people_at_most_are_read() -> None:
    people = [f"U{number}" for number in range(10, 40)]

    read = read_managers_form({"a": {MANAGERS_FIELD: {"selected_users": people}}})

    assert read == tuple(people[:MAX_MANAGERS])


async def test_what_slack_refuses_to_draw_is_said_where_they_asked(bot: AdminBot) -> None:
    form = await open_form(bot)
    bot.slack.fail_next("views.update", "view_too_large")

    await submit(bot, form, Managers=["bob"])

    assert "managers:" in bot.ada.messages()[-1].everything
