"""The panel that moves the playground's time."""

from collections.abc import AsyncIterator
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


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    async with running_sandbox(lambda: NOON, portfolios=()) as sandbox:
        yield sandbox


def add(sandbox: Sandbox) -> None:
    @ui.page("/clock")
    def page() -> None:
        navigation.draw(sandbox)


@pytest.mark.parametrize(
    ("label", "moved", "text"),
    [
        ("+10 minutes", timedelta(minutes=10), "Ahead by 10 min"),
        ("+1 hour", timedelta(hours=1), "Ahead by 1 h"),
        ("+1 day", timedelta(days=1), "Ahead by 1 d"),
        ("+30 days", timedelta(days=30), "Ahead by 30 d"),
        ("To 09:00 on the next weekday", timedelta(hours=19, minutes=50), "Ahead by 19 h 50 min"),
        ("To the next full hour", timedelta(minutes=50), "Ahead by 50 min"),
    ],
)
async def test_a_button_moves_the_time_of_the_town(
    sandbox: Sandbox, label: str, moved: timedelta, text: str
) -> None:
    async with visiting(sandbox, add) as visitor:
        await visitor.open("/clock")
        await visitor.should_see("The real time")

        visitor.find(label).click()

        await visitor.should_see(text)
        assert sandbox.clock() == NOON + moved


async def test_it_shows_the_time_and_says_that_there_is_no_way_back(sandbox: Sandbox) -> None:
    async with visiting(sandbox, add) as visitor:
        await visitor.open("/clock")

        await visitor.should_see("Mon 9 Mar 2026, 12:10:00 UTC")
        await visitor.should_see("Mon 13:10 in Europe/Berlin")
        await visitor.should_see("It only moves ahead")


async def test_what_slack_sends_again_comes_as_soon_as_it_is_due(sandbox: Sandbox) -> None:
    slack, event = sandbox.slack, sandbox.slack.universe.change_event
    slack.outbox.carrier = ScriptedBot(404, 404)
    await slack.deliver_event({"type": "team_rename"})
    async with visiting(sandbox, add) as visitor:
        await visitor.open("/clock")

        visitor.find("+10 minutes").click()

        assert await event.until(lambda: slack.envelopes[2:] or None, TIME_LIMIT_S)
