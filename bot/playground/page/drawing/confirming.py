"""The question that some elements ask before they do anything.

https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object
"""

import html

from nicegui import ui

from bot.playground.page.drawing.parts import box, on_click, put
from bot.playground.page.drawing.sheet import Json, Names
from bot.playground.page.drawing.text import plain_words, text_html


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
