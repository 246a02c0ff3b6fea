"""Which element is drawn by what, and the label, hint and error of a form's field."""

import html
from collections.abc import Callable

from bot.playground.page.drawing.buttons import draw_button
from bot.playground.page.drawing.context import Json, RenderContext, box, put
from bot.playground.page.drawing.fields import Label, draw_field, label_beside
from bot.playground.page.drawing.menus import draw_menu
from bot.playground.page.drawing.mrkdwn import plain_words
from bot.playground.page.drawing.pickers import draw_boxes, draw_date, draw_time

_SOURCES = ("static", "external", "users", "channels", "conversations")
_FILLED: dict[str, Callable[[RenderContext, Json, Json, Label], None]] = {
    **{f"{source}_select": draw_menu for source in _SOURCES},
    **{f"multi_{source}_select": draw_menu for source in _SOURCES},
    "checkboxes": draw_boxes,
    "datepicker": draw_date,
    "timepicker": draw_time,
    "plain_text_input": draw_field,
    "number_input": draw_field,
}


def draw_element(
    context: RenderContext, block: Json, element: Json, label: Label | None = None
) -> None:
    """Draw an element; without `label` it is named by what stands beside it.

    Raises: KeyError, if it is none that the bot sends.
    """
    kind = element["type"]
    if kind == "button":
        draw_button(context, block, element)
    else:
        _FILLED[kind](context, block, element, label or label_beside(block, element))


def draw_input(context: RenderContext, block: Json) -> None:
    """Draw an `input` block."""
    error = context.errors.get(str(block.get("block_id", "")))
    with box("bk-input bk-wrong" if error else "bk-input"):
        draw_element(context, block, block["element"], _draw_label(block, is_wrong=bool(error)))
        if error:
            put(html.escape(error), "bk-error", role="alert")
        if block.get("hint"):
            put(html.escape(plain_words(block["hint"])), "bk-hint")


def _draw_label(block: Json, *, is_wrong: bool) -> Label:
    words = plain_words(block["label"])
    is_optional = bool(block.get("optional"))
    mark = ' <span class="bk-optional">(optional)</span>' if is_optional else ""
    is_group = block["element"]["type"] == "checkboxes"  # named by the id of its label
    drawn = put(f"{html.escape(words)}{mark}", "bk-label", tag="div" if is_group else "label")
    drawn.props["id"] = drawn.html_id
    field_id = "" if is_group else f"{drawn.html_id}-field"
    if field_id:
        drawn.props["for"] = field_id
    return Label(words, drawn.html_id, field_id, is_wrong, is_optional)
