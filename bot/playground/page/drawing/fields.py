"""Fields to type into, how they are named, and handing on what was filled in.

https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element
"""

import re
from dataclasses import dataclass
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.input import Input
from nicegui.elements.textarea import Textarea

from bot.playground.page.drawing.buttons import agreed
from bot.playground.page.drawing.context import Json, RenderContext, place_of, put
from bot.playground.page.drawing.text import plain_words
from bot.playground.slack.block_contents import STATES


async def choose(sheet: RenderContext, block: Json, element: Json, value: Any) -> bool:
    """Tell the bot's side what an element now holds, unless its question is answered with no.

    Returns whether it was told; if not, the element must show again what it held.
    """
    if not await agreed(element.get("confirm"), sheet.names):
        return False
    await sheet.hands.choose(*place_of(block, element), _state(element, value))
    return True


def note(sheet: RenderContext, block: Json, element: Json, value: Any) -> None:
    """Note what an element now holds without telling the bot."""
    sheet.hands.note(*place_of(block, element), _state(element, value))


def _state(element: Json, value: Any) -> Json:
    return {"type": element["type"], STATES[element["type"]][0]: value}


def mark(drawn: Element, block: Json, element: Json) -> None:
    """Make a drawn element findable, and let it take the focus where the form says so."""
    drawn.props["data-action-id"] = place_of(block, element)[1]
    if element.get("focus_on_load"):
        drawn.props["autofocus"] = True


@dataclass(frozen=True, slots=True)
class Label:
    """The name of a field: a `<label>` on the page for it, or else its own words."""

    words: str
    label_id: str = ""
    field_id: str = ""
    is_wrong: bool = False  # the bot refused what is filled in
    is_optional: bool = False

    def name_field(self, field: Element) -> None:
        """Name one of Quasar's fields; its real input gets the id the label points at."""
        if self.field_id:
            field.props["for"] = self.field_id
        else:
            field.props["aria-label"] = self.words
        if self.is_wrong:
            field.props["error"] = True
            field.props["no-error-icon"] = True
        field.props["hide-bottom-space"] = True

    def name_group(self, group: Element, role: str) -> None:
        """Name several inputs that belong together."""
        group.props["role"] = role
        if self.label_id:
            group.props["aria-labelledby"] = self.label_id
        else:
            group.props["aria-label"] = self.words


def label_beside(block: Json, element: Json) -> Label:
    """Return the name of an element outside an `input`: its placeholder or the text beside it."""
    text = block.get("text")
    beside = text.get("text") if isinstance(text, dict) else None
    return Label(plain_words(element.get("placeholder")) or str(beside or element["type"]))


_TYPES = {"number_input": "number", "email_text_input": "email", "url_text_input": "url"}
_MAX_CHARS = 3000


def draw_field(sheet: RenderContext, block: Json, element: Json, label: Label) -> None:
    """Draw a field for text, a number, an address or a longer text."""
    kind = element["type"]
    is_rich = kind == "rich_text_input"
    held = sheet.held(block, element)
    shown = rich_text_words(held) if is_rich else str(held or "")
    placeholder = plain_words(element.get("placeholder"))
    field: Input | Textarea
    if is_rich or element.get("multiline"):
        field = ui.textarea(value=shown, placeholder=placeholder).props("autogrow")
        field.classes("bk-multiline")
    else:
        field = ui.input(value=shown, placeholder=placeholder)
        field.props["type"] = _TYPES.get(kind, "text")
    field.classes("bk-field").props("outlined dense autocomplete=off")
    _bound(field, element)
    label.name_field(field)
    mark(field, block, element)
    _hand_on(field, sheet, block, element)


def draw_file_field(_sheet: RenderContext, _block: Json, element: Json, label: Label) -> None:
    """Draw the place of a file; the playground takes none."""
    field = put("Add files", "bk-button", tag="button", type="button", disabled=True)
    field.props["aria-label"] = label.words
    field.props["data-action-id"] = str(element.get("action_id", ""))


def _bound(field: Input | Textarea, element: Json) -> None:
    match element["type"]:
        case "plain_text_input":
            field.props["maxlength"] = int(element.get("max_length") or _MAX_CHARS)
        case "number_input":
            field.props["step"] = "any" if element.get("is_decimal_allowed") else "1"
            field.props.set_optional("min", element.get("min_value"))
            field.props.set_optional("max", element.get("max_value"))


def _hand_on(field: Input | Textarea, sheet: RenderContext, block: Json, element: Json) -> None:
    async def tell() -> None:
        await choose(sheet, block, element, _value(element, str(field.value or "")))

    def keep() -> None:
        note(sheet, block, element, _value(element, str(field.value or "")))

    # Where changes reach the bot, Slack waits for Enter unless it is told otherwise:
    # https://docs.slack.dev/reference/block-kit/composition-objects/dispatch-action-configuration-object
    config = element.get("dispatch_action_config") or {}
    when = config.get("trigger_actions_on") or ["on_enter_pressed"]
    is_loud = bool(block.get("dispatch_action"))
    field.on_value_change(tell if is_loud and "on_character_entered" in when else keep)
    if is_loud and "on_enter_pressed" in when:
        field.on("keydown.enter", tell, [])


def _value(element: Json, text: str) -> Any:
    if element["type"] != "rich_text_input":
        return text or None
    lines = [line for line in re.split(r"\n{2,}", text) if line]
    if not lines:
        return None
    sections = [
        {"type": "rich_text_section", "elements": [{"type": "text", "text": line}]}
        for line in lines
    ]
    return {"type": "rich_text", "elements": sections}


def rich_text_words(block: Json | None) -> str:
    """Return the bare words of a `rich_text` block, a paragraph for each of its parts."""
    if not block:
        return ""
    return "\n\n".join("".join(_words(part)) for part in block["elements"])


def _words(part: Json) -> list[str]:
    if "elements" in part:
        return [word for inner in part["elements"] for word in _words(inner)]
    return [str(part.get("text") or part.get("url") or "")]
