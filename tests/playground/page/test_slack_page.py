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
from tests.playground.slack.samples import ScriptedBot, form, home, section, text_field

pytestmark = pytest.mark.anyio


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


async def test_an_answer_is_shown_to_one_person_and_markup_of_others_as_text(
    slack: LocalSlack, visitor: User
) -> None:
    general = slack.channel("general")
    slack.world.posting.add(general, {"text": "<b>It</b>"}, seen_by=slack.person("bob").id)

    await visitor.open("/?as=bob&channel=general")
    await visitor.should_see("Only visible to you")
    await visitor.should_see("&lt;b&gt;It&lt;/b&gt;")

    await visitor.open("/?as=ada&channel=general")
    await visitor.should_not_see("Only visible to you")


async def test_a_form_shows_its_errors_and_sends_what_is_typed(
    slack: LocalSlack, visitor: User
) -> None:
    errors = {"response_action": "errors", "errors": {"name": "Taken already"}}
    slack.outbox.carrier = bot = ScriptedBot(errors)
    await visitor.open("/?as=bob&channel=general")
    trigger_id = slack.world.triggers.give(slack.person("bob").id, None, None)
    slack.world.stacks.open(trigger_id, form(text_field("Name")))
    await visitor.should_see("A form", retries=100)

    visitor.find("Send").click()
    await visitor.should_see("Please complete this required field.", retries=100)
    inputs = visitor.find(ui.input).elements
    field = next(each for each in inputs if each.props.get("data-action-id") == "typed")
    field.value = "Bob"
    visitor.find("Send").click()
    await visitor.should_see("Taken already", retries=100)
    visitor.find("Send").click()

    closed = slack.universe.change_event.until(
        lambda: True if slack.person("bob").form is None else None, TIME_LIMIT_S
    )
    assert await closed
    sent = [each.payload["view"]["state"]["values"]["name"]["typed"] for each in bot.got]
    assert [each["value"] for each in sent] == ["Bob", "Bob"]


async def test_home_follows_what_the_bot_publishes(slack: LocalSlack, visitor: User) -> None:
    slack.outbox.carrier, slack.app.settings.events = (bot := ScriptedBot()), ["app_home_opened"]
    await visitor.open("/?as=bob&channel=home")
    await visitor.should_see("nothing on its Home tab yet")

    for words in ("Welcome", "12 domains"):
        slack.world.stacks.publish(slack.person("bob").id, home(section(words)))
        await visitor.should_see(words)

    assert [each.payload["event"]["tab"] for each in bot.got] == ["home"]


async def test_a_file_of_the_app_is_shown_and_can_be_downloaded(
    slack: LocalSlack, visitor: User
) -> None:
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
