"""Buttons, and the overflow menu behind three dots.

https://docs.slack.dev/reference/block-kit/block-elements/button-element
"""

import html

from nicegui import ui

from bot.playground.page.drawing.confirming import agreed
from bot.playground.page.drawing.links import is_followed, leads_inside
from bot.playground.page.drawing.parts import box, on_click, put
from bot.playground.page.drawing.sheet import Json, Sheet, place_of
from bot.playground.page.drawing.text import plain_words

_STYLES = {"primary": " bk-primary", "danger": " bk-danger"}


def draw_button(sheet: Sheet, block: Json, element: Json) -> None:
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
    on_click(button, lambda: press(sheet, block, element))


def button_class(element: Json) -> str:
    """Return the classes of a button: what it looks like."""
    return f"bk-button{_STYLES.get(str(element.get('style')), '')}"


async def press(sheet: Sheet, block: Json, element: Json) -> None:
    """Press a button, unless its question is answered with no."""
    if await agreed(element.get("confirm"), sheet.names):
        await sheet.hands.press(*place_of(block, element))
        if leads_inside(url := str(element.get("url") or "")):
            await sheet.hands.follow(url)


def draw_overflow(sheet: Sheet, block: Json, element: Json) -> None:
    """Draw the three dots, with a menu of up to five options behind them."""
    action_id = place_of(block, element)[1]
    with box(
        "bk-button bk-overflow",
        tag="button",
        type="button",
        aria_label="More actions",
        aria_haspopup="menu",
        data_action_id=action_id,
    ):
        put("⋯", tag="span", aria_hidden="true")
        with ui.menu().classes("bk-menu").props("auto-close role=menu"):
            for option in element["options"]:
                _draw_overflow_option(sheet, block, element, option)


def _draw_overflow_option(sheet: Sheet, block: Json, element: Json, option: Json) -> None:
    async def choose() -> None:
        if not await agreed(element.get("confirm"), sheet.names):
            return
        url = str(option.get("url") or "")
        if is_followed(url) and not leads_inside(url):
            ui.navigate.to(url, new_tab=True)
        state = {"type": "overflow", "selected_option": option}
        await sheet.hands.choose(*place_of(block, element), state)
        if leads_inside(url):
            await sheet.hands.follow(url)

    item = ui.menu_item(plain_words(option["text"])).classes("bk-menu-item")
    item.props["role"] = "menuitem"
    on_click(item, choose)
