"""Which block is drawn by what, and what becomes of one that cannot be drawn.

https://docs.slack.dev/reference/block-kit/blocks
"""

import html
from collections.abc import Callable, Iterable, Mapping

from nicegui.element import Element

from bot.playground.blockkit import Problem
from bot.playground.page.drawing.charts import draw_chart
from bot.playground.page.drawing.context import (
    Actions,
    Json,
    Names,
    RenderContext,
    box,
    on_click,
    put,
)
from bot.playground.page.drawing.elements import draw_element, draw_input
from bot.playground.page.drawing.mrkdwn import image_html, is_followed, link_html, mrkdwn_html
from bot.playground.page.drawing.tables import draw_data_table, draw_table
from bot.playground.page.drawing.text import markdown_html, plain_words, rich_text_html, text_html


def draw_problem(problems: Iterable[Problem]) -> None:
    """Draw the error that Slack would give, and where each of its reasons stands."""
    put(problems_html(list(problems)), "bk-problem", role="alert")


def problems_html(problems: list[Problem]) -> str:
    """Return the problems, each in the words of Slack's validator with its JSON pointer."""
    items = "".join(
        f"<li>{html.escape(problem.message)}"
        f' <span class="bk-note">[json-pointer:{html.escape(problem.pointer)}]'
        f" {html.escape(problem.code)}</span></li>"
        for problem in problems
    )
    return f"<p><b>invalid_blocks</b> Slack would refuse this.</p><ul>{items}</ul>"


_ALERTS = {"info": "\u2139\ufe0f", "warning": "⚠️", "error": "⛔", "success": "✅"}
# A long text is folded after about this many lines, unless the block says otherwise.
_FOLDED_CHARS, _FOLDED_LINES = 700, 8


def draw_section(sheet: RenderContext, block: Json) -> None:
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


def _draw_text(sheet: RenderContext, block: Json) -> None:
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


def draw_header(_sheet: RenderContext, block: Json) -> None:
    """Draw a title, as a heading of its level."""
    level = min(max(int(block.get("level") or 1), 1), 4)
    words = html.escape(plain_words(block["text"]))
    put(words, f"bk-header bk-level-{level}", role="heading", aria_level=str(level + 1))


def draw_divider(_sheet: RenderContext, _block: Json) -> None:
    """Draw a line across."""
    box("bk-divider", tag="hr")


def draw_context(sheet: RenderContext, block: Json) -> None:
    """Draw small grey texts and pictures in a row."""
    shown = (
        image_html(element, "bk-context-image")
        if element["type"] == "image"
        else f'<span class="bk-text">{text_html(element, sheet.names)}</span>'
        for element in block["elements"]
    )
    put("".join(shown), "bk-context")


def draw_actions(sheet: RenderContext, block: Json) -> None:
    """Draw buttons, menus and pickers in rows."""
    with box("bk-actions"):
        for element in block["elements"]:
            draw_element(sheet, block, element)


def draw_image(_sheet: RenderContext, block: Json) -> None:
    """Draw a picture under its title."""
    title = html.escape(plain_words(block.get("title")))
    put(f'<div class="bk-image-title">{title}</div>{image_html(block, "bk-image")}')


def draw_rich_text(sheet: RenderContext, block: Json) -> None:
    """Draw formatted text."""
    put(rich_text_html(block, sheet.names), "bk-text")


def draw_markdown(_sheet: RenderContext, block: Json) -> None:
    """Draw standard Markdown."""
    put(markdown_html(block["text"]), "bk-markdown")


def draw_alert(sheet: RenderContext, block: Json) -> None:
    """Draw a coloured notice; its sign and its role tell the level as well as its colour."""
    level = str(block.get("level") or "default")
    known = level if level in _ALERTS else "default"
    sign = f'<span aria-hidden="true">{_ALERTS.get(level, "📌")}</span>'
    words = f'<div class="bk-text">{text_html(block["text"], sheet.names)}</div>'
    role = "alert" if level in ("warning", "error") else "status"
    put(sign + words, f"bk-alert bk-alert-{known}", role=role)


def draw_video(_sheet: RenderContext, block: Json) -> None:
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


DrawBlock = Callable[[RenderContext, Json, str], None]
_ICONS = {
    "warning": "⚠️", "globe": "🌐", "key": "🔑", "check": "✅", "info": "\u2139\ufe0f",
    "calendar": "📅",
    "bug": "🐛", "star": "⭐", "star-filled": "⭐", "rocket": "🚀", "flag": "🚩", "gear": "⚙️",
    "help": "❓", "lightbulb": "💡", "link": "🔗", "pin": "📌", "tag": "🏷️", "trash": "🗑️",
    "user": "👤", "email": "📧", "file": "📄", "folder": "📁", "heart": "❤️", "edit": "✏️",
}  # fmt: skip
_WIDTHS = {"narrow", "standard", "wide", "full"}


def draw_card(sheet: RenderContext, block: Json) -> None:
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


def _card_html(sheet: RenderContext, block: Json) -> str:
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


def draw_carousel(sheet: RenderContext, block: Json, draw: DrawBlock, pointer: str) -> None:
    """Draw cards beside each other; they scroll sideways."""
    with box("bk-carousel", role="group", aria_label="Cards", tabindex="0"):
        for place, card in enumerate(block["elements"]):
            draw(sheet, card, f"{pointer}/elements/{place}")


def draw_container(sheet: RenderContext, block: Json, draw: DrawBlock, pointer: str) -> None:
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


def _draw_head(sheet: RenderContext, block: Json) -> Element:
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


_DRAWN: Mapping[str, Callable[[RenderContext, Json], None]] = {
    "section": draw_section,
    "header": draw_header,
    "divider": draw_divider,
    "context": draw_context,
    "actions": draw_actions,
    "image": draw_image,
    "input": draw_input,
    "rich_text": draw_rich_text,
    "markdown": draw_markdown,
    "table": draw_table,
    "data_table": draw_data_table,
    "data_visualization": draw_chart,
    "alert": draw_alert,
    "card": draw_card,
    "video": draw_video,
}
_NOTHING: Mapping[str, str] = {}
_NOTHING_TYPED: Mapping[tuple[str, str], Json] = {}


def draw_blocks(
    blocks: list[Json],
    *,
    hands: Actions,
    names: Names,
    errors: Mapping[str, str] = _NOTHING,
    values: Mapping[tuple[str, str], Json] = _NOTHING_TYPED,
    channel_id: str | None = None,
    first: int = 0,
) -> None:
    """Draw blocks into NiceGUI's current slot.

    `errors` are shown under the inputs of their `block_id`; `values` are the states of what was
    filled in so far, by `block_id` and `action_id`; `channel_id` is the conversation that menus
    may begin with. A block that is none is drawn as the error that Slack would give; it points
    at the block by its number, counted from `first`.
    """
    sheet = RenderContext(hands, names, errors, values, channel_id)
    with box("bk-blocks"):
        for place, block in enumerate(blocks, first):
            _draw_block(sheet, block, f"/blocks/{place}")


def draw_text(text: str, *, names: Names) -> None:
    """Draw a message without blocks into NiceGUI's current slot."""
    with box("bk-blocks"):
        put(mrkdwn_html(text, names=names), "bk-text")


def _draw_block(sheet: RenderContext, block: Json, pointer: str) -> None:
    kind = block.get("type")
    with box(f"bk-block bk-kind-{kind}" if kind in _DRAWN else "bk-block") as holder:
        holder.props["data-block-id"] = str(block.get("block_id", ""))
        try:
            _draw(sheet, block, pointer)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            # Whatever is wrong with one block, the others are shown.
            holder.clear()
            draw_problem([_problem(error, pointer)])


def _draw(sheet: RenderContext, block: Json, pointer: str) -> None:
    match block.get("type"):
        case "container":
            draw_container(sheet, block, _draw_block, pointer)
        case "carousel":
            draw_carousel(sheet, block, _draw_block, pointer)
        case str(kind) if kind in _DRAWN:
            _DRAWN[kind](sheet, block)
        case kind:
            raise ValueError(f"unsupported type: {kind}")


def _problem(error: Exception, pointer: str) -> Problem:
    match error:
        case ValueError(args=(str(words),)):
            return Problem("invalid_blocks", words, pointer)
        case KeyError(args=(field,)):
            return Problem("invalid_blocks", f"missing required field: {field}", pointer)
    return Problem("invalid_blocks", "must be of the shape of its type", pointer)
