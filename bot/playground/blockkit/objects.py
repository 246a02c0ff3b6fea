"""Composition objects: text, options, confirmations, filters and the like.

https://docs.slack.dev/reference/block-kit/composition-objects
"""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from bot.playground.blockkit.schema import (
    Choice,
    Flag,
    ListOf,
    Need,
    OneOf,
    Place,
    Shape,
    String,
    all_different,
    exactly_one_of,
    some_of,
    table,
)

OBJECTS = "https://docs.slack.dev/reference/block-kit/composition-objects"
MAX_TEXT_CHARS = 3000

BLOCK_ID = String(most=255)
STYLE = Choice("primary", "danger")
# Other schemes than http are taken, `slack:` at least (https://github.com/slackapi/bolt-js/issues/464).
# What would run in the reader's client is not "a URL to load in the user's browser":
# https://docs.slack.dev/reference/block-kit/block-elements/button-element.
URL = String(
    most=3000,
    pattern=re.compile(r"(?!(?:javascript|vbscript|data):)[a-z][a-z0-9+.-]*:\S+", re.IGNORECASE),
    wanted="must be a valid URL",
)
IMAGE_URL = String(
    most=3000, pattern=re.compile(r"https?://\S+"), wanted="must be a valid image URL"
)


def composition(kind: str, page: str, **more: Any) -> Shape:
    """Make the table of a composition object; `page` is the last part of its documentation."""
    return table(kind, f"{OBJECTS}/{page}", **more)


def plain_text(most: int = MAX_TEXT_CHARS) -> OneOf:
    """A `plain_text` object of 1 to `most` characters, and no `mrkdwn`."""
    return OneOf(_plain(most))


def any_text(most: int = MAX_TEXT_CHARS) -> OneOf:
    """A text object of either kind, of 1 to `most` characters."""
    return OneOf(*text_shapes(most))


def text_shapes(most: int = MAX_TEXT_CHARS) -> tuple[Shape, Shape]:
    """Both kinds of text object, to stand beside other shapes in a choice."""
    return _plain(most), _mrkdwn(most)


def _plain(most: int) -> Shape:
    return composition("plain_text", "text-object", text=Need(String(most=most)), emoji=Flag())


def _mrkdwn(most: int) -> Shape:
    return composition("mrkdwn", "text-object", text=Need(String(most=most)), verbatim=Flag())


CONFIRM = composition(
    "",
    "confirmation-dialog-object",
    title=Need(plain_text(100)),
    # The page's prose says plain_text, its example and slack_sdk send mrkdwn.
    text=Need(any_text(300)),
    confirm=Need(plain_text(30)),
    deny=Need(plain_text(30)),
    style=STYLE,
)

_OPTION_VALUE = String(most=150)

# Of menus.
OPTION = composition(
    "",
    "option-object",
    text=Need(plain_text(75)),
    value=Need(_OPTION_VALUE),
    description=plain_text(75),
)

# Of checkboxes and radio buttons, the only ones that may be formatted.
FORMATTED_OPTION = composition(
    "",
    "option-object",
    text=Need(any_text(75)),
    value=Need(_OPTION_VALUE),
    description=any_text(75),
)

# Of overflow menus, the only ones that may open a URL.
OVERFLOW_OPTION = composition(
    "",
    "option-object",
    text=Need(plain_text(75)),
    value=Need(_OPTION_VALUE),
    description=plain_text(75),
    url=URL,
)

OPTION_GROUP = composition(
    "",
    "option-group-object",
    label=Need(plain_text(75)),
    options=Need(ListOf(item=OPTION, most=100)),
)

DISPATCH_CONFIG = composition(
    "",
    "dispatch-action-configuration-object",
    trigger_actions_on=Need(
        ListOf(item=Choice("on_enter_pressed", "on_character_entered"), most=2)
    ),
)

CONVERSATION_FILTER = composition(
    "",
    "conversation-filter-object",
    include=ListOf(item=Choice("im", "mpim", "private", "public"), most=4),
    exclude_external_shared_channels=Flag(),
    exclude_bot_users=Flag(),
    rules=(some_of("include", "exclude_external_shared_channels", "exclude_bot_users"),),
)

SLACK_FILE = composition(
    "", "slack-file-object", id=String(), url=URL, rules=exactly_one_of("id", "url")
)

# Any other name, and an image instead of a name, loses the whole payload.
# fmt: off
ICON_NAMES = (
    "archive", "book", "bookmark", "bot", "bug", "calendar", "call", "caret-left",
    "caret-right", "check", "clipboard", "code", "comment", "compass", "copy", "cube",
    "download", "edit", "email", "eye-closed", "eye-open", "file", "flag", "folder", "gear",
    "globe", "heart", "help", "image", "info", "key", "lightbulb", "link", "map", "mobile",
    "new-window", "pin", "plus", "refine", "refresh", "rocket", "save", "screen", "share",
    "sparkle", "star", "star-filled", "tag", "thumbs-down", "thumbs-up", "trash", "upload",
    "user", "warning",
)
# fmt: on

SLACK_ICON = composition(
    "icon", "slack-icon-object", type=Need(Choice("icon")), name=Need(Choice(*ICON_NAMES))
)

WORKFLOW = composition(
    "",
    "workflow-object",
    trigger=Need(
        composition(
            "",
            "trigger-object",
            url=Need(URL),
            customizable_input_parameters=ListOf(
                item=composition(
                    "", "trigger-object", name=Need(String()), value=Need(String(least=0))
                )
            ),
        )
    ),
)


def option_values_differ(value: Mapping[str, Any], place: Place) -> None:
    """A menu tells its options apart by their value, "a unique string value".

    https://docs.slack.dev/reference/block-kit/composition-objects/option-object
    """
    if "options" in value:
        all_different(_values(value["options"], place / "options"), "value")
        return
    spot = place / "option_groups"
    groups = enumerate(value.get("option_groups", []))
    lists = (_values(group["options"], spot / i / "options") for i, group in groups)
    all_different(chain.from_iterable(lists), "value")


def _values(options: list[Any], place: Place) -> Iterator[tuple[Any, Place]]:
    for index, option in enumerate(options):
        yield option["value"], place / index / "value"


def initial_options_exist(value: Mapping[str, Any], place: Place) -> None:
    """What is chosen at first must be among what can be chosen, to the letter."""
    offered = list(value.get("options", []))
    for group in value.get("option_groups", []):
        offered += group["options"]
    if "initial_option" in value and value["initial_option"] not in offered:
        (place / "initial_option").refuse("bad_value", "must exactly match one of the options")
    for index, chosen in enumerate(value.get("initial_options", [])):
        if chosen not in offered:
            spot = place / "initial_options" / index
            spot.refuse("bad_value", "must exactly match one of the options")
