import pytest

from bot.digests.models import Mode
from bot.views.digests.wording import mode_text, plan_lines
from tests.digests.builders import (
    a_mention,
    a_plan,
)
from tests.loops import loop_over
from tests.views.digests.parts import Json


@loop_over(
    ("fields", "words"),
    [
        pytest.param({"mode": Mode.ALWAYS, "heartbeat_every": 5}, "Always", id="always"),
        pytest.param({"mode": Mode.CHANGES}, "When something changed", id="no sign of life"),
        pytest.param(
            {"mode": Mode.WORSE, "heartbeat_every": 1},
            "When something got worse; heartbeat after 1 quiet run",
            id="a sign of life",
        ),
    ],
)
def test_a_mode_is_told_as_the_form_calls_it(fields: Json, words: str) -> None:
    assert mode_text(a_plan(**fields)) == words


def test_a_plan_without_a_filter_is_about_all_domains() -> None:
    assert dict(plan_lines(a_plan())) == {
        "When": "Mon–Fri at 09:00 (Europe/Berlin)",
        "Filter": "all domains",
        "Post": "Always",
        "Worst domains shown": "5",
    }


def test_of_many_rules_the_rest_is_counted() -> None:
    rules = tuple(a_mention(f"tag:t{number}") for number in range(8))

    shown = dict(plan_lines(a_plan(mentions=rules)))["Mentioned when it gets worse"]

    assert shown.endswith("1 owner of `tag:t4` and 3 more labels")
