"""Block elements other than menus and inputs: buttons, overflow, boxes, images.

https://docs.slack.dev/reference/block-kit/block-elements
"""

from bot.playground.blockkit.composition import (
    CONFIRM,
    FORMATTED_OPTION,
    IMAGE_URL,
    OVERFLOW_OPTION,
    SLACK_FILE,
    STYLE,
    URL,
    WORKFLOW,
    initial_options_exist,
    option_values_differ,
    plain_text,
)
from bot.playground.blockkit.fields import Choice, Flag, ListOf, String
from bot.playground.blockkit.shapes import MESSAGES, OneOf, Shape, exactly_one_of

ELEMENTS = "https://docs.slack.dev/reference/block-kit/block-elements"

ACTION_ID = String(most=255)
SCREEN_READER_LABEL = String(most=75)
VISIBLE_TO = ListOf(item=String(), most=10)

BUTTON = Shape(
    kind="button",
    docs=f"{ELEMENTS}/button-element",
    required={"text": plain_text(75)},
    optional={
        "action_id": ACTION_ID,
        "url": URL,
        "value": String(most=2000),
        "style": STYLE,
        "confirm": CONFIRM,
        "accessibility_label": SCREEN_READER_LABEL,
        "agent_prompt": String(most=4000),
        "agent_prompt_display": String(),
        "visible_to_user_ids": VISIBLE_TO,
    },
)

WORKFLOW_BUTTON = Shape(
    kind="workflow_button",
    docs=f"{ELEMENTS}/workflow-button-element",
    required={"text": plain_text(75), "workflow": WORKFLOW},
    optional={
        "action_id": ACTION_ID,
        "style": STYLE,
        "accessibility_label": SCREEN_READER_LABEL,
    },
    surfaces=MESSAGES,
)

OVERFLOW = Shape(
    kind="overflow",
    docs=f"{ELEMENTS}/overflow-menu-element",
    # Older pages wanted two options, newer ones and slack_sdk 3.47 one.
    required={"options": ListOf(item=OVERFLOW_OPTION, most=5)},
    optional={"action_id": ACTION_ID, "confirm": CONFIRM},
    rules=(option_values_differ,),
)

CHECKBOXES = Shape(
    kind="checkboxes",
    docs=f"{ELEMENTS}/checkboxes-element",
    required={"options": ListOf(item=FORMATTED_OPTION, most=10)},
    optional={
        "action_id": ACTION_ID,
        "initial_options": ListOf(item=FORMATTED_OPTION, most=10),
        "confirm": CONFIRM,
        "focus_on_load": Flag(),
    },
    rules=(option_values_differ, initial_options_exist),
)

RADIO_BUTTONS = Shape(
    kind="radio_buttons",
    docs=f"{ELEMENTS}/radio-button-group-element",
    required={"options": ListOf(item=FORMATTED_OPTION, most=10)},
    optional={
        "action_id": ACTION_ID,
        "initial_option": FORMATTED_OPTION,
        "confirm": CONFIRM,
        "focus_on_load": Flag(),
    },
    rules=(option_values_differ, initial_options_exist),
)

IMAGE = Shape(
    kind="image",
    docs=f"{ELEMENTS}/image-element",
    required={"alt_text": String(most=2000)},
    optional={"image_url": IMAGE_URL, "slack_file": SLACK_FILE},
    rules=exactly_one_of("image_url", "slack_file"),
)
ONLY_AN_IMAGE = OneOf(IMAGE)
ONLY_A_BUTTON = OneOf(BUTTON)

ICON_BUTTON = Shape(
    kind="icon_button",
    docs=f"{ELEMENTS}/icon-button-element",
    required={"icon": Choice("trash"), "text": plain_text(75)},
    optional={
        "action_id": ACTION_ID,
        "value": String(most=2000),
        "confirm": CONFIRM,
        "accessibility_label": SCREEN_READER_LABEL,
        "visible_to_user_ids": VISIBLE_TO,
    },
)

_FEEDBACK_BUTTON = Shape(
    docs=f"{ELEMENTS}/feedback-buttons-element",
    required={"text": plain_text(75), "value": String(most=2000)},
    optional={"accessibility_label": SCREEN_READER_LABEL},
)
FEEDBACK_BUTTONS = Shape(
    kind="feedback_buttons",
    docs=f"{ELEMENTS}/feedback-buttons-element",
    required={"positive_button": _FEEDBACK_BUTTON, "negative_button": _FEEDBACK_BUTTON},
    optional={"action_id": ACTION_ID},
)

URL_SOURCE = Shape(
    kind="url",
    docs=f"{ELEMENTS}/url-source-element",
    required={"url": URL, "text": String()},
)
