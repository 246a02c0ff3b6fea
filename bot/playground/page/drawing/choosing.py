"""Handing on what was filled in."""

from typing import Any

from nicegui.element import Element

from bot.playground.page.drawing.confirming import agreed
from bot.playground.page.drawing.sheet import Json, Sheet, place_of
from bot.playground.slack.block_contents import STATES


async def choose(sheet: Sheet, block: Json, element: Json, value: Any) -> bool:
    """Tell the bot's side what an element now holds, unless its question is answered with no.

    Returns whether it was told; if not, the element must show again what it held.
    """
    if not await agreed(element.get("confirm"), sheet.names):
        return False
    await sheet.hands.choose(*place_of(block, element), _state(element, value))
    return True


def note(sheet: Sheet, block: Json, element: Json, value: Any) -> None:
    """Note what an element now holds without telling the bot."""
    sheet.hands.note(*place_of(block, element), _state(element, value))


def _state(element: Json, value: Any) -> Json:
    return {"type": element["type"], STATES[element["type"]][0]: value}


def mark(drawn: Element, block: Json, element: Json) -> None:
    """Make a drawn element findable, and let it take the focus where the form says so."""
    drawn.props["data-action-id"] = place_of(block, element)[1]
    if element.get("focus_on_load"):
        drawn.props["autofocus"] = True
