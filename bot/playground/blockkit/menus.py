"""Select menus: five sources of options, each for one choice or for several.

https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element
https://docs.slack.dev/reference/block-kit/block-elements/multi-select-menu-element
"""

from collections.abc import Mapping

from bot.playground.blockkit.composition import (
    CONFIRM,
    CONVERSATION_FILTER,
    OPTION,
    OPTION_GROUP,
    initial_options_exist,
    option_values_differ,
    plain_text,
)
from bot.playground.blockkit.elements import ACTION_ID, ELEMENTS
from bot.playground.blockkit.fields import Flag, Integer, ListOf, Spec, String
from bot.playground.blockkit.shapes import Rule, Shape, exactly_one_of

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
    return Shape(kind=kind, docs=f"{ELEMENTS}/select-menu-element", optional=optional, rules=rules)


def _many(kind: str, *fields: Mapping[str, Spec], rules: tuple[Rule, ...] = ()) -> Shape:
    optional = {name: spec for part in (_MENU, *fields) for name, spec in part.items()}
    optional["max_selected_items"] = Integer(least=1)
    return Shape(
        kind=kind, docs=f"{ELEMENTS}/multi-select-menu-element", optional=optional, rules=rules
    )


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
