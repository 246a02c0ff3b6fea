"""Blocks that hold other things: card, carousel and container.

https://docs.slack.dev/reference/block-kit/blocks
"""

from collections.abc import Callable

from nicegui.element import Element

from bot.playground.page.drawing.elements import draw_element
from bot.playground.page.drawing.links import image_html
from bot.playground.page.drawing.parts import box, on_click, put
from bot.playground.page.drawing.rich_text import rich_text_html
from bot.playground.page.drawing.sheet import Json, Sheet
from bot.playground.page.drawing.text import text_html

DrawBlock = Callable[[Sheet, Json, str], None]
_ICONS = {
    "warning": "⚠️", "globe": "🌐", "key": "🔑", "check": "✅", "info": "\u2139\ufe0f",
    "calendar": "📅",
    "bug": "🐛", "star": "⭐", "star-filled": "⭐", "rocket": "🚀", "flag": "🚩", "gear": "⚙️",
    "help": "❓", "lightbulb": "💡", "link": "🔗", "pin": "📌", "tag": "🏷️", "trash": "🗑️",
    "user": "👤", "email": "📧", "file": "📄", "folder": "📁", "heart": "❤️", "edit": "✏️",
}  # fmt: skip
_WIDTHS = {"narrow", "standard", "wide", "full"}


def draw_card(sheet: Sheet, block: Json) -> None:
    """Draw a card: picture, icon and title, text, buttons."""
    with box("bk-card"):
        if block.get("hero_image"):
            put(image_html(block["hero_image"], "bk-hero"))
        with box("bk-card-words"):
            put(_card_html(sheet, block))
            if block.get("actions"):
                with box("bk-actions"):
                    for element in block["actions"]:
                        draw_element(sheet, block, element)


def _card_html(sheet: Sheet, block: Json) -> str:
    def words(name: str, css_class: str) -> str:
        text = block.get(name)
        shown = text_html(text, sheet.names) if text else ""
        return f'<div class="{css_class}">{shown}</div>' if shown else ""

    titles = words("title", "bk-strong bk-text") + words("subtitle", "bk-note bk-text")
    head = f'<div class="bk-card-head">{_icon_html(block)}<div>{titles}</div></div>'
    return head + words("body", "bk-text") + words("subtext", "bk-note bk-text")


def _icon_html(block: Json) -> str:
    if block.get("icon"):
        return image_html(block["icon"], "bk-icon")
    if block.get("slack_icon"):
        sign = _ICONS.get(block["slack_icon"]["name"], "◻️")
        return f'<span class="bk-icon" aria-hidden="true">{sign}</span>'
    return ""


def draw_carousel(sheet: Sheet, block: Json, draw: DrawBlock, pointer: str) -> None:
    """Draw cards beside each other; they scroll sideways."""
    with box("bk-carousel", role="group", aria_label="Cards", tabindex="0"):
        for place, card in enumerate(block["elements"]):
            draw(sheet, card, f"{pointer}/elements/{place}")


def draw_container(sheet: Sheet, block: Json, draw: DrawBlock, pointer: str) -> None:
    """Draw a frame with a title around other blocks, which may be folded away."""
    width = block.get("width")
    css_class = f"bk-container bk-{width}" if width in _WIDTHS else "bk-container"
    is_folded = bool(block.get("is_collapsible") and block.get("default_collapsed"))
    with box(css_class):
        head = _draw_head(sheet, block)
        with box("bk-container-body") as body:
            for place, child in enumerate(block["child_blocks"]):
                draw(sheet, child, f"{pointer}/child_blocks/{place}")
    if block.get("is_collapsible"):
        _make_collapsible(head, body, is_folded=is_folded)


def _draw_head(sheet: Sheet, block: Json) -> Element:
    if block.get("title"):
        title = text_html(block["title"], sheet.names)
    else:
        title = rich_text_html(block["rich_text_title"], sheet.names)
    subtitle = block.get("subtitle")
    under = f'<span class="bk-note">{text_html(subtitle, sheet.names)}</span>' if subtitle else ""
    chevron = '<span class="bk-chevron" aria-hidden="true"></span>'
    is_button = bool(block.get("is_collapsible"))
    lined = " bk-lined" if block.get("has_header_divider") else ""
    return put(
        f'{_icon_html(block)}<span class="bk-container-titles">'
        f'<span class="bk-strong">{title}</span>{under}</span>{chevron if is_button else ""}',
        f"bk-container-head{lined}",
        tag="button" if is_button else "div",
        type="button" if is_button else None,
    )


def _make_collapsible(head: Element, body: Element, *, is_folded: bool) -> None:
    body.props["id"] = body.html_id
    head.props["aria-controls"] = body.html_id

    def fold(*, away: bool) -> None:
        body.set_visibility(not away)
        head.props["aria-expanded"] = "false" if away else "true"

    fold(away=is_folded)
    on_click(head, lambda: fold(away=body.visible))
