"""What people read who were left without an answer."""

import pytest

from bot.views.usage import interrupted_form, interrupted_message, stopping_message
from tests.builders import HOSTILE_TEXTS
from tests.loops import loop_over
from tests.views.acceptance import assert_slack_takes, assert_slack_takes_form, buttons

LONG = "/domains " + "x" * 3000


@loop_over(
    ("what", "line", "words", "offered"),
    [
        pytest.param(
            "/scan",
            "/scan shop.example",
            "Please try again.",
            {"Try again": "/scan shop.example"},
            id="a command",
        ),
        pytest.param(
            "scan.pick",
            "/scan shop.example",
            "Please try again.",
            {"Try again": "/scan shop.example"},
            id="a form that is a command",
        ),
        pytest.param(
            "/adddomain",
            "/adddomain new.example",
            "Trying again is safe: I check first.",
            {"Try again": "/adddomain new.example", "All domains": "/domains"},
            id="an addition",
        ),
        pytest.param(
            "/adddomain",
            "/adddomain",
            "Please try again.",
            {"Try again": "/adddomain"},
            id="a form that was to be opened",
        ),
        pytest.param(
            "digests.delete",
            None,
            "It may still have been done. Check with /domaindigest",
            {"Digests": "/domaindigest"},
            id="a digest",
        ),
        pytest.param(
            "key-rotation", None, "Check with /domainkey", {"Key": "/domainkey"}, id="a key"
        ),
        pytest.param("share.scan", None, "Check before you repeat it.", {}, id="something shared"),
        pytest.param("/domainkey", None, "Please try again.", {}, id="a key that was typed"),
        pytest.param("/domains", LONG, "Please try again.", {}, id="too long for a button"),
    ],
)
def test_it_says_what_to_do_next(
    what: str, line: str | None, words: str, offered: dict[str, str]
) -> None:
    message = interrupted_message(what, line)

    assert_slack_takes(message)
    assert words in message.text
    assert "got no answer" in message.text
    assert buttons(message) == offered


@loop_over("what", ["digests.edit", "key", "scan.section.turn"])
def test_a_form_says_it_without_buttons_whose_answers_would_lie_behind_it(what: str) -> None:
    form = interrupted_form(what, None)

    assert_slack_takes_form(form)
    assert buttons(form) == {}


@loop_over("text", HOSTILE_TEXTS)
def test_what_was_typed_stands_in_front_and_does_nothing(text: str) -> None:
    for message in (
        interrupted_message("/domains", f"/domains {text}"),
        stopping_message(f"/domains {text}"),
    ):
        assert_slack_takes(message)
        assert message.text.startswith("/domains ")
