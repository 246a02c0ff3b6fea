"""What is drawn over what in an open form."""

from typing import cast

import pytest

from bot.digests.access import DigestAccess
from bot.digests.screen import DigestScreen
from bot.digests.views.tables import busy_form
from bot.dispatch.failure import ExplainFailure
from bot.dispatch.request import Request
from bot.slack.replies import Origin, Replies
from tests.listeners.digests.room import Room

pytestmark = pytest.mark.anyio

NEWER = busy_form("newer", "")


class Drawing:
    """A screen in a process of its own, before a form that bob has open."""

    def __init__(self, room: Room, view_id: str) -> None:
        desk = room.desk
        self.screen = DigestScreen(
            digests=desk,
            access=DigestAccess(desk),
            explain=cast(ExplainFailure, None),
            clock=room.clock,
        )
        self.conversation = Request(
            workspace=room.workspace,
            origin=Origin(room.bob.id),
            client=room.client,
            replies=cast(Replies, None),
            view_id=view_id,
        )
        self.number = self.screen.presses.note(view_id)

    async def draw(self) -> None:
        await self.screen.show_newer(self.conversation, NEWER, self.number)


@pytest.fixture
async def drawing(room: Room) -> Drawing:
    return Drawing(room, (await room.list()).id)


async def test_what_was_pressed_last_is_drawn(room: Room, drawing: Drawing) -> None:
    await drawing.draw()

    assert "newer" in (await room.settled()).everything


async def test_after_another_press_the_form_is_left_alone(room: Room, drawing: Drawing) -> None:
    drawing.screen.presses.note(drawing.conversation.view_id)

    await drawing.draw()

    assert "newer" not in (await room.settled()).everything
