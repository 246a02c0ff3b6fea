"""The page at `/` with a bot that answers by script: a line, a form, Home and a file."""

from collections.abc import AsyncIterator

import pytest
from nicegui import ui
from nicegui.testing import User

from bot.playground.manifest import AppInfo
from bot.playground.page import slack_page
from bot.playground.sandbox import MovableClock, Sandbox
from bot.playground.slack import LocalSlack, running_slack
from bot.playground.tracker import Tracker
from tests.fakes import TIME_LIMIT_S
from tests.playground.page.visiting import visiting


@pytest.fixture
async def slack() -> AsyncIterator[LocalSlack]:
    async with running_slack(clock=MovableClock().seconds, answers_within_s=TIME_LIMIT_S) as slack:
        yield slack


@pytest.fixture
async def visitor(slack: LocalSlack) -> AsyncIterator[User]:
    def add(sandbox: Sandbox) -> None:
        slack_page.add(sandbox, AppInfo("Domain Tracker", ()))

    async with visiting(Sandbox(slack, Tracker(), MovableClock()), add) as visitor:
        yield visitor


async def test_a_file_can_be_downloaded(slack: LocalSlack, visitor: User) -> None:
    files = slack.world.files
    ticket = files.announce("domains.csv", 4)
    files.take(ticket["upload_url"].rpartition("/")[2], b"a,b\n")
    shared = files.complete({ticket["file_id"]: "12 domains"})
    files.share(shared, slack.channel("general").id, {"text": ""})

    await visitor.open("/?as=bob&channel=general")
    await visitor.should_see("domains.csv · 4 bytes")
    buttons = visitor.find(ui.button).elements
    download = next(each for each in buttons if "Download" in each.props.get("aria-label", ""))
    found = visitor.find(ui.button)
    found.elements = {download}
    found.click()

    assert (await visitor.download.next()).content == b"a,b\n"
