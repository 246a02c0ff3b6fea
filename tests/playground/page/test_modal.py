"""Forms on the page: a dialog that shows what the local Slack has on top."""

from typing import Any

import pytest
from nicegui import ui
from nicegui.element import Element

from bot.playground.slack import LocalSlack, View
from tests.playground.page.screen import Screen
from tests.playground.slack.samples import (
    ScriptedBot,
    form,
    plain,
    section,
    text_field,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
async def opened(screen: Screen) -> Screen:
    await screen.open("/?as=bob&channel=general")
    return screen


def show(slack: LocalSlack, **view: Any) -> View:
    """Open a form on bob's screen."""
    trigger_id = slack.world.triggers.give(slack.person("bob").id, None, None)
    return slack.world.stacks.open(trigger_id, form(text_field("Name"), **view))


def push(slack: LocalSlack, view: View) -> View:
    trigger_id = slack.world.triggers.give(view.member_id, None, view.id)
    return slack.world.stacks.push(trigger_id, form(title=plain("On top")))


def dialog(screen: Screen) -> Element | None:
    """Return the dialog if it is open."""
    found = [each for each in screen.everything() if isinstance(each, ui.dialog)]
    return found[0] if found and found[0].value else None


def name_field(screen: Screen) -> ui.input:
    """Return the form's only field; its name stands in a label."""
    fields = [each for each in screen.everything() if isinstance(each, ui.input)]
    [field] = [each for each in fields if "aria-label" not in each.props]
    return field


async def opens(screen: Screen, title: str) -> None:
    def is_open() -> bool:
        shown = dialog(screen)
        return shown is not None and shown.props["aria-label"] == title

    await screen.until(is_open)


async def test_what_is_typed_is_sent_and_the_form_closes(
    bot: ScriptedBot, slack: LocalSlack, opened: Screen
) -> None:
    show(slack)
    await opens(opened, "A form")
    name_field(opened).value = "Bob"

    opened.click("Send")

    await opened.until(lambda: bot.got and dialog(opened) is None)
    values = bot.got[0].payload["view"]["state"]["values"]
    assert values["name"]["typed"]["value"] == "Bob"


async def test_a_required_field_is_asked_for_before_anything_is_sent(
    bot: ScriptedBot, slack: LocalSlack, opened: Screen
) -> None:
    show(slack)
    await opens(opened, "A form")

    opened.click("Send")

    await opened.sees("Please complete this required field.")
    assert bot.got == []


async def test_errors_stand_in_the_form_and_what_was_typed_stays(
    slack: LocalSlack, opened: Screen
) -> None:
    errors = {"response_action": "errors", "errors": {"name": "Taken already"}}
    slack.outbox.carrier = ScriptedBot(errors)
    show(slack)
    await opens(opened, "A form")
    name_field(opened).value = "Bob"

    opened.click("Send")

    await opened.sees("Taken already")
    assert name_field(opened).value == "Bob"


async def test_an_open_form_is_left_alone_while_others_talk(
    slack: LocalSlack, opened: Screen
) -> None:
    show(slack)
    await opens(opened, "A form")
    field = name_field(opened)

    slack.person("cy").say("Hello")

    await opened.sees("Hello")
    assert name_field(opened) is field


async def test_a_form_whose_answer_does_not_come_says_so(
    slack: LocalSlack, opened: Screen
) -> None:
    slack.outbox.carrier = ScriptedBot(404)
    show(slack)
    await opens(opened, "A form")
    name_field(opened).value = "Bob"

    opened.click("Send")

    await opened.sees("We had some trouble connecting. Try again?")
    assert "dispatch_failed" in opened.text


async def test_a_refused_answer_is_shown_with_its_pointer(
    slack: LocalSlack, opened: Screen
) -> None:
    answer = {"response_action": "update", "view": form(section(""))}
    slack.outbox.carrier = ScriptedBot(answer)
    show(slack)
    await opens(opened, "A form")
    name_field(opened).value = "Bob"

    opened.click("Send")

    await opened.sees("Slack refused this: ")
    assert "json-pointer:" in opened.text


@pytest.mark.parametrize(
    ("leave", "left"),
    [
        pytest.param("Cancel", "A form", id="close"),
        pytest.param("Back", "A form", id="back"),
        pytest.param("Dismiss", None, id="cross"),
        pytest.param("escapeKey", None, id="Esc"),
    ],
)
async def test_a_form_on_top_of_another_can_be_left(
    slack: LocalSlack, opened: Screen, leave: str, left: str | None
) -> None:
    push(slack, show(slack))
    await opens(opened, "On top")
    top = dialog(opened)
    assert top

    if leave == "escapeKey":
        opened.do(top, leave)
    else:
        opened.click(leave)

    if left:
        await opens(opened, left)
    else:
        await opened.until(lambda: dialog(opened) is None)
        assert slack.person("bob").form is None


async def test_a_field_that_did_not_change_is_left_alone(
    slack: LocalSlack, opened: Screen
) -> None:
    view = show(slack)
    await opens(opened, "A form")
    field = name_field(opened)
    field.value = "half a na"

    changed = form(text_field("Name"), section("A preview"), title=plain("Once more"))
    slack.world.stacks.update(view, changed)

    await opens(opened, "Once more")
    await opened.sees("A preview")
    assert name_field(opened) is field
    assert view.values["Name"] == "half a na"
