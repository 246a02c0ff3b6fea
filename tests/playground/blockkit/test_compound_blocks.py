"""What cards, carousels and containers must be, beyond their limits."""

from bot.playground.blockkit import Problem, check_blocks
from tests.playground.blockkit.samples import (
    Json,
    actions,
    card,
    chart,
    container,
    data_table,
    image,
    plain,
    section,
)
from tests.playground.blockkit.sentences import (
    NO_CHOICE,
    conflict,
    missing,
    needs,
    not_a,
    too_few,
    unsupported,
)

DIVIDER = {"type": "divider"}

REFUSED = {
    "card of nothing": (
        {"type": "card", "subtitle": plain()},
        needs("`hero_image`, `title`, `actions` or `body`"),
        "/type",
    ),
    "card title a string": (card(title="A"), not_a("an object"), "/title"),
    "card actions a block": (card(actions=actions()), not_a("an array"), "/actions"),
    "card with a select": (
        card(actions=[{"type": "users_select"}]),
        unsupported("users_select"),
        "/actions/0/type",
    ),
    "unknown icon": (
        card(slack_icon={"type": "icon", "name": "bell"}),
        NO_CHOICE,
        "/slack_icon/name",
    ),
    "icon an image": (card(slack_icon={"type": "icon"}), missing("name"), "/slack_icon"),
    "two icons": (
        card(icon=image(), slack_icon={"type": "icon", "name": "bug"}),
        conflict("cannot provide both `icon` and `slack_icon`"),
        "",
    ),
    "carousel of sections": (
        {"type": "carousel", "elements": [section()]},
        unsupported("section"),
        "/elements/0/type",
    ),
    "container of nothing": (container(), too_few(1), "/child_blocks"),
    "untitled container": (
        {"type": "container", "child_blocks": [DIVIDER]},
        needs("`title` or `rich_text_title`"),
        "/type",
    ),
    "strange width": (container(DIVIDER, width="huge"), NO_CHOICE, "/width"),
    "collapsed for ever": (
        container(DIVIDER, default_collapsed=True),
        conflict("requires `is_collapsible` to be true"),
        "/default_collapsed",
    ),
    "line in a collapsible": (
        container(DIVIDER, is_collapsible=True, has_header_divider=True),
        conflict("cannot be set when `is_collapsible` is true"),
        "/has_header_divider",
    ),
}


def test_a_wrong_card_or_group_is_refused() -> None:
    for case, (block, refusal, pointer) in REFUSED.items():
        assert check_blocks([block]) == [Problem(*refusal, f"/blocks/0{pointer}")], case


CHILDREN_TOO_RICH: list[Json] = [
    data_table(),
    chart(),
    card(),
    {"type": "markdown", "text": "Words"},
    container(section()),
    {"type": "carousel", "elements": [card()]},
]


def test_a_container_takes_simple_blocks_only() -> None:
    for child in CHILDREN_TOO_RICH:
        message = f"unsupported type: {child['type']}"

        assert check_blocks([container(child)]) == [
            Problem("unknown_type", message, "/blocks/0/child_blocks/0/type")
        ], child["type"]
