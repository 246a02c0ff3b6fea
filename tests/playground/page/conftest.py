"""What all tests of pages share."""

import gc
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from typing import Protocol

import pytest

from bot.playground.manifest import AppInfo, SlashCommand
from bot.playground.page import slack_page
from bot.playground.sandbox import MovableClock, ReadyKeys, Sandbox
from bot.playground.slack import LocalSlack, running_slack
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
def frozen_garbage() -> Iterator[None]:
    """Let what `visiting` froze be collected again."""
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


class OpenScreen(Protocol):
    """Opens a page for an app of this manifest."""

    async def __call__(self, app: AppInfo) -> Screen: ...


@pytest.fixture
async def screen_of(slack: LocalSlack, bot: ScriptedBot) -> AsyncIterator[OpenScreen]:
    sandbox = Sandbox(slack, Tracker(), MovableClock(), ReadyKeys())
    async with AsyncExitStack() as stack:

        async def opened(app: AppInfo) -> Screen:
            page = visiting(sandbox, lambda sandbox: slack_page.add(sandbox, app))
            return Screen(await stack.enter_async_context(page))

        yield opened


@pytest.fixture
async def screen(screen_of: OpenScreen) -> Screen:
    return await screen_of(APP)
