"""What all tests of pages share."""

import gc
from collections.abc import AsyncIterator, Iterator

import pytest

from bot.playground.manifest import AppInfo, SlashCommand
from bot.playground.page import slack_page
from bot.playground.slack import LocalSlack, running_slack
from bot.playground.town import Journal, MovableClock, ReadyKeys, Town
from bot.playground.tracker import Tracker
from tests.fakes import TIME_LIMIT_S
from tests.playground.page.screen import Screen
from tests.playground.page.visiting import visiting
from tests.playground.slack.samples import ScriptedBot

APP = AppInfo(
    "Domain Tracker",
    (
        SlashCommand("/domains", "List your domains", "[words]"),
        SlashCommand("/scan", "Run a full scan", "[example.com]"),
        SlashCommand("/adddomain", "Add a domain"),
    ),
)


@pytest.fixture(scope="package", autouse=True)
def quick_garbage_collection() -> Iterator[None]:
    """Leave what is imported out of the collections that NiceGUI runs before and after a test.

    Measured: each took 0.2 s, more than any of these tests.
    """
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
async def slack() -> AsyncIterator[LocalSlack]:
    clock = MovableClock()
    async with running_slack(clock=clock.seconds, answers_within_s=TIME_LIMIT_S) as slack:
        yield slack


@pytest.fixture
def bot(slack: LocalSlack) -> ScriptedBot:
    slack.outbox.carrier = bot = ScriptedBot()
    return bot


@pytest.fixture
async def screen(slack: LocalSlack, bot: ScriptedBot) -> AsyncIterator[Screen]:
    clock = MovableClock()
    journal = Journal(bot, clock.seconds)
    town = Town(slack, Tracker(), clock, ReadyKeys(), journal)
    async with visiting(town, lambda town: slack_page.add(town, APP)) as visitor:
        yield Screen(visitor)
