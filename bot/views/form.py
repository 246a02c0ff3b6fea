"""The parts that forms are made of. Pure."""

from bot.message import Block
from bot.views.blocks import plain_text
from bot.views.text import MAX_OPTION_CHARS, MAX_VIEW_TITLE_CHARS, outside


def form(
    callback_id: str, title: str, submit: str, blocks: list[Block], *, metadata: str = ""
) -> Block:
    """Return a form with a button that submits it; `metadata` comes back with it."""
    return {
        "type": "modal",
        "callback_id": callback_id,
        "private_metadata": metadata,
        "title": plain_text(title, MAX_VIEW_TITLE_CHARS),
        "submit": plain_text(submit, MAX_VIEW_TITLE_CHARS),
        "close": plain_text("Cancel", MAX_VIEW_TITLE_CHARS),
        "blocks": blocks,
    }


def notice(title: str, blocks: list[Block], *, metadata: str = "") -> Block:
    """Return a form that only shows something; `metadata` comes back with its buttons."""
    return {
        "type": "modal",
        "private_metadata": metadata,
        "title": plain_text(title, MAX_VIEW_TITLE_CHARS),
        "close": plain_text("Close", MAX_VIEW_TITLE_CHARS),
        "blocks": blocks,
    }


def field(
    block_id: str, label: str, element: Block, *, hint: str = "", optional: bool = False
) -> Block:
    """Return a labelled field; without `optional` Slack insists on a value."""
    block = {
        "type": "input",
        "block_id": block_id,
        "label": plain_text(label, 100),
        "element": element,
        "optional": optional,
    }
    return block | {"hint": plain_text(hint, 200)} if hint else block


def option(value: str, shown: str | None = None, note: str = "") -> Block:
    """Return an option of a menu; what is shown is clipped, `value` is the caller's to bound."""
    text = outside(shown or value, MAX_OPTION_CHARS)
    made = {"text": plain_text(text, MAX_OPTION_CHARS), "value": value}
    return made | {"description": plain_text(note, MAX_OPTION_CHARS)} if note else made
