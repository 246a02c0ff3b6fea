"""Elements for typing, dates and files.

https://docs.slack.dev/reference/block-kit/block-elements
"""

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from bot.playground.blockkit.composition import CONFIRM, DISPATCH_CONFIG, plain_text
from bot.playground.blockkit.elements import ACTION_ID, ELEMENTS
from bot.playground.blockkit.fields import Flag, Integer, ListOf, Spec, String
from bot.playground.blockkit.problems import Place
from bot.playground.blockkit.rich_text import ONLY_RICH_TEXT
from bot.playground.blockkit.shapes import MODALS, Shape

_PICKER: Mapping[str, Spec] = {
    "action_id": ACTION_ID,
    "confirm": CONFIRM,
    "focus_on_load": Flag(),
}
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


DATE_PICKER = Shape(
    kind="datepicker",
    docs=f"{ELEMENTS}/date-picker-element",
    optional={
        **_PICKER,
        "placeholder": plain_text(150),
        "initial_date": String(
            pattern=re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
            wanted="must be a date like 2030-01-31",
        ),
    },
    rules=(_is_a_day,),
)

TIME_PICKER = Shape(
    kind="timepicker",
    docs=f"{ELEMENTS}/time-picker-element",
    optional={
        **_PICKER,
        "placeholder": plain_text(150),
        "initial_time": String(
            pattern=re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]"),
            wanted="must be a time like 09:30",
        ),
        # The form of an IANA name; which names exist depends on the machine, so it is not asked.
        "timezone": String(
            pattern=re.compile(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*"),
            wanted="must be a time zone like Europe/Berlin",
        ),
    },
)

DATETIME_PICKER = Shape(
    kind="datetimepicker",
    docs=f"{ELEMENTS}/datetime-picker-element",
    # Unix seconds, ten digits.
    optional={
        **_PICKER,
        "initial_date_time": Integer(least=1_000_000_000, most=9_999_999_999),
    },
)

PLAIN_TEXT_INPUT = Shape(
    kind="plain_text_input",
    docs=f"{ELEMENTS}/plain-text-input-element",
    optional={
        **_NAMED,
        "initial_value": String(least=0, most=3000),
        "multiline": Flag(),
        "min_length": Integer(least=0, most=3000),
        "max_length": Integer(least=1, most=3000),
    },
    rules=(_lengths_agree,),
)

EMAIL_INPUT = Shape(
    kind="email_text_input",
    docs=f"{ELEMENTS}/email-input-element",
    optional={**_NAMED, "initial_value": String(least=0)},
)

URL_INPUT = Shape(
    kind="url_text_input",
    docs=f"{ELEMENTS}/url-input-element",
    optional={**_NAMED, "initial_value": String(least=0)},
)

NUMBER_INPUT = Shape(
    kind="number_input",
    docs=f"{ELEMENTS}/number-input-element",
    required={"is_decimal_allowed": Flag()},
    # Strings, not numbers.
    optional={
        **_NAMED,
        "initial_value": _NUMERAL,
        "min_value": _NUMERAL,
        "max_value": _NUMERAL,
    },
    rules=(_numbers_agree,),
)

RICH_TEXT_INPUT = Shape(
    kind="rich_text_input",
    docs=f"{ELEMENTS}/rich-text-input-element",
    required={"action_id": ACTION_ID},
    optional={
        **_TYPED,
        "initial_value": ONLY_RICH_TEXT,
        "min_lines": _LINES,
        "max_lines": _LINES,
    },
    rules=(_lines_agree,),
)

FILE_INPUT = Shape(
    kind="file_input",
    docs=f"{ELEMENTS}/file-input-element",
    optional={
        "action_id": ACTION_ID,
        "filetypes": ListOf(item=String()),
        "max_files": Integer(least=1, most=10),
    },
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
