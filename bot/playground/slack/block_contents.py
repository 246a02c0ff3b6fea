"""What is in blocks: their text, their interactive elements, and what is filled in. Pure."""

import copy
import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

# https://docs.slack.dev/messaging/formatting-message-text
_MARKUP = re.compile(r"<([^<>]+)>")
_PING = re.compile(
    r"<(?:!(?:channel|here|everyone|subteam\^[^<>|]+)|@[UW][A-Z0-9]+)(?:\|[^<>]*)?>"
)
# Not on the screen until somebody opens it, or never.
_UNSEEN_KEYS = {"confirm", "options", "block_id", "action_id"}
_SHOWN_KEYS = {"caption", "title", "name", "label", "value", "x_label", "y_label"}
_SHOWN_KEYS |= {"initial_value", "initial_date", "initial_time"}


def shown_markup(text: str) -> str:
    """Return mrkdwn as read: links by their label, dates by their fallback, entities decoded."""
    return html.unescape(_MARKUP.sub(_shown_link, text))


def _shown_link(match: re.Match[str]) -> str:
    target, bar, label = match[1].partition("|")
    if target[:1] in "@#!":
        return label if bar else match[0]
    return label or target


def everything(text: str, blocks: list[Json]) -> str:
    """Return all that is on the screen as one string; `text` shows only where no block does."""
    return "\n".join(_shown(blocks)) if blocks else shown_markup(text)


def _shown(node: Any) -> Iterator[str]:
    """Yield the visible texts of any Block Kit object, in the order of the document."""
    if isinstance(node, list):
        for item in node:
            yield from _shown_row(item) if isinstance(item, list) else _shown(item)
    elif isinstance(node, dict):
        yield from _shown_object(node)


def _shown_row(cells: list[Any]) -> Iterator[str]:
    yield " | ".join(" ".join(_shown(cell)) for cell in cells)


def _shown_object(node: Json) -> Iterator[str]:
    # Checkboxes show their options without being opened.
    unseen = _UNSEEN_KEYS - ({"options"} if node.get("type") == "checkboxes" else set())
    if node.get("type") == "button":
        unseen |= {"value"}
    for key, value in node.items():
        if key in unseen:
            continue
        if key == "text" and isinstance(value, str):
            yield shown_markup(value) if node.get("type") == "mrkdwn" else value
        elif key in _SHOWN_KEYS and isinstance(value, str | int | float):
            # A number's own text is shown in its place, an option's value never.
            if not (key == "value" and "text" in node):
                yield str(value)
        else:
            yield from _shown(value)


def objects(node: Any) -> Iterator[Json]:
    """Yield every JSON object below `node`, itself included, outermost first."""
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from objects(value)
    elif isinstance(node, list):
        for item in node:
            yield from objects(item)


_WRITTEN = re.compile(r"<(?P<url>https?://[^|>]+)(?:\|(?P<name>[^>]*))?>|<@(?P<user>\w+)>")


def as_rich_text(text: str) -> Json:
    """Return the block in which Slack's clients send what a person wrote."""
    parts: list[Json] = []
    end = 0
    for match in _WRITTEN.finditer(text):
        parts.append({"type": "text", "text": html.unescape(text[end : match.start()])})
        if match["user"]:
            parts.append({"type": "user", "user_id": match["user"]})
        else:
            named = {"text": match["name"]} if match["name"] else {}
            parts.append({"type": "link", "url": html.unescape(match["url"]), **named})
        end = match.end()
    parts.append({"type": "text", "text": html.unescape(text[end:])})
    words = [part for part in parts if part.get("text") != ""]
    return {
        "type": "rich_text",
        "block_id": "words",
        "elements": [{"type": "rich_text_section", "elements": words}],
    }


def mentions(content: Json) -> list[str]:
    """Return what a message would ping, as `<!channel>`, `<@U1>`, `<!subteam^S1>`, in order."""
    found = _pings(str(content.get("text") or ""))
    for node in objects(content.get("blocks") or []):
        if node.get("type") == "mrkdwn" and isinstance(node.get("text"), str):
            found += _pings(node["text"])
    return found


def _pings(text: str) -> list[str]:
    return [match[0].partition("|")[0].rstrip(">") + ">" for match in _PING.finditer(text)]


def buttons(blocks: list[Json]) -> list[str]:
    """Return the labels of all buttons, in order, wherever they sit."""
    return [label(node) for node in objects(blocks) if node.get("type") == "button"]


def label(button: Json) -> str:
    """Return the words on a button or of an option."""
    text = button.get("text")
    return str(text.get("text", "")) if isinstance(text, dict) else ""


Typed = dict[tuple[str, str], Json]

# type -> (its key in `state.values`, the field that fills it at the start)
# https://docs.slack.dev/reference/block-kit/block-elements
_NAMED_STATES = {
    "value": "plain_text_input number_input",
    "selected_option": "static_select external_select",
    "selected_options": "checkboxes multi_static_select multi_external_select",
    "selected_user": "users_select",
    "selected_users": "multi_users_select",
    "selected_conversation": "conversations_select",
    **{f"selected_{kind}": f"{kind}picker" for kind in ("date", "time")},
}
STATES: dict[str, tuple[str, str]] = {
    kind: (key, "initial_" + key.removeprefix("selected_"))
    for key, kinds in _NAMED_STATES.items()
    for kind in kinds.split()
}
INTERACTIVE = {*STATES, "button"}


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


def elements(blocks: list[Json]) -> Iterator[Found]:
    """Yield every interactive element, also in containers, cards and accessories."""
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


def state_of(element: Json, typed: Json | None) -> Json:
    """Return what an element holds: what was typed, else what it started with, else nothing."""
    if typed is not None:
        return typed
    key, initial = STATES[element["type"]]
    value = element.get(initial)
    if value is None and key.endswith("s"):
        value = []
    return {"type": element["type"], key: value}


def state_values(blocks: list[Json], typed: Typed) -> Json:
    """Return `state.values` as Slack sends it."""
    values: Json = {}
    for found in elements(blocks):
        if found.element["type"] in STATES:
            block_id, action_id = found.key
            held = state_of(found.element, typed.get(found.key))
            values.setdefault(block_id, {})[action_id] = held
    return values


def shown_values(blocks: list[Json], typed: Typed) -> Json:
    """Return the same by the field's label, options by their visible text."""
    shown: Json = {}
    for found in elements(blocks):
        if found.element["type"] in STATES:
            held = state_of(found.element, typed.get(found.key))
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


def held(blocks: list[Json], typed: Typed) -> Typed:
    """Return what every field holds, typed or from the start."""
    return {
        found.key: state_of(found.element, typed.get(found.key))
        for found in elements(blocks)
        if found.element["type"] in STATES
    }
