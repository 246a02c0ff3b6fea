"""The interactive elements of blocks: finding them, naming them, and what is filled in. Pure."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
Typed = dict[tuple[str, str], Json]

# type -> (its key in `state.values`, the field that fills it at the start)
# https://docs.slack.dev/reference/block-kit/block-elements
STATES: dict[str, tuple[str, str]] = {
    "plain_text_input": ("value", "initial_value"),
    "number_input": ("value", "initial_value"),
    "email_text_input": ("value", "initial_value"),
    "url_text_input": ("value", "initial_value"),
    "rich_text_input": ("rich_text_value", "initial_value"),
    "file_input": ("files", "initial_files"),
    "static_select": ("selected_option", "initial_option"),
    "external_select": ("selected_option", "initial_option"),
    "radio_buttons": ("selected_option", "initial_option"),
    "checkboxes": ("selected_options", "initial_options"),
    "multi_static_select": ("selected_options", "initial_options"),
    "multi_external_select": ("selected_options", "initial_options"),
    "users_select": ("selected_user", "initial_user"),
    "multi_users_select": ("selected_users", "initial_users"),
    "channels_select": ("selected_channel", "initial_channel"),
    "multi_channels_select": ("selected_channels", "initial_channels"),
    "conversations_select": ("selected_conversation", "initial_conversation"),
    "multi_conversations_select": ("selected_conversations", "initial_conversations"),
    "datepicker": ("selected_date", "initial_date"),
    "timepicker": ("selected_time", "initial_time"),
    "datetimepicker": ("selected_date_time", "initial_date_time"),
}
INTERACTIVE = {*STATES, "button", "overflow"}


@dataclass(frozen=True)
class Found:
    """An element and the block that its payload will name."""

    block: Json
    element: Json

    @property
    def key(self) -> tuple[str, str]:
        """The element's place in `state.values`."""
        return self.block["block_id"], self.element["action_id"]

    @property
    def names(self) -> list[str]:
        """What a person or a test may call it: label, placeholder, text beside it, its id."""
        texts = (self.block.get("label"), self.element.get("placeholder"), self.block.get("text"))
        words = [text["text"] for text in texts if isinstance(text, dict) and "text" in text]
        return [*words, str(self.element.get("action_id"))]


def with_ids(blocks: list[Json], new_id: Callable[[], str]) -> list[Json]:
    """Return a copy in which every block and every element has its id, as Slack stores it."""
    blocks = copy.deepcopy(blocks)
    for block in _all_blocks(blocks):
        block["block_id"] = block.get("block_id") or new_id()
    for found in elements(blocks):
        found.element["action_id"] = found.element.get("action_id") or new_id()
    return blocks


def _all_blocks(blocks: list[Json]) -> Iterator[Json]:
    for block in blocks:
        yield block
        yield from _all_blocks(block.get("child_blocks") or [])
        if block.get("type") == "carousel":
            yield from block.get("elements") or []


def elements(blocks: list[Json]) -> Iterator[Found]:
    """Yield every interactive element, also in containers, cards, accessories and table cells."""
    for block in blocks:
        yield from _within(block, block)


def _within(node: Any, block: Json) -> Iterator[Found]:
    if isinstance(node, list):
        for item in node:
            yield from _within(item, block)
    elif isinstance(node, dict):
        block = node if "block_id" in node else block
        if node.get("type") in INTERACTIVE:
            yield Found(block, node)
            return
        for value in node.values():
            yield from _within(value, block)


def state_of(element: Json, typed: Json | None, channel_id: str | None) -> Json:
    """Return what an element holds: what was typed, else what it started with, else nothing."""
    if typed is not None:
        return typed
    key, initial = STATES[element["type"]]
    value = element.get(initial)
    if value is None and element.get("default_to_current_conversation"):
        value = channel_id if _may_begin_with(element, channel_id) else None
    if value is None and key.endswith("s"):
        value = []
    return {"type": element["type"], key: value}


def _may_begin_with(element: Json, channel_id: str | None) -> bool:
    """A menu that offers no direct messages does not begin with the one that is open."""
    rule = element.get("filter") or {}
    no_direct = "im" not in rule.get("include", ["im"]) or rule.get("exclude_bot_users")
    return not (no_direct and str(channel_id).startswith("D"))


def state_values(blocks: list[Json], typed: Typed, channel_id: str | None) -> Json:
    """Return `state.values` as Slack sends it."""
    values: Json = {}
    for found in elements(blocks):
        if found.element["type"] in STATES:
            block_id, action_id = found.key
            held = state_of(found.element, typed.get(found.key), channel_id)
            values.setdefault(block_id, {})[action_id] = held
    return values


def shown_values(blocks: list[Json], typed: Typed, channel_id: str | None) -> Json:
    """Return the same by the field's label, options by their visible text."""
    shown: Json = {}
    for found in elements(blocks):
        if found.element["type"] in STATES:
            held = state_of(found.element, typed.get(found.key), channel_id)
            value = held[STATES[found.element["type"]][0]]
            shown[found.names[0]] = _as_shown(value)
    return shown


def _as_shown(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_shown(item) for item in value]
    return value["text"]["text"] if isinstance(value, dict) and "text" in value else value


def surviving(typed: Typed, before: list[Json], after: list[Json]) -> Typed:
    """Return what stays when blocks are replaced: fields whose ids and kind stay the same."""
    kinds = {found.key: found.element["type"] for found in elements(before)}
    kept = {
        found.key for found in elements(after) if kinds.get(found.key) == found.element["type"]
    }
    return {key: state for key, state in typed.items() if key in kept}


def held(blocks: list[Json], typed: Typed, channel_id: str | None) -> Typed:
    """Return what every field holds, be it typed or what it started with."""
    return {
        found.key: state_of(found.element, typed.get(found.key), channel_id)
        for found in elements(blocks)
        if found.element["type"] in STATES
    }
