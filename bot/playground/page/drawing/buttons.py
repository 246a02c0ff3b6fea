"""Buttons, and the question that some elements ask before they do anything.

https://docs.slack.dev/reference/block-kit/block-elements/button-element and
https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object
"""

import html

from nicegui import ui

from bot.playground.page.drawing.context import (
    Json,
    Names,
    RenderContext,
    box,
    on_click,
    place_of,
    put,
)
from bot.playground.page.drawing.mrkdwn import is_followed, leads_inside, plain_words, text_html


async def agreed(question: Json | None, names: Names) -> bool:
    """Ask, and tell whether the person said yes; without a question that is so at once."""
    if not question:
        return True
    dialog = _drawn(question, names)
    try:
        return bool(await dialog)
    finally:
        if not dialog.is_deleted:
            dialog.delete()


def _drawn(question: Json, names: Names) -> ui.dialog:
    title = plain_words(question["title"])
    style = " bk-danger" if question.get("style") == "danger" else " bk-primary"
    with ui.dialog() as dialog, box("bk-dialog"):
        dialog.props["aria-label"] = title
        put(html.escape(title), "bk-dialog-title", tag="h1")
        put(text_html(question["text"], names), "bk-text bk-dialog-text")
        with box("bk-dialog-buttons"):
            deny = put(
                html.escape(plain_words(question["deny"])),
                "bk-button",
                tag="button",
                type="button",
            )
            confirm = put(
                html.escape(plain_words(question["confirm"])),
                f"bk-button{style}",
                tag="button",
                type="button",
                autofocus=True,
            )
    on_click(deny, lambda: dialog.submit(""))
    on_click(confirm, lambda: dialog.submit("yes"))
    return dialog


_STYLES = {"primary": " bk-primary", "danger": " bk-danger"}


def draw_button(context: RenderContext, block: Json, element: Json) -> None:
    """Draw a button; one with an address is a link that tells the bot as well."""
    url = str(element.get("url") or "")
    leads = is_followed(url) and not leads_inside(url)
    words = plain_words(element["text"])
    button = put(
        html.escape(words),
        button_class(element),
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


def button_class(element: Json) -> str:
    """Return the classes of a button: what it looks like."""
    return f"bk-button{_STYLES.get(str(element.get('style')), '')}"


async def press(context: RenderContext, block: Json, element: Json) -> None:
    """Press a button, unless its question is answered with no."""
    if await agreed(element.get("confirm"), context.names):
        await context.actions.press(*place_of(block, element))
        if leads_inside(url := str(element.get("url") or "")):
            await context.actions.follow(url)
