"""Fields that tell the bot at once, and what stays in them when the bot changes the form."""

from typing import Any

import pytest

from bot.playground.slack import LocalSlack
from tests.playground.slack.conftest import Api, Open
from tests.playground.slack.samples import (
    ScriptedBot,
    field,
    form,
    options,
    text_field,
)

pytestmark = pytest.mark.anyio
Json = dict[str, Any]


WORDS = options("Mon", "Tue")
ELEMENTS: dict[str, tuple[Json, Any, str, Any]] = {
    "users_select": ({}, "bob", "selected_user", "U"),
    "multi_users_select": ({}, ["bob"], "selected_users", ["U"]),
    "conversations_select": ({}, "general", "selected_conversation", "C"),
    "timepicker": ({}, "09:07", "selected_time", "09:07"),
    "datepicker": ({}, "2027-01-31", "selected_date", "2027-01-31"),
    "checkboxes": ({"options": WORDS}, ["Tue"], "selected_options", [WORDS[1]]),
    "static_select": ({"options": WORDS}, "Tue", "selected_option", WORDS[1]),
    "external_select": ({"min_query_length": 0}, "Mon", "selected_option", WORDS[0]),
    "multi_external_select": ({"min_query_length": 0}, ["Mon"], "selected_options", [WORDS[0]]),
    "number_input": ({"is_decimal_allowed": False}, 7, "value", "7"),
    "plain_text_input": ({}, "words", "value", "words"),
}


def is_like(value: Any, wanted: Any) -> bool:
    """Compare; of ids only the letter is known."""
    if wanted in (["U"], "U", "C"):
        value, wanted = (value[0], wanted[0]) if isinstance(value, list) else (value, wanted)
        return str(value).startswith(wanted)
    return bool(value == wanted)


@pytest.mark.parametrize("kind", ELEMENTS)
async def test_a_choice_tells_the_bot_with_the_whole_form(
    slack: LocalSlack, opened: Open, kind: str
) -> None:
    more, answer, key, wanted = ELEMENTS[kind]
    loud = field("Loud", {"type": kind, **more}, dispatch_action=True)
    view = await opened(form(loud, text_field("Quiet", initial_value="still here")))
    scripts = [{"options": WORDS}] if "external" in kind else []
    slack.outbox.carrier = ScriptedBot(*scripts)

    delivery = await slack.person("ada").choose(view, "Loud", answer)

    assert delivery
    [action] = delivery.payload["actions"]
    values = delivery.payload["view"]["state"]["values"]
    assert is_like(action[key], wanted)
    assert is_like(values["loud"]["typed"][key], wanted)
    assert values["quiet"]["typed"]["value"] == "still here"


async def test_what_is_typed_outlives_new_initial_values(
    slack: LocalSlack, opened: Open, api: Api
) -> None:
    ada, old = slack.person("ada"), text_field("Name", initial_value="old")
    view = await opened(form(old, text_field("Untouched", initial_value="first")))
    await ada.choose(view, "Name", "typed")

    new = form(text_field("Name", initial_value="new"), text_field("Untouched", initial_value="2"))
    await api("views.update", view_id=view.id, view=new)

    assert (await ada.next_form()).values == {"Name": "typed", "Untouched": "first"}
