"""That a form about the key does not say "please wait" for ever."""

from collections.abc import AsyncIterator

import pytest

from bot.views.api_key import NAME_MANAGERS
from tests.listeners.admin_room import PRESS, AdminRoom, running_admin_room

pytestmark = pytest.mark.anyio

METHOD = "views.update"


@pytest.fixture
async def room() -> AsyncIterator[AdminRoom]:
    async with running_admin_room() as room:
        yield room


async def name_bob(room: AdminRoom) -> None:
    """Let ada name a manager in the form."""
    await room.ada.press(room.post_button(room.ada, NAME_MANAGERS, ""), PRESS)
    await room.quiet()
    assert room.ada.form
    await room.ada.submit(room.ada.form, {"Managers": ["bob"]})


async def test_what_slack_refuses_to_draw_is_said_where_they_asked(room: AdminRoom) -> None:
    room.slack.fail_next(METHOD, "view_too_large")

    await name_bob(room)
    await room.quiet()

    assert "managers:" in room.ada.messages()[-1].everything
