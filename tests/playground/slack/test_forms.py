"""Filling in forms, sending them, and what the ack then does."""

from typing import Any

import pytest

from bot.playground.slack import CommandFailed, FormError, LocalSlack
from tests.playground.slack.conftest import Open
from tests.playground.slack.samples import ScriptedBot, field, form, options, text_field

Json = dict[str, Any]


BOXES = field("Scopes", {"type": "checkboxes", "options": options("read", "write")})
DATE = field("Until", {"type": "datepicker"})
TIME = field("Time", {"type": "timepicker"})
NUMBER = field(
    "Count",
    {"type": "number_input", "is_decimal_allowed": False, "min_value": "1", "max_value": "9"},
)
TAGS = field(
    "Tags",
    {"type": "multi_static_select", "options": options("a", "b"), "max_selected_items": 1},
)
CHANNEL = field("Channel", {"type": "conversations_select"})
PERSON = field("Person", {"type": "users_select"})


@pytest.mark.parametrize(
    ("block", "answers", "text"),
    [
        pytest.param(text_field("Name"), {}, "Please complete", id="required"),
        pytest.param(text_field("Name", max_length=2), {"Name": "abc"}, "it takes 2", id="long"),
        pytest.param(text_field("Name"), {"Name": "a" * 3001}, "takes 3000", id="very long"),
        pytest.param(text_field("Name"), {"Nane": "a"}, "there are", id="no such field"),
        pytest.param(BOXES, {"Scopes": "delete"}, "no 'delete'", id="no such option"),
        pytest.param(DATE, {"Until": "tomorrow"}, "no date", id="no date"),
        pytest.param(TIME, {"Time": "25:00"}, "no time", id="no time"),
        pytest.param(NUMBER, {"Count": "1.5"}, "no number", id="a decimal"),
        pytest.param(NUMBER, {"Count": "10"}, "between 1 and 9", id="too much"),
        pytest.param(TAGS, {"Tags": ["a", "b"]}, "at most 1", id="too many"),
        pytest.param(CHANNEL, {"Channel": "nowhere"}, "no channel", id="no channel"),
        pytest.param(PERSON, {"Person": "nobody"}, "no one called", id="no person"),
    ],
)
async def test_slacks_client_does_not_send_it(
    slack: LocalSlack, bot: ScriptedBot, opened: Open, block: Json, answers: Json, text: str
) -> None:
    view = await opened(form(block))

    with pytest.raises(FormError, match=text):
        await slack.person("ada").submit(view, answers)

    assert len(bot.got) == 1


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param({"response_action": "errors", "errors": {}}, id="no errors"),
        pytest.param({"response_action": "errors", "errors": {"x": "y"}}, id="no such block"),
        pytest.param({"response_action": "update", "view": {}}, id="no view"),
        pytest.param({"response_action": "explode"}, id="no such action"),
        pytest.param(404, id="no ack"),
    ],
)
async def test_a_wrong_ack_fails_the_form(slack: LocalSlack, opened: Open, answer: Any) -> None:
    view = await opened(form(text_field("Name")))
    slack.outbox.carrier = ScriptedBot(answer)

    with pytest.raises(CommandFailed):
        await slack.person("ada").submit(view, {"Name": "x"})

    assert slack.person("ada").form is not None
