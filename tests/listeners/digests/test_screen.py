"""What is drawn over what in an open form."""

from typing import cast

import pytest

from bot.digests.access import DigestAccess
from bot.digests.screen import DigestScreen
from bot.digests.views.tables import busy_form
from bot.dispatch.failure import ExplainFailure
from bot.slack.replies import Origin
from tests.dispatch.builders import a_request
from tests.listeners.running import Bot

NEWER = busy_form("newer", "")


class Drawing:
    """A screen in a process of its own, before a form that bob has open."""

    def __init__(self, bot: Bot, view_id: str) -> None:
        self.screen = DigestScreen(
            digests=bot.service,
            access=DigestAccess(bot.service),
            explain=cast(ExplainFailure, None),
            clock=bot.clock,
        )
        origin = Origin(bot.bob.id)
        self.conversation = a_request(bot.workspace, origin, bot.client, view_id=view_id)
        self.number = self.screen.versions.note(view_id)

    async def draw(self) -> None:
        await self.screen.show_newer(self.conversation, NEWER, self.number)


@pytest.fixture
async def drawing(bot: Bot) -> Drawing:
    return Drawing(bot, (await bot.open_list()).id)


async def test_what_was_pressed_last_is_drawn(bot: Bot, drawing: Drawing) -> None:
    await drawing.draw()

    assert "newer" in (await bot.settled()).everything


async def test_after_another_press_the_form_is_left_alone(bot: Bot, drawing: Drawing) -> None:
    drawing.screen.versions.note(drawing.conversation.answer.view_id)

    await drawing.draw()

    assert "newer" not in (await bot.settled()).everything
