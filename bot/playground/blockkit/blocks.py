"""The long-standing blocks, one table each: https://docs.slack.dev/reference/block-kit/blocks.

`call`, `file` and `auth_provider` are missing on purpose: an app cannot send the first two, and
nothing settles where the third may stand.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from bot.playground.blockkit.composition import (
    BLOCK_ID,
    BLOCKS,
    IMAGE_URL,
    SLACK_FILE,
    any_text,
    plain_text,
    text_shapes,
)
from bot.playground.blockkit.elements import (
    BUTTON,
    CHECKBOXES,
    IMAGE,
    OVERFLOW,
    RADIO_BUTTONS,
    WORKFLOW_BUTTON,
)
from bot.playground.blockkit.fields import Flag, Integer, ListOf, String
from bot.playground.blockkit.inputs import DATE_PICKER, DATETIME_PICKER, TIME_PICKER, TYPED_INPUTS
from bot.playground.blockkit.menus import MENUS, MULTI_MENUS
from bot.playground.blockkit.problems import Place
from bot.playground.blockkit.shapes import MESSAGES, OneOf, Shape, exactly_one_of, some_of

_CHOICES = (CHECKBOXES, RADIO_BUTTONS, DATE_PICKER, TIME_PICKER, *MENUS, *MULTI_MENUS)
_BUTTONS = (BUTTON, WORKFLOW_BUTTON, OVERFLOW)
ACCESSORY = OneOf(*_BUTTONS, *_CHOICES, IMAGE)
ACTION = OneOf(*_BUTTONS, *_CHOICES, DATETIME_PICKER)
INPUT_ELEMENT = OneOf(*_CHOICES, DATETIME_PICKER, *TYPED_INPUTS)


def _no_response_url(elements: Iterable[tuple[Mapping[str, Any], Place]]) -> None:
    # https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element:
    # "This field only works with menus in input blocks in modals."
    for element, place in elements:
        if element.get("response_url_enabled"):
            spot = place / "response_url_enabled"
            spot.refuse("not_allowed_here", "only works with menus in input blocks in modals")


def _accessory_has_no_response_url(value: Mapping[str, Any], place: Place) -> None:
    _no_response_url([(value.get("accessory", {}), place / "accessory")])


def _actions_have_no_response_url(value: Mapping[str, Any], place: Place) -> None:
    elements = enumerate(value["elements"])
    _no_response_url((element, place / "elements" / index) for index, element in elements)


def _input_has_response_url_in_modals_only(value: Mapping[str, Any], place: Place) -> None:
    if place.surface != "modal":
        _no_response_url([(value["element"], place / "element")])


def _files_are_not_dispatched(value: Mapping[str, Any], place: Place) -> None:
    if value["element"]["type"] == "file_input" and value.get("dispatch_action"):
        spot = place / "dispatch_action"
        spot.refuse("conflict", "cannot be used with a `file_input` element")


SECTION = Shape(
    kind="section",
    docs=f"{BLOCKS}/section-block",
    optional={
        "block_id": BLOCK_ID,
        "text": any_text(3000),
        "fields": ListOf(item=any_text(2000), most=10),
        "accessory": ACCESSORY,
        "expand": Flag(),
    },
    rules=(some_of("text", "fields"), _accessory_has_no_response_url),
)

HEADER = Shape(
    kind="header",
    docs=f"{BLOCKS}/header-block",
    required={"text": plain_text(150)},
    optional={"block_id": BLOCK_ID, "level": Integer(least=1, most=4)},
)

DIVIDER = Shape(kind="divider", docs=f"{BLOCKS}/divider-block", optional={"block_id": BLOCK_ID})

CONTEXT = Shape(
    kind="context",
    docs=f"{BLOCKS}/context-block",
    required={"elements": ListOf(item=OneOf(*text_shapes(), IMAGE), most=10)},
    optional={"block_id": BLOCK_ID},
)

ACTIONS = Shape(
    kind="actions",
    docs=f"{BLOCKS}/actions-block",
    required={"elements": ListOf(item=ACTION, most=25)},
    optional={"block_id": BLOCK_ID},
    rules=(_actions_have_no_response_url,),
)

IMAGE_BLOCK = Shape(
    kind="image",
    docs=f"{BLOCKS}/image-block",
    required={"alt_text": String(most=2000)},
    optional={
        "block_id": BLOCK_ID,
        "image_url": IMAGE_URL,
        "slack_file": SLACK_FILE,
        "title": plain_text(2000),
    },
    rules=exactly_one_of("image_url", "slack_file"),
)

INPUT = Shape(
    kind="input",
    docs=f"{BLOCKS}/input-block",
    required={"label": plain_text(2000), "element": INPUT_ELEMENT},
    optional={
        "block_id": BLOCK_ID,
        "hint": plain_text(2000),
        "optional": Flag(),
        "dispatch_action": Flag(),
    },
    rules=(_input_has_response_url_in_modals_only, _files_are_not_dispatched),
)

# All markdown blocks of a payload share MAX_MARKDOWN_CHARS, so one has no limit of its own.
MAX_MARKDOWN_CHARS = 12_000
MARKDOWN = Shape(
    kind="markdown",
    docs=f"{BLOCKS}/markdown-block",
    required={"text": String()},
    optional={"block_id": BLOCK_ID},
    surfaces=MESSAGES,
)
