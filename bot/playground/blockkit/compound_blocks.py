"""The younger blocks, most of them made of others.

https://docs.slack.dev/reference/block-kit/blocks
"""

from collections.abc import Mapping
from typing import Any

from bot.playground.blockkit.blocks import (
    ACTIONS,
    CONTEXT,
    DIVIDER,
    HEADER,
    IMAGE_BLOCK,
    INPUT,
    SECTION,
)
from bot.playground.blockkit.composition import (
    BLOCK_ID,
    BLOCKS,
    IMAGE_URL,
    SLACK_ICON,
    URL,
    any_text,
    plain_text,
)
from bot.playground.blockkit.elements import (
    FEEDBACK_BUTTONS,
    ICON_BUTTON,
    ONLY_A_BUTTON,
    ONLY_AN_IMAGE,
    URL_SOURCE,
)
from bot.playground.blockkit.fields import Choice, Flag, ListOf, String
from bot.playground.blockkit.problems import Place
from bot.playground.blockkit.rich_text import ONLY_RICH_TEXT, RICH_TEXT
from bot.playground.blockkit.shapes import (
    MESSAGES,
    MODALS,
    NOT_IN_MODALS,
    OneOf,
    Shape,
    not_both,
    some_of,
)
from bot.playground.blockkit.tables_and_charts import TABLE

ALERT = Shape(
    kind="alert",
    docs=f"{BLOCKS}/alert-block",
    required={"text": any_text(200)},
    optional={
        "block_id": BLOCK_ID,
        "level": Choice("default", "info", "warning", "error", "success"),
    },
    surfaces=MODALS,
)

# The fields stand in the block itself, and its texts are text objects, not strings.
CARD = Shape(
    kind="card",
    docs=f"{BLOCKS}/card-block",
    optional={
        "block_id": BLOCK_ID,
        "hero_image": ONLY_AN_IMAGE,
        "icon": ONLY_AN_IMAGE,
        "slack_icon": SLACK_ICON,
        "title": any_text(150),
        "subtitle": any_text(150),
        "body": any_text(200),
        "subtext": any_text(200),
        "actions": ListOf(item=ONLY_A_BUTTON, most=3),
    },
    rules=(some_of("hero_image", "title", "actions", "body"), not_both("icon", "slack_icon")),
)

CAROUSEL = Shape(
    kind="carousel",
    docs=f"{BLOCKS}/carousel-block",
    required={"elements": ListOf(item=OneOf(CARD), most=10)},
    optional={"block_id": BLOCK_ID},
    surfaces=NOT_IN_MODALS,
)

VIDEO = Shape(
    kind="video",
    docs=f"{BLOCKS}/video-block",
    required={
        # "Must be less than 200 characters", and 50 for the author.
        "title": plain_text(199),
        "video_url": URL,
        "thumbnail_url": IMAGE_URL,
        "alt_text": String(most=2000),
    },
    optional={
        "block_id": BLOCK_ID,
        "title_url": URL,
        "description": plain_text(199),
        "author_name": String(most=49),
        "provider_name": String(),
        "provider_icon_url": IMAGE_URL,
    },
)


def _collapsing_makes_sense(value: Mapping[str, Any], place: Place) -> None:
    is_collapsible = value.get("is_collapsible", False)
    if value.get("default_collapsed") and not is_collapsible:
        (place / "default_collapsed").refuse("conflict", "requires `is_collapsible` to be true")
    if value.get("has_header_divider") and is_collapsible:
        spot = place / "has_header_divider"
        spot.refuse("conflict", "cannot be set when `is_collapsible` is true")


CONTAINER = Shape(
    kind="container",
    docs=f"{BLOCKS}/container-block",
    required={
        "child_blocks": ListOf(
            item=OneOf(
                ACTIONS,
                CONTEXT,
                DIVIDER,
                HEADER,
                IMAGE_BLOCK,
                INPUT,
                RICH_TEXT,
                SECTION,
                TABLE,
                VIDEO,
            ),
            most=10,
        )
    },
    optional={
        "block_id": BLOCK_ID,
        "title": plain_text(150),
        "rich_text_title": ONLY_RICH_TEXT,
        "subtitle": any_text(150),
        "icon": ONLY_AN_IMAGE,
        "width": Choice("narrow", "standard", "wide", "full"),
        "is_collapsible": Flag(),
        "default_collapsed": Flag(),
        "has_header_divider": Flag(),
    },
    surfaces=NOT_IN_MODALS,
    rules=(some_of("title", "rich_text_title"), _collapsing_makes_sense),
)

CONTEXT_ACTIONS = Shape(
    kind="context_actions",
    docs=f"{BLOCKS}/context-actions-block",
    required={"elements": ListOf(item=OneOf(FEEDBACK_BUTTONS, ICON_BUTTON), most=5)},
    optional={"block_id": BLOCK_ID},
    surfaces=MESSAGES,
)

TASK_CARD = Shape(
    kind="task_card",
    docs=f"{BLOCKS}/task-card-block",
    required={"task_id": String(), "title": String()},
    optional={
        "block_id": BLOCK_ID,
        "details": ONLY_RICH_TEXT,
        "output": ONLY_RICH_TEXT,
        "sources": ListOf(item=OneOf(URL_SOURCE)),
        "status": Choice("pending", "in_progress", "complete", "error"),
    },
    surfaces=MESSAGES,
)

PLAN = Shape(
    kind="plan",
    docs=f"{BLOCKS}/plan-block",
    # In a plan a task card may leave its `type` out.
    required={"title": String()},
    optional={"block_id": BLOCK_ID, "tasks": ListOf(item=TASK_CARD)},
    surfaces=MESSAGES,
)
