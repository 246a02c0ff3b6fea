"""The rules of whom a digest mentions."""

from bot.digests.form_parse import with_rule
from bot.digests.models import Mention, is_label
from bot.digests.views.form_fields import (
    box_of,
    group_options,
    rule_boxes,
    rule_label_options,
    who_text,
)
from bot.slack.channels import UserGroup
from tests.blocks.acceptance import Json, assert_slack_takes_options
from tests.builders import ADMIN_ID, HOSTILE_TEXTS, KEY
from tests.digests.builders import a_mention
from tests.loops import loop_over

USED = ["tag:prod", "tag:eu", "folder:Web shops"]


WEB = UserGroup("S0WEB", "web-team", "People of the web")
OPS = UserGroup("S0OPS", "ops", "Operations")


def values(options: list[Json]) -> list[str]:
    return [option["value"] for option in options]


@loop_over(
    ("typed", "offered"),
    [
        ("", USED),
        ("PRO", ["tag:prod", "tag:PRO", "folder:PRO"]),
        ("shops", ["folder:Web shops", "tag:shops", "folder:shops"]),
        ("tag:prod", ["tag:prod"]),
        ("Tag: new", ["tag:new"]),
        ("Tag: PROD", ["tag:prod"]),
        ("folder:Web", ["folder:Web shops", "folder:Web"]),
        ("tag:", ["tag:prod", "tag:eu"]),
        (KEY, []),
        ("x" * 146, ["tag:" + "x" * 146]),  # as a folder it would not fit
    ],
)
def test_labels_in_use_are_offered_and_then_what_was_typed(typed: str, offered: list[str]) -> None:
    options = rule_label_options(USED, typed)

    assert_slack_takes_options(options)
    assert values(options) == offered


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_labels_and_groups_of_others_do_nothing(text: str) -> None:
    assert_slack_takes_options(rule_label_options([f"tag:{text}"], text))
    assert_slack_takes_options(group_options([UserGroup("S0WEB", text, text)], ""))


@loop_over(
    ("typed", "offered"),
    [("", ["S0WEB", "S0OPS"]), ("@web", ["S0WEB"]), ("PEOPLE", ["S0WEB"]), ("nobody", [])],
)
def test_user_groups_are_found_by_handle_and_name(typed: str, offered: list[str]) -> None:
    options = group_options([WEB, OPS], typed)

    assert_slack_takes_options(options)
    assert values(options) == offered


@loop_over(
    ("text", "is_one"),
    [
        ("tag:prod", True),
        ("folder:Web shops", True),
        ("tag:", False),
        ("tag: ", False),
        ("prod", False),
        ("type:owned", False),
        ("tag:" + "x" * 147, False),
        (f"tag:{KEY}", False),
    ],
)
def test_a_label_is_a_tag_or_a_folder(text: str, is_one: bool) -> None:
    assert is_label(text) is is_one


def test_a_rule_shows_people_by_name_and_counts_the_rest() -> None:
    assert who_text(a_mention("tag:prod", ADMIN_ID)) == f"<@{ADMIN_ID}>"
    four = a_mention("tag:prod", *(f"U0{number:013}" for number in range(4)))
    assert len(who_text(four)) == 75
    many = a_mention("tag:prod", *(f"U0{number:09}" for number in range(20)))
    assert who_text(many).endswith("<@U0000000003> and 16 more")
    assert len(who_text(many)) <= 75
    assert not who_text(a_mention("tag:prod", "<!channel>"))


@loop_over("label", ["tag:prod", "folder:Web shops", "tag:" + "x" * 146])
def test_a_box_says_which_rule_it_is_about(label: str) -> None:
    boxes = rule_boxes([a_mention("tag:a"), a_mention(label, "U01", "U02")])

    found = box_of(list(boxes)[1])

    assert found is not None
    assert found[0] == 1
    assert label.startswith(found[1].removesuffix("…"))
    assert box_of("x") is None


def test_a_second_rule_for_a_label_adds_to_the_first() -> None:
    rules = (a_mention("tag:eu", "U01"), a_mention("tag:prod", "U01", "U02"))

    joined = with_rule(rules, [a_mention("TAG:PROD", "U02", "U03")])

    assert joined == (rules[0], Mention(label="tag:prod", who=("U01", "U02", "U03")))
    assert with_rule(rules, ()) == rules
    assert with_rule(rules, [a_mention("tag:new", "U9")]) == (*rules, a_mention("tag:new", "U9"))
