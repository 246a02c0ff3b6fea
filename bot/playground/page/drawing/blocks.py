"""Which block and which element is drawn by what: those that the bot sends.

https://docs.slack.dev/reference/block-kit/blocks
"""

import html
from collections.abc import Callable, Mapping

from nicegui.element import Element

from bot.playground.page.actions import SlackActions
from bot.playground.page.drawing.context import Json, RenderContext, box, put
from bot.playground.page.drawing.fields import Label, draw_button, draw_field, label_beside
from bot.playground.page.drawing.menus import draw_menu
from bot.playground.page.drawing.mrkdwn import mrkdwn_html, plain_words, text_html
from bot.playground.page.drawing.pickers import draw_boxes, draw_date, draw_time
from bot.playground.page.drawing.tables import draw_chart, draw_data_table
from bot.playground.page.session import SlackNames

_SOURCES = ("static", "external", "users", "conversations")
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
    """Draw an element; without `label` it is named by what stands beside it. Raises: KeyError."""
    kind = element["type"]
    if kind == "button":
        draw_button(context, block, element)
    else:
        _FILLED[kind](context, block, element, label or label_beside(block, element))


def draw_input(context: RenderContext, block: Json) -> None:
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


def draw_section(context: RenderContext, block: Json) -> None:
    """Draw a text, up to ten fields in two columns, and what stands beside them."""
    with box("bk-section"):
        with box("bk-section-words"):
            if block.get("text"):
                put(text_html(block["text"], context.names), "bk-text")
            if block.get("fields"):
                cells = (text_html(field, context.names) for field in block["fields"])
                shown = "".join(
                    f'<div class="bk-text bk-field-cell">{cell}</div>' for cell in cells
                )
                put(shown, "bk-fields")
        if block.get("accessory"):
            with box("bk-accessory"):
                draw_element(context, block, block["accessory"])


def draw_header(_context: RenderContext, block: Json) -> None:
    put(html.escape(plain_words(block["text"])), "bk-header", role="heading", aria_level="2")


def draw_divider(_context: RenderContext, _block: Json) -> None:
    box("bk-divider", tag="hr")


def draw_actions(context: RenderContext, block: Json) -> None:
    with box("bk-actions"):
        for element in block["elements"]:
            draw_element(context, block, element)


def _make_collapsible(head: Element, body: Element, *, is_folded: bool) -> None:
    """Let the head fold the body away, in the browser alone, as Slack's clients do."""
    body.props["id"] = body.html_id
    body.set_visibility(not is_folded)
    head.props["aria-controls"] = body.html_id
    head.props["aria-expanded"] = "false" if is_folded else "true"
    head.on(
        "click",
        js_handler=f"() => getHtmlElement({head.id}).setAttribute('aria-expanded',"
        f" !getHtmlElement({body.id}).classList.toggle('hidden'))",
    )


def draw_text(text: str, *, names: SlackNames) -> None:
    """Draw a message without blocks into NiceGUI's current slot."""
    with box("bk-blocks"):
        put(mrkdwn_html(text, names=names), "bk-text")


def draw_context(context: RenderContext, block: Json) -> None:
    texts = (text_html(element, context.names) for element in block["elements"])
    put("".join(f'<span class="bk-text">{shown}</span>' for shown in texts), "bk-context")


def draw_container(context: RenderContext, block: Json) -> None:
    title, under = (
        text_html(block[name], context.names) if name in block else ""
        for name in ("title", "subtitle")
    )
    with box("bk-container"):
        head = put(
            f'<span class="bk-container-titles"><span class="bk-strong">{title}</span>'
            f'<span class="bk-note">{under}</span></span>'
            '<span class="bk-chevron" aria-hidden="true"></span>',
            "bk-container-head",
            tag="button",
            type="button",
        )
        with box("bk-container-body") as body:
            for child in block["child_blocks"]:
                _draw_block(context, child)
    _make_collapsible(head, body, is_folded=bool(block.get("default_collapsed")))


_DRAWN: Mapping[str, Callable[[RenderContext, Json], None]] = {
    "section": draw_section,
    "header": draw_header,
    "divider": draw_divider,
    "context": draw_context,
    "actions": draw_actions,
    "input": draw_input,
    "data_table": draw_data_table,
    "data_visualization": draw_chart,
    "container": draw_container,
}


def draw_blocks(
    blocks: list[Json],
    *,
    actions: SlackActions,
    names: SlackNames,
    errors: Mapping[str, str] | None = None,
    values: Mapping[tuple[str, str], Json] | None = None,
) -> None:
    """Draw blocks into NiceGUI's current slot.

    See `RenderContext` for what else may be known.
    """
    context = RenderContext(actions, names, errors or {}, values or {})
    with box("bk-blocks"):
        for block in blocks:
            _draw_block(context, block)


def _draw_block(context: RenderContext, block: Json) -> None:
    kind = block["type"]
    with box(f"bk-block bk-kind-{kind}") as holder:
        holder.props["data-block-id"] = block["block_id"]
        _DRAWN[kind](context, block)
