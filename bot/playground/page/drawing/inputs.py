"""A field of a form with its label, its hint, and what the bot has against it.

https://docs.slack.dev/reference/block-kit/blocks/input-block
"""

import html

from bot.playground.page.drawing.elements import GROUPS, draw_element
from bot.playground.page.drawing.labels import Label
from bot.playground.page.drawing.parts import box, put
from bot.playground.page.drawing.sheet import Json, Sheet
from bot.playground.page.drawing.text import plain_words


def draw_input(sheet: Sheet, block: Json) -> None:
    """Draw an `input` block."""
    error = sheet.errors.get(str(block.get("block_id", "")))
    with box("bk-input bk-wrong" if error else "bk-input"):
        draw_element(sheet, block, block["element"], _draw_label(block, is_wrong=bool(error)))
        if error:
            put(html.escape(error), "bk-error", role="alert")
        if block.get("hint"):
            put(html.escape(plain_words(block["hint"])), "bk-hint")


def _draw_label(block: Json, *, is_wrong: bool) -> Label:
    words = plain_words(block["label"])
    is_optional = bool(block.get("optional"))
    mark = ' <span class="bk-optional">(optional)</span>' if is_optional else ""
    is_group = block["element"]["type"] in GROUPS
    drawn = put(f"{html.escape(words)}{mark}", "bk-label", tag="div" if is_group else "label")
    drawn.props["id"] = drawn.html_id
    field_id = "" if is_group else f"{drawn.html_id}-field"
    if field_id:
        drawn.props["for"] = field_id
    return Label(words, drawn.html_id, field_id, is_wrong, is_optional)
