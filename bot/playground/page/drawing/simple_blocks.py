"""The long-standing blocks: https://docs.slack.dev/reference/block-kit/blocks."""

import html

from bot.playground.page.drawing.elements import draw_element
from bot.playground.page.drawing.links import image_html, is_followed, link_html
from bot.playground.page.drawing.parts import box, put
from bot.playground.page.drawing.rich_text import rich_text_html
from bot.playground.page.drawing.sheet import Json, Sheet
from bot.playground.page.drawing.text import markdown_html, plain_words, text_html

_ALERTS = {"info": "\u2139\ufe0f", "warning": "⚠️", "error": "⛔", "success": "✅"}
# A long text is folded after about this many lines, unless the block says otherwise.
_FOLDED_CHARS, _FOLDED_LINES = 700, 8


def draw_section(sheet: Sheet, block: Json) -> None:
    """Draw a text, up to ten fields in two columns, and what stands beside them."""
    with box("bk-section"):
        with box("bk-section-words"):
            if block.get("text"):
                _draw_text(sheet, block)
            if block.get("fields"):
                cells = (text_html(field, sheet.names) for field in block["fields"])
                shown = "".join(
                    f'<div class="bk-text bk-field-cell">{cell}</div>' for cell in cells
                )
                put(shown, "bk-fields")
        if block.get("accessory"):
            with box("bk-accessory"):
                draw_element(sheet, block, block["accessory"])


def _draw_text(sheet: Sheet, block: Json) -> None:
    words = block["text"]["text"]
    is_long = len(words) > _FOLDED_CHARS or words.count("\n") >= _FOLDED_LINES
    shown = text_html(block["text"], sheet.names)
    if block.get("expand") or not is_long:
        put(shown, "bk-text")
        return
    folded = put(shown, "bk-text bk-folded")
    more = put("Show more", "bk-more", tag="button", type="button")
    more.on(
        "click",
        js_handler=f"() => {{ getHtmlElement({folded.id}).classList.remove('bk-folded');"
        f" getHtmlElement({more.id}).remove(); }}",
    )


def draw_header(_sheet: Sheet, block: Json) -> None:
    """Draw a title, as a heading of its level."""
    level = min(max(int(block.get("level") or 1), 1), 4)
    words = html.escape(plain_words(block["text"]))
    put(words, f"bk-header bk-level-{level}", role="heading", aria_level=str(level + 1))


def draw_divider(_sheet: Sheet, _block: Json) -> None:
    """Draw a line across."""
    box("bk-divider", tag="hr")


def draw_context(sheet: Sheet, block: Json) -> None:
    """Draw small grey texts and pictures in a row."""
    shown = (
        image_html(element, "bk-context-image")
        if element["type"] == "image"
        else f'<span class="bk-text">{text_html(element, sheet.names)}</span>'
        for element in block["elements"]
    )
    put("".join(shown), "bk-context")


def draw_actions(sheet: Sheet, block: Json) -> None:
    """Draw buttons, menus and pickers in rows."""
    with box("bk-actions"):
        for element in block["elements"]:
            draw_element(sheet, block, element)


def draw_image(_sheet: Sheet, block: Json) -> None:
    """Draw a picture under its title."""
    title = html.escape(plain_words(block.get("title")))
    put(f'<div class="bk-image-title">{title}</div>{image_html(block, "bk-image")}')


def draw_rich_text(sheet: Sheet, block: Json) -> None:
    """Draw formatted text."""
    put(rich_text_html(block, sheet.names), "bk-text")


def draw_markdown(_sheet: Sheet, block: Json) -> None:
    """Draw standard Markdown."""
    put(markdown_html(block["text"]), "bk-markdown")


def draw_alert(sheet: Sheet, block: Json) -> None:
    """Draw a coloured notice; its sign and its role tell the level as well as its colour."""
    level = str(block.get("level") or "default")
    known = level if level in _ALERTS else "default"
    sign = f'<span aria-hidden="true">{_ALERTS.get(level, "📌")}</span>'
    words = f'<div class="bk-text">{text_html(block["text"], sheet.names)}</div>'
    role = "alert" if level in ("warning", "error") else "status"
    put(sign + words, f"bk-alert bk-alert-{known}", role=role)


def draw_video(_sheet: Sheet, block: Json) -> None:
    """Draw the place of a video, which the playground does not play."""
    title = html.escape(plain_words(block["title"]))
    url = str(block.get("title_url") or "")
    author = html.escape(str(block.get("author_name") or block.get("provider_name") or ""))
    picture = {"alt_text": block.get("alt_text"), "image_url": block.get("thumbnail_url")}
    put(
        f'<div class="bk-note">{author}</div>'
        f'<div class="bk-strong">{link_html(url, title) if is_followed(url) else title}</div>'
        f'<div class="bk-text">{html.escape(plain_words(block.get("description")))}</div>'
        f'<div class="bk-video">{image_html(picture, "bk-image")}'
        '<span class="bk-play" aria-hidden="true">▶\ufe0e</span></div>'
    )
