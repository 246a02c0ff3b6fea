"""What comes back from the forms about a digest, right or wrong."""

from dataclasses import replace
from typing import Any

import pytest

from bot.digests.draft import plan_of
from bot.digests.form_parse import checked_values, kept_rules, sent_draft
from bot.digests.models import Mention, Mode, Plan
from bot.digests.views.form_fields import (
    CHANNEL_FIELD,
    DAYS_FIELD,
    END_DAYS_FIELD,
    FILTER_FIELD,
    GROUP_FIELD,
    LABEL_FIELD,
    LIFE_FIELD,
    MODE_FIELD,
    PEOPLE_FIELD,
    RULES_FIELD,
    TIME_FIELD,
    WORST_FIELD,
    ZONE_FIELD,
)
from bot.dispatch.request import FormErrors
from tests.builders import KEY
from tests.digests.builders import a_schedule
from tests.loops import loop_over

Json = Any


def an_option(value: Json) -> Json:
    return {"text": {"type": "plain_text", "text": "shown", "emoji": True}, "value": value}


def chosen(value: Json) -> Json:
    return {"type": "static_select", "selected_option": an_option(value)}


def boxes(*values: Json) -> Json:
    return {"type": "checkboxes", "selected_options": [an_option(value) for value in values]}


def typed(value: Json) -> Json:
    return {"type": "plain_text_input", "value": value}


RIGHT: dict[str, Json] = {
    CHANNEL_FIELD: {"selected_conversation": "C0OPS"},
    DAYS_FIELD: boxes("0", "1", "2", "3", "4"),
    TIME_FIELD: {"selected_time": "09:00"},
    ZONE_FIELD: chosen("Europe/Berlin"),
    FILTER_FIELD: typed(None),
    MODE_FIELD: chosen("always"),
    LIFE_FIELD: chosen("never"),
    WORST_FIELD: typed("5"),
    LABEL_FIELD: {"selected_option": None},
    PEOPLE_FIELD: {"selected_users": []},
    GROUP_FIELD: {"selected_option": None},
}


def values_of(states: dict[str, Json]) -> Json:
    """Return `view.state.values`, each field in a block with an id of its own."""
    return {f"block of {name}": {name: state} for name, state in states.items()}


def read(**states: Json) -> Plan:
    return plan_in(RIGHT | states)


def plan_in(states: dict[str, Json]) -> Plan:
    return plan_of(sent_draft(checked_values(values_of(states)), {}))


def refused(states: dict[str, Json]) -> dict[str, str]:
    """Return what is said of a form, by the fields it is said under."""
    with pytest.raises(FormErrors) as raised:
        checked_values(values_of(RIGHT | states))
    return {
        block_id.removeprefix("block of "): text
        for block_id, text in raised.value.sentences.items()
    }


def test_a_right_form_is_a_plan() -> None:
    assert read() == Plan(channel_id="C0OPS", schedule=a_schedule())


def test_every_field_is_read() -> None:
    plan = read(
        **{
            FILTER_FIELD: typed("  tag:prod below:80 "),
            MODE_FIELD: chosen("15"),
            LIFE_FIELD: chosen("5"),
            WORST_FIELD: typed("25"),
            LABEL_FIELD: chosen("tag:prod"),
            PEOPLE_FIELD: {"selected_users": ["U0BOB", "U0BOB", "W0ADA"]},
            GROUP_FIELD: chosen("S0WEB"),
        }
    )

    assert (plan.filter_text, plan.mode) == ("tag:prod below:80", Mode.WORSE)
    assert plan.schedule.every == 15
    assert (plan.heartbeat_every, plan.worst_count) == (5, 25)
    assert plan.mentions == (Mention(label="tag:prod", who=("U0BOB", "W0ADA", "S0WEB")),)


@loop_over(
    ("field", "state", "text"),
    [
        (CHANNEL_FIELD, {"selected_conversation": None}, "choose a channel"),
        (CHANNEL_FIELD, {"selected_conversation": "D0ADA"}, "choose a channel"),
        (CHANNEL_FIELD, {"selected_conversation": "C1/../x"}, "choose a channel"),
        (DAYS_FIELD, boxes(), "choose at least one day"),
        (TIME_FIELD, {"selected_time": None}, "choose a time"),
        (TIME_FIELD, {"selected_time": "24:00"}, "choose a time"),
        (TIME_FIELD, {"selected_time": "9:00"}, "choose a time"),
        (TIME_FIELD, {"selected_time": "09:00\n"}, "choose a time"),
        (ZONE_FIELD, chosen("Mars/Olympus"), "Pick a time zone"),
        (ZONE_FIELD, chosen("../UTC"), "Pick a time zone"),
        (ZONE_FIELD, {"selected_option": None}, "Pick a time zone"),
        (MODE_FIELD, chosen("sometimes"), "choose when to post"),
        (WORST_FIELD, typed("4"), "a whole number from 5 to 25"),
        (WORST_FIELD, typed("26"), "a whole number from 5 to 25"),
        (WORST_FIELD, typed("10.5"), "a whole number from 5 to 25"),
        (WORST_FIELD, typed("1" * 5_000), "a whole number from 5 to 25"),
        (WORST_FIELD, typed(None), "a whole number from 5 to 25"),
        (MODE_FIELD, chosen("5"), "choose when to post"),
        (FILTER_FIELD, typed("colour:red shop"), "I couldn't read “colour:red”."),
        (FILTER_FIELD, typed("below:101"), "“below:101”, which needs a number from 0 to 100"),
        (FILTER_FIELD, typed("below:1 above:90"), "can't both hold"),
        (FILTER_FIELD, typed("shop sort:name"), "Leave out “sort:name”: a post has neither"),
        (FILTER_FIELD, typed("page:2 sort:x"), "Leave out “page:2” and “sort:x”"),
        (FILTER_FIELD, typed("a:1 b:2 c:3 d:4 e:5"), "read “a:1”; “b:2”; “c:3”; “d:4”; “e:5”."),
        (FILTER_FIELD, typed('tag:"two words'), "is opened and not closed"),
        (FILTER_FIELD, typed('shop"'), "is opened and not closed"),
        (FILTER_FIELD, typed("“two words"), "is opened and not closed"),
        (FILTER_FIELD, typed("x" * 501), "at most 500 characters"),
        (FILTER_FIELD, typed(f"tag:{KEY}"), "Never put one here"),
        (GROUP_FIELD, chosen("C0OPS"), "pick a user group from the list"),
        (END_DAYS_FIELD, typed("30, 400"), "six whole numbers from 1 to 365"),
    ],
)
def test_an_invalid_value_is_explained_under_its_field(field: str, state: Json, text: str) -> None:
    errors = refused({field: state})

    assert text in errors[field]
    assert KEY not in str(errors)
    assert errors[field][0].isupper()
    assert errors[field][-1] == "."


@loop_over(
    ("states", "field", "text"),
    [
        ({LABEL_FIELD: chosen("tag:prod")}, PEOPLE_FIELD, "Choose people"),
        ({PEOPLE_FIELD: {"selected_users": ["U0BOB"]}}, LABEL_FIELD, "Pick the tag or folder"),
        ({GROUP_FIELD: chosen("S0WEB")}, LABEL_FIELD, "Pick the tag or folder"),
        (
            {LABEL_FIELD: chosen("type:x"), GROUP_FIELD: chosen("S0WEB")},
            LABEL_FIELD,
            "Pick a tag or a folder from the list",
        ),
    ],
    ids=["nobody", "people for nothing", "a group for nothing", "no label"],
)
def test_half_a_rule_is_explained(states: dict[str, Json], field: str, text: str) -> None:
    errors = refused(states)

    assert list(errors) == [field]
    assert text in errors[field]


def box(value: Json, shown: Json = "tag:a") -> Json:
    words = {"type": "plain_text", "text": shown}
    return {"value": value, "text": words, "description": {"type": "mrkdwn", "text": "<@U1>"}}


@loop_over(
    ("state", "kept"),
    [
        ({"selected_options": [box("0 tag:a"), box("2 tag:c"), box("7 tag:x")]}, ["a", "c"]),
        ({"selected_options": []}, []),
        ({"selected_options": [box("x"), box("")]}, []),
        ({}, ["a", "b", "c"]),
    ],
    ids=["two", "none", "forged", "no field"],
)
def test_the_rules_that_are_ticked_stay(state: Json, kept: list[str]) -> None:
    draft = sent_draft(values_of(RIGHT | {RULES_FIELD: state}), {})
    rules = [Mention(label=label, who=()) for label in "abc"]

    assert [rule.label for rule in kept_rules(draft, rules)] == kept


def test_everything_that_is_wrong_is_said_at_once() -> None:
    assert set(refused({DAYS_FIELD: boxes(), WORST_FIELD: typed("x")})) == {
        DAYS_FIELD,
        WORST_FIELD,
    }


@loop_over("name", [*RIGHT, "all"])
def test_a_field_that_is_missing_is_no_crash(name: str) -> None:
    states = {each: state for each, state in RIGHT.items() if name not in {each, "all"}}

    if name in {ZONE_FIELD, "all"}:
        with pytest.raises(FormErrors):
            checked_values(values_of(states))
    else:  # the channel of the form's own note is taken
        channel_id = "" if name == CHANNEL_FIELD else read().channel_id
        assert plan_in(states) == replace(read(), channel_id=channel_id)
