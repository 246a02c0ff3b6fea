"""Buttons, the question that some of them ask first, and fields to type into.

https://docs.slack.dev/reference/block-kit/block-elements
"""

import html
from dataclasses import dataclass
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.input import Input
from nicegui.elements.textarea import Textarea

from bot.playground.page.drawing.context import (
    Json,
    RenderContext,
    box,
    on_click,
    place_of,
    put,
)
from bot.playground.page.drawing.mrkdwn import is_followed, leads_inside, plain_words, text_html
from bot.playground.page.session import SlackNames
from bot.playground.slack.block_contents import STATES


async def agreed(question: Json | None, names: SlackNames) -> bool:
    """Ask, and tell whether the person said yes; without a question that is so at once."""
    if not question:
        return True
    dialog = _drawn(question, names)
    try:
        return bool(await dialog)
    finally:
        if not dialog.is_deleted:
            dialog.delete()


def _drawn(question: Json, names: SlackNames) -> ui.dialog:
    title = plain_words(question["title"])
    style = "bk-danger" if question.get("style") == "danger" else "bk-primary"
    with ui.dialog() as dialog, box("bk-dialog"):
        dialog.props["aria-label"] = title
        put(html.escape(title), "bk-dialog-title", tag="h1")
        put(text_html(question["text"], names), "bk-text bk-dialog-text")
        with box("bk-dialog-buttons"):
            deny = _answer(question["deny"], "")
            confirm = _answer(question["confirm"], style, autofocus=True)
    on_click(deny, lambda: dialog.submit(""))
    on_click(confirm, lambda: dialog.submit("yes"))
    return dialog


def _answer(text: Json, style: str, **attributes: Any) -> Element:
    words = html.escape(plain_words(text))
    return put(words, f"bk-button {style}", tag="button", type="button", **attributes)


_STYLES = {"primary": " bk-primary", "danger": " bk-danger"}


def draw_button(context: RenderContext, block: Json, element: Json) -> None:
    """Draw a button; one with an address is a link that tells the bot as well."""
    url = str(element.get("url") or "")
    leads = is_followed(url) and not leads_inside(url)
    words = plain_words(element["text"])
    button = put(
        html.escape(words),
        f"bk-button{_STYLES.get(str(element.get('style')), '')}",
        tag="a" if leads else "button",
        type=None if leads else "button",
        href=url if leads else None,
        target="_blank" if leads else None,
        rel="noopener noreferrer" if leads else None,
        title=words,
        aria_label=element.get("accessibility_label"),
        data_action_id=place_of(block, element)[1],
    )
    on_click(button, lambda: press(context, block, element))


async def press(context: RenderContext, block: Json, element: Json) -> None:
    """Press a button, unless its question is answered with no."""
    if await agreed(element.get("confirm"), context.names):
        await context.actions.press(*place_of(block, element))
        if leads_inside(url := str(element.get("url") or "")):
            await context.actions.follow(url)


async def choose(context: RenderContext, block: Json, element: Json, value: Any) -> None:
    """Tell the bot's side what an element now holds."""
    await context.actions.choose(*place_of(block, element), _state(element, value))


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


_MAX_CHARS = 3000


def draw_field(context: RenderContext, block: Json, element: Json, label: Label) -> None:
    """Draw a field for a line, for a longer text or for a number."""
    shown = str(context.held(block, element) or "")
    placeholder = plain_words(element.get("placeholder"))
    field: Input | Textarea
    if element.get("multiline"):
        field = ui.textarea(value=shown, placeholder=placeholder).props("autogrow")
        field.classes("bk-multiline")
    else:
        field = ui.input(value=shown, placeholder=placeholder)
        field.props["type"] = "number" if element["type"] == "number_input" else "text"
    field.classes("bk-field").props("outlined dense autocomplete=off")
    _bound(field, element)
    label.name_field(field)
    mark(field, block, element)

    def keep() -> None:
        value = str(field.value or "") or None
        context.actions.note(*place_of(block, element), _state(element, value))

    field.on_value_change(keep)


def _bound(field: Input | Textarea, element: Json) -> None:
    match element["type"]:
        case "plain_text_input":
            field.props["maxlength"] = int(element.get("max_length") or _MAX_CHARS)
        case "number_input":
            field.props["step"] = "any" if element.get("is_decimal_allowed") else "1"
            field.props.set_optional("min", element.get("min_value"))
            field.props.set_optional("max", element.get("max_value"))
