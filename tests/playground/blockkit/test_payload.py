"""A list of blocks as a whole: where they may stand, their ids, what they share."""

from bot.playground.blockkit import Problem, check_blocks
from bot.playground.blockkit.schema import Surface
from tests.playground.blockkit.samples import (
    EVERY_MESSAGE_BLOCK,
    Json,
    actions,
    button,
    card,
    chart,
    container,
    data_table,
    plain,
    section,
    table,
)

ALERT = {"type": "alert", "text": plain()}
MARKDOWN = {"type": "markdown", "text": "Words"}
CAROUSEL = {"type": "carousel", "elements": [card()]}


def test_every_block_is_accepted_in_a_message() -> None:
    assert check_blocks(EVERY_MESSAGE_BLOCK) == []


def test_blocks_must_be_a_list() -> None:
    wrong: list[Json] = [None, {}, "[]", 1, True]
    for blocks in wrong:
        assert check_blocks(blocks) == [
            Problem("wrong_type", "must provide an array", "/blocks")
        ], repr(blocks)


def test_pointers_begin_with_the_root_that_was_given() -> None:
    (problem,) = check_blocks([{}], root="/view/blocks", surface="modal")

    assert problem.pointer == "/view/blocks/0"


def test_every_wrong_block_is_named() -> None:
    problems = check_blocks([{}, section(), {}])

    assert [problem.pointer for problem in problems] == ["/blocks/0", "/blocks/2"]


PLAN = {"type": "plan", "title": "A"}
TASK = {"type": "task_card", "task_id": "1", "title": "A"}
FEEDBACK = {
    "type": "context_actions",
    "elements": [{"type": "icon_button", "icon": "trash", "text": plain()}],
}

ELSEWHERE: list[tuple[Json, Surface]] = [
    (ALERT, "message"),
    (ALERT, "home"),
    (MARKDOWN, "modal"),
    (MARKDOWN, "home"),
    (table(), "modal"),
    (data_table(), "modal"),
    (chart(), "modal"),
    (chart(), "home"),
    (CAROUSEL, "modal"),
    (PLAN, "home"),
    (TASK, "modal"),
    (FEEDBACK, "home"),
    (container(section()), "modal"),
]


def test_a_block_is_refused_on_a_surface_that_does_not_know_it() -> None:
    for block, surface in ELSEWHERE:
        message = f"unsupported type: {block['type']}"

        assert check_blocks([block], surface=surface) == [
            Problem("not_allowed_here", message, "/blocks/0/type")
        ], (block, surface)


EVERYWHERE = {"section", "header", "divider", "context", "actions", "image", "input", "rich_text"}


def test_the_common_blocks_are_accepted_everywhere() -> None:
    surfaces: list[Surface] = ["message", "modal", "home"]
    for surface in surfaces:
        common = [block for block in EVERY_MESSAGE_BLOCK if block["type"] in {*EVERYWHERE, "card"}]

        assert len(common) == len(EVERYWHERE) + 1, surface
        assert check_blocks(common, surface=surface) == [], surface


def test_tables_and_groups_are_accepted_in_the_home_tab() -> None:
    for block in [table(), data_table(), CAROUSEL, container(section())]:
        assert check_blocks([block], surface="home") == [], block


def test_a_block_id_is_used_once_also_inside_containers() -> None:
    blocks = [section(block_id="a"), container(section(block_id="a")), section(block_id="b")]

    assert check_blocks(blocks) == [
        Problem("duplicate", '`block_id` "a" already exists', "/blocks/1/child_blocks/0/block_id")
    ]


def test_a_block_id_is_used_once_also_inside_carousels() -> None:
    cards = {"type": "carousel", "elements": [card(block_id="a"), card(block_id="a")]}

    (problem,) = check_blocks([cards])

    assert problem.pointer == "/blocks/0/elements/1/block_id"


def test_an_action_id_is_used_once_in_its_card() -> None:
    cards = {"type": "carousel", "elements": [card(actions=[button(), button()])]}

    (problem,) = check_blocks([cards])

    assert problem.pointer == "/blocks/0/elements/0/actions/1/action_id"


def test_an_action_id_is_used_once_in_its_block() -> None:
    assert check_blocks([actions(button(), button())]) == [
        Problem("duplicate", '`action_id` "scan" already exists', "/blocks/0/elements/1/action_id")
    ]


def test_an_action_id_may_come_back_in_another_block() -> None:
    cards = {"type": "carousel", "elements": [card(actions=[button()])] * 2}

    assert check_blocks([actions(), actions(), container(actions()), cards]) == []


def test_markdown_blocks_share_one_budget() -> None:
    half = {"type": "markdown", "text": "a" * 6000}

    assert check_blocks([half, half]) == []
    assert check_blocks([half, half, MARKDOWN]) == [
        Problem("too_long", "must be less than 12001 characters together", "/blocks/2/text")
    ]


def test_a_workflow_button_stands_in_messages_only() -> None:
    started = {"trigger": {"url": "https://a.example/w"}}
    starter = actions({"type": "workflow_button", "text": plain(), "workflow": started})

    assert check_blocks([starter]) == []
    (problem,) = check_blocks([starter], surface="modal")
    assert problem.message == "unsupported type: workflow_button"
