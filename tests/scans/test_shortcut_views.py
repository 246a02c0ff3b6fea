from typing import Any

import pytest

from bot.dispatch.request import FormErrors
from bot.dispatch.usage import form_button_message, greeting_message, overview_message
from bot.scans.shortcut_listeners import read_picked
from bot.scans.shortcut_views import LOOKING, busy_form, done_form, found_form
from tests.blocks.acceptance import assert_slack_takes, assert_slack_takes_form, shown_text
from tests.builders import HOSTILE_TEXTS
from tests.loops import loop_over

MANY = [f"d{number}.example" for number in range(120)]


@loop_over(
    "watched, others",
    [
        (MANY, MANY),
        (["a.example"], []),
        ([], ["b.example"]),
        ([], []),
        (HOSTILE_TEXTS, ["a" * 200]),
    ],
)
def test_any_named_domains_fit_the_form(watched: list[str], others: list[str]) -> None:
    assert_slack_takes_form(found_form(watched, others, "{}"))


def test_the_form_proposes_ten_to_scan_none_to_add_and_says_what_is_left_out() -> None:
    scan, add, _where, left_out = found_form(MANY, [*MANY[:3], "a" * 151], "")["blocks"]

    assert [each["value"] for each in scan["element"]["initial_options"]] == MANY[:10]
    assert "initial_options" not in add["element"]
    assert left_out["elements"][0]["text"] == "21 more names in this message."


def test_a_message_without_names_says_so_and_has_nothing_to_submit() -> None:
    form = found_form([], [], "")

    assert "no domain names" in str(form["blocks"])
    assert "submit" not in form


def test_the_other_forms_and_answers_are_taken_too() -> None:
    assert_slack_takes(LOOKING)
    for form in (busy_form(), done_form(1)):
        assert_slack_takes_form(form)
    assert_slack_takes(form_button_message("/scan"))
    assert_slack_takes(overview_message(is_direct=True))
    assert_slack_takes(greeting_message())
    assert "`domains`" in shown_text(overview_message(is_direct=True))


def test_what_was_picked_is_read_scans_first() -> None:
    def picked(*hosts: str) -> dict[str, Any]:
        return {"shortcut.picked": {"selected_options": [{"value": host} for host in hosts]}}

    found = read_picked({"add": picked("c.example"), "scan": picked("a.example", "b.example")})

    assert found == [("/scan", "a.example"), ("/scan", "b.example"), ("/adddomain", "c.example")]


@loop_over("blocks", [("scan", "add"), ("add",)])
def test_an_empty_choice_is_explained_beside_the_first_list(blocks: tuple[str, ...]) -> None:
    values: dict[str, Any] = {block: {"shortcut.picked": {}} for block in blocks}

    with pytest.raises(FormErrors) as errors:
        read_picked(values)

    assert list(errors.value.sentences) == [blocks[0]]
