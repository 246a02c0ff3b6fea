"""Block elements: buttons, menus, boxes, images, and fields for text, dates and files.

https://docs.slack.dev/reference/block-kit/block-elements
"""

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from bot.playground.blockkit.objects import (
    CONFIRM,
    CONVERSATION_FILTER,
    DISPATCH_CONFIG,
    FORMATTED_OPTION,
    IMAGE_URL,
    OPTION,
    OPTION_GROUP,
    OVERFLOW_OPTION,
    SLACK_FILE,
    STYLE,
    URL,
    WORKFLOW,
    initial_options_exist,
    option_values_differ,
    plain_text,
)
from bot.playground.blockkit.rich_text import ONLY_RICH_TEXT
from bot.playground.blockkit.schema import (
    MESSAGES,
    MODALS,
    Choice,
    Flag,
    Integer,
    ListOf,
    Need,
    OneOf,
    Place,
    Rule,
    Shape,
    Spec,
    String,
    exactly_one_of,
    table,
)

ELEMENTS = "https://docs.slack.dev/reference/block-kit/block-elements"

ACTION_ID = String(most=255)
SCREEN_READER_LABEL = String(most=75)
VISIBLE_TO = ListOf(item=String(), most=10)


def element(kind: str, page: str, **more: Any) -> Shape:
    """Make the table of an element; `page` is the last part of its documentation."""
    return table(kind, f"{ELEMENTS}/{page}", **more)


BUTTON = element(
    "button",
    "button-element",
    text=Need(plain_text(75)),
    action_id=ACTION_ID,
    url=URL,
    value=String(most=2000),
    style=STYLE,
    confirm=CONFIRM,
    accessibility_label=SCREEN_READER_LABEL,
    agent_prompt=String(most=4000),
    agent_prompt_display=String(),
    visible_to_user_ids=VISIBLE_TO,
)

WORKFLOW_BUTTON = element(
    "workflow_button",
    "workflow-button-element",
    text=Need(plain_text(75)),
    workflow=Need(WORKFLOW),
    action_id=ACTION_ID,
    style=STYLE,
    accessibility_label=SCREEN_READER_LABEL,
    surfaces=MESSAGES,
)

OVERFLOW = element(
    "overflow",
    "overflow-menu-element",
    # Older pages wanted two options, newer ones and slack_sdk 3.47 one.
    options=Need(ListOf(item=OVERFLOW_OPTION, most=5)),
    action_id=ACTION_ID,
    confirm=CONFIRM,
    rules=(option_values_differ,),
)

CHECKBOXES = element(
    "checkboxes",
    "checkboxes-element",
    options=Need(ListOf(item=FORMATTED_OPTION, most=10)),
    action_id=ACTION_ID,
    initial_options=ListOf(item=FORMATTED_OPTION, most=10),
    confirm=CONFIRM,
    focus_on_load=Flag(),
    rules=(option_values_differ, initial_options_exist),
)

RADIO_BUTTONS = element(
    "radio_buttons",
    "radio-button-group-element",
    options=Need(ListOf(item=FORMATTED_OPTION, most=10)),
    action_id=ACTION_ID,
    initial_option=FORMATTED_OPTION,
    confirm=CONFIRM,
    focus_on_load=Flag(),
    rules=(option_values_differ, initial_options_exist),
)

IMAGE = element(
    "image",
    "image-element",
    alt_text=Need(String(most=2000)),
    image_url=IMAGE_URL,
    slack_file=SLACK_FILE,
    rules=exactly_one_of("image_url", "slack_file"),
)
ONLY_AN_IMAGE = OneOf(IMAGE)
ONLY_A_BUTTON = OneOf(BUTTON)

ICON_BUTTON = element(
    "icon_button",
    "icon-button-element",
    icon=Need(Choice("trash")),
    text=Need(plain_text(75)),
    action_id=ACTION_ID,
    value=String(most=2000),
    confirm=CONFIRM,
    accessibility_label=SCREEN_READER_LABEL,
    visible_to_user_ids=VISIBLE_TO,
)

_FEEDBACK_BUTTON = element(
    "",
    "feedback-buttons-element",
    text=Need(plain_text(75)),
    value=Need(String(most=2000)),
    accessibility_label=SCREEN_READER_LABEL,
)
FEEDBACK_BUTTONS = element(
    "feedback_buttons",
    "feedback-buttons-element",
    positive_button=Need(_FEEDBACK_BUTTON),
    negative_button=Need(_FEEDBACK_BUTTON),
    action_id=ACTION_ID,
)

URL_SOURCE = element("url", "url-source-element", url=Need(URL), text=Need(String()))


_ID = String()
_IDS = ListOf(item=String())

# What all ten share.
_MENU: Mapping[str, Spec] = {
    "action_id": ACTION_ID,
    "placeholder": plain_text(150),
    "confirm": CONFIRM,
    "focus_on_load": Flag(),
}
# Where the options come from.
_STATIC: Mapping[str, Spec] = {
    "options": ListOf(item=OPTION, most=100),
    "option_groups": ListOf(item=OPTION_GROUP, most=100),
}
_EXTERNAL: Mapping[str, Spec] = {"min_query_length": Integer(least=0)}
_CONVERSATIONS: Mapping[str, Spec] = {
    "default_to_current_conversation": Flag(),
    "filter": CONVERSATION_FILTER,
}
# Only in forms; the blocks see to that.
_RESPONSE_URL: Mapping[str, Spec] = {"response_url_enabled": Flag()}
_STATIC_RULES = (
    *exactly_one_of("options", "option_groups"),
    option_values_differ,
    initial_options_exist,
)


def _one(kind: str, *fields: Mapping[str, Spec], rules: tuple[Rule, ...] = ()) -> Shape:
    optional = {name: spec for part in (_MENU, *fields) for name, spec in part.items()}
    return element(kind, "select-menu-element", **optional, rules=rules)


def _many(kind: str, *fields: Mapping[str, Spec], rules: tuple[Rule, ...] = ()) -> Shape:
    optional = {name: spec for part in (_MENU, *fields) for name, spec in part.items()}
    optional["max_selected_items"] = Integer(least=1)
    return element(kind, "multi-select-menu-element", **optional, rules=rules)


MENUS = (
    _one("static_select", _STATIC, {"initial_option": OPTION}, rules=_STATIC_RULES),
    _one("external_select", _EXTERNAL, {"initial_option": OPTION}),
    _one("users_select", {"initial_user": _ID}),
    _one("channels_select", {"initial_channel": _ID}, _RESPONSE_URL),
    _one("conversations_select", {"initial_conversation": _ID}, _CONVERSATIONS, _RESPONSE_URL),
)
MULTI_MENUS = (
    _many(
        "multi_static_select",
        _STATIC,
        {"initial_options": ListOf(item=OPTION)},
        rules=_STATIC_RULES,
    ),
    _many("multi_external_select", _EXTERNAL, {"initial_options": ListOf(item=OPTION)}),
    _many("multi_users_select", {"initial_users": _IDS}),
    _many("multi_channels_select", {"initial_channels": _IDS}),
    _many("multi_conversations_select", {"initial_conversations": _IDS}, _CONVERSATIONS),
)


_PICKER: Mapping[str, Spec] = {"action_id": ACTION_ID, "confirm": CONFIRM, "focus_on_load": Flag()}
_TYPED: Mapping[str, Spec] = {
    "placeholder": plain_text(150),
    "dispatch_action_config": DISPATCH_CONFIG,
    "focus_on_load": Flag(),
}
_NAMED: Mapping[str, Spec] = {"action_id": ACTION_ID, **_TYPED}
_LINES = Integer(least=1, most=100)
_NUMERAL = String(
    pattern=re.compile(r"-?[0-9]+(\.[0-9]+)?"), wanted="must be a number in a string"
)


def _is_a_day(value: Mapping[str, Any], place: Place) -> None:
    try:
        date.fromisoformat(value.get("initial_date", "2000-01-01"))
    except ValueError:
        (place / "initial_date").refuse("bad_format", "must be a date like 2030-01-31")


def _lengths_agree(value: Mapping[str, Any], place: Place) -> None:
    if value.get("min_length", 0) > value.get("max_length", 3000):
        (place / "min_length").refuse("conflict", "must not be more than `max_length`")


def _lines_agree(value: Mapping[str, Any], place: Place) -> None:
    if value.get("min_lines", 1) > value.get("max_lines", 100):
        (place / "min_lines").refuse("conflict", "must not be more than `max_lines`")


def _numbers_agree(value: Mapping[str, Any], place: Place) -> None:
    lowest = Decimal(value.get("min_value", "-Infinity"))
    highest = Decimal(value.get("max_value", "Infinity"))
    if lowest > highest:
        (place / "min_value").refuse("conflict", "must not be more than `max_value`")
    elif "initial_value" in value and not lowest <= Decimal(value["initial_value"]) <= highest:
        spot = place / "initial_value"
        spot.refuse("conflict", "must lie between `min_value` and `max_value`")


DATE_PICKER = element(
    "datepicker",
    "date-picker-element",
    **_PICKER,
    placeholder=plain_text(150),
    initial_date=String(
        pattern=re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"), wanted="must be a date like 2030-01-31"
    ),
    rules=(_is_a_day,),
)

TIME_PICKER = element(
    "timepicker",
    "time-picker-element",
    **_PICKER,
    placeholder=plain_text(150),
    initial_time=String(
        pattern=re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]"), wanted="must be a time like 09:30"
    ),
    # The form of an IANA name; which names exist depends on the machine, so it is not asked.
    timezone=String(
        pattern=re.compile(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*"),
        wanted="must be a time zone like Europe/Berlin",
    ),
)

DATETIME_PICKER = element(
    "datetimepicker",
    "datetime-picker-element",
    # Unix seconds, ten digits.
    **_PICKER,
    initial_date_time=Integer(least=1_000_000_000, most=9_999_999_999),
)

PLAIN_TEXT_INPUT = element(
    "plain_text_input",
    "plain-text-input-element",
    **_NAMED,
    initial_value=String(least=0, most=3000),
    multiline=Flag(),
    min_length=Integer(least=0, most=3000),
    max_length=Integer(least=1, most=3000),
    rules=(_lengths_agree,),
)

EMAIL_INPUT = element(
    "email_text_input", "email-input-element", **_NAMED, initial_value=String(least=0)
)

URL_INPUT = element("url_text_input", "url-input-element", **_NAMED, initial_value=String(least=0))

NUMBER_INPUT = element(
    "number_input",
    "number-input-element",
    is_decimal_allowed=Need(Flag()),
    # Strings, not numbers.
    **_NAMED,
    initial_value=_NUMERAL,
    min_value=_NUMERAL,
    max_value=_NUMERAL,
    rules=(_numbers_agree,),
)

RICH_TEXT_INPUT = element(
    "rich_text_input",
    "rich-text-input-element",
    action_id=Need(ACTION_ID),
    **_TYPED,
    initial_value=ONLY_RICH_TEXT,
    min_lines=_LINES,
    max_lines=_LINES,
    rules=(_lines_agree,),
)

FILE_INPUT = element(
    "file_input",
    "file-input-element",
    action_id=ACTION_ID,
    filetypes=ListOf(item=String()),
    max_files=Integer(least=1, most=10),
    surfaces=MODALS,
)

TYPED_INPUTS = (
    PLAIN_TEXT_INPUT,
    EMAIL_INPUT,
    URL_INPUT,
    NUMBER_INPUT,
    RICH_TEXT_INPUT,
    FILE_INPUT,
)
