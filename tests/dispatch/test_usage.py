"""The usage of commands, and what people read who were left without an answer."""

from bot.dispatch.command_text import NotUnderstood
from bot.dispatch.commands import COMMANDS
from bot.dispatch.usage import (
    MAX_PARTS_SHOWN,
    as_form,
    interrupted_message,
    late_message,
    not_understood_message,
    usage_message,
)
from bot.domains.adding import parse_new_domains
from bot.domains.query import parse_query
from tests.blocks.acceptance import (
    assert_slack_takes,
    assert_slack_takes_form,
    buttons,
    shown_text,
)
from tests.builders import HOSTILE_TEXTS
from tests.loops import loop_over

SCAN, ADD, FORM = "/scan shop.example", "/adddomain new.example", "/adddomain"
AGAIN = "Please try again."
CHECK = "It may still have been done. Check before you repeat it."
SAFE = "It may still have been done. Trying again is safe: I check first."


@loop_over(
    ("line", "words", "offered"),
    [
        (SCAN, AGAIN, {"Try again": SCAN}),
        (ADD, SAFE, {"Try again": ADD}),
        (FORM, AGAIN, {"Try again": FORM}),
        (None, CHECK, {}),
        ("/domains " + "x" * 3000, AGAIN, {}),
    ],
)
def test_it_says_what_to_do_next(line: str | None, words: str, offered: dict[str, str]) -> None:
    message = interrupted_message(line)

    assert_slack_takes(message)
    assert words in message.text
    assert "got no answer" in message.text
    assert buttons(message) == offered


@loop_over("text", [*HOSTILE_TEXTS.values(), "x" * 3000])
def test_a_line_that_came_late_is_offered_and_does_nothing(text: str) -> None:
    message = late_message(f"/domains {text}")

    assert_slack_takes(message)
    assert "not run" in message.text


@loop_over("line", [None, SCAN, ADD])
def test_a_form_has_no_buttons_with_hidden_answers(line: str | None) -> None:
    form = as_form(interrupted_message(line))

    assert_slack_takes_form(form)
    assert buttons(form) == {}


@loop_over("text", HOSTILE_TEXTS)
def test_what_was_typed_stands_in_front_and_does_nothing(text: str) -> None:
    message = interrupted_message(f"/domains {text}")

    assert_slack_takes(message)
    assert message.text.startswith("/domains ")


NAMES = list(COMMANDS)


@loop_over("command", NAMES)
def test_a_usage_shows_its_examples_and_the_other_commands(command: str) -> None:
    message = usage_message(command)

    assert_slack_takes(message)
    text = shown_text(message)
    assert all(f"`{example}`" in text for example, _does in COMMANDS[command].examples)
    assert all(f"`{other}`" in text for other in COMMANDS)
    assert message.text.startswith(f"{command} ")


@loop_over("example", [line for line, _ in COMMANDS["/domains"].examples])
def test_every_example_of_a_filter_is_understood(example: str) -> None:
    parse_query(example.removeprefix("/domains"))


@loop_over("example", [line for line, _ in COMMANDS["/adddomain"].examples[:3]])
def test_every_example_of_an_addition_is_understood(example: str) -> None:
    new = parse_new_domains(example.removeprefix("/adddomain"), owned_type="owned")

    assert new.hosts in (["example.com"], ["a.example", "b.example"])


def test_one_answer_names_what_was_not_understood_what_was_and_the_usage() -> None:
    problems = [NotUnderstood("colour:red"), NotUnderstood("tag:", "needs a value")]

    message = not_understood_message("/adddomain", problems, ["shop.example", "tag:x"])

    assert message.text == (
        "I don't know colour:red. tag: needs a value. Nothing was changed."
        ' /adddomain [example.com …] [type:x] [folder:"x"] [tag:x] Understood: shop.example tag:x.'
    )


@loop_over("count", [0, 1, 10, 11, 500])
@loop_over("part", ["x:y", *HOSTILE_TEXTS.values()])
def test_any_number_of_parts_is_named_or_counted(count: int, part: str) -> None:
    message = not_understood_message(
        "/domains", [NotUnderstood(part, "w" * 3_000)] * count, [part] * count
    )

    assert_slack_takes(message)
    if count > MAX_PARTS_SHOWN:
        more = count - MAX_PARTS_SHOWN
        assert f"And {more} more part{'s' if more > 1 else ''}." in shown_text(message)
