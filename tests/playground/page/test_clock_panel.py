"""The panel that moves the playground's time."""

from datetime import UTC, datetime, timedelta

import pytest
from nicegui import ui

from bot.playground.page import navigation
from bot.playground.sandbox import Sandbox, running_sandbox
from tests.fakes import TIME_LIMIT_S
from tests.playground.page.visiting import visiting
from tests.playground.slack.samples import ScriptedBot

pytestmark = pytest.mark.anyio

NOON = datetime(2026, 3, 9, 12, 10, tzinfo=UTC)


def add(sandbox: Sandbox) -> None:
    @ui.page("/clock")
    def page() -> None:
        navigation.draw(sandbox)


async def test_a_button_moves_the_time_and_what_is_due_then_happens() -> None:
    async with running_sandbox(lambda: NOON, portfolios=()) as sandbox:
        slack, event = sandbox.slack, sandbox.slack.universe.change_event
        slack.outbox.carrier = ScriptedBot(404, 404)
        await slack.deliver_event({"type": "team_rename"})
        async with visiting(sandbox, add) as visitor:
            await visitor.open("/clock")
            await visitor.should_see("Mon 9 Mar 2026, 12:10:00 UTC")

            visitor.find("+1 hour").click()
            await visitor.should_see("Mon 14:10 in Europe/Berlin")
            visitor.find("To 09:00 on the next weekday").click()

            assert await event.until(lambda: slack.envelopes[2:] or None, TIME_LIMIT_S)
            assert sandbox.clock() == NOON + timedelta(hours=19, minutes=50)
