"""Acting by ids, as the page does, and what a client checks before it sends."""

from typing import Any

import pytest

from bot.playground.slack import LocalSlack, NothingToPress, View
from tests.playground.slack.samples import (
    ScriptedBot,
    actions,
    button,
    field,
    form,
    text_field,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("bot")]
Json = dict[str, Any]


def show(slack: LocalSlack, *blocks: Json, **more: Any) -> View:
    """Open a form on bob's screen."""
    trigger_id = slack.world.triggers.give(slack.person("bob").id, None, None)
    return slack.world.stacks.open(trigger_id, form(*blocks, **more))


def push(slack: LocalSlack, view: View) -> View:
    trigger_id = slack.world.triggers.give(view.member_id, None, view.id)
    return slack.world.stacks.push(trigger_id, form())


async def test_of_two_buttons_with_one_label_the_right_one_is_pressed(
    slack: LocalSlack, bot: ScriptedBot
) -> None:
    rows = [{**actions(button("Scan")), "block_id": name} for name in ("first", "second")]
    view = show(slack, *rows)

    await slack.person("bob").by_id.press(view, "second", "scan")

    assert bot.got[0].payload["actions"][0]["block_id"] == "second"


async def test_a_button_that_is_gone_cannot_be_pressed(slack: LocalSlack) -> None:
    view = show(slack, actions(button("Scan")))

    with pytest.raises(NothingToPress, match="no element 'share'"):
        await slack.person("bob").by_id.press(view, "row", "share")


REQUIRED = "Please complete this required field."


@pytest.mark.parametrize(
    ("block", "value", "text"),
    [
        pytest.param(text_field("F"), None, REQUIRED, id="empty"),
        pytest.param(text_field("F", optional=True), None, None, id="optional"),
        pytest.param(text_field("F", min_length=3), "ab", "2 characters, it takes 3", id="short"),
        pytest.param(text_field("F", max_length=3), "abc", None, id="long enough"),
        pytest.param(
            field("F", {"type": "number_input", "is_decimal_allowed": False, "min_value": "5"}),
            "4",
            "4 is not between 5 and inf",
            id="number too small",
        ),
    ],
)
async def test_a_wrong_field_says_so_and_nothing_is_sent(
    slack: LocalSlack, bot: ScriptedBot, block: Json, value: str | None, text: str | None
) -> None:
    view = show(slack, block)
    state = {"type": block["element"]["type"], "value": value}
    bob = slack.person("bob").by_id
    await bob.choose(view, "f", "typed", state)

    sent = await bob.submit(view)

    assert (sent is None) == bool(text)
    assert view.block_errors.get("f", "").startswith(text or "")
    assert list(view.errors) == (["F"] if text else [])


async def test_everything_is_closed_at_once(slack: LocalSlack) -> None:
    top = push(slack, push(slack, show(slack)))

    slack.person("bob").by_id.close_all(top)

    assert slack.person("bob").form is None
