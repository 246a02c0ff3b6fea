"""Which element is drawn by what."""

from collections.abc import Callable

from bot.playground.page.drawing.boxes import draw_boxes
from bot.playground.page.drawing.buttons import draw_button, draw_overflow
from bot.playground.page.drawing.fields import draw_field, draw_file_field
from bot.playground.page.drawing.labels import Label, label_beside
from bot.playground.page.drawing.links import image_html
from bot.playground.page.drawing.menus import draw_menu
from bot.playground.page.drawing.parts import put
from bot.playground.page.drawing.pickers import draw_date, draw_moment, draw_time
from bot.playground.page.drawing.sheet import Json, Sheet

_SOURCES = ("static", "external", "users", "channels", "conversations")
_FILLED: dict[str, Callable[[Sheet, Json, Json, Label], None]] = {
    **{f"{source}_select": draw_menu for source in _SOURCES},
    **{f"multi_{source}_select": draw_menu for source in _SOURCES},
    "checkboxes": draw_boxes,
    "radio_buttons": draw_boxes,
    "datepicker": draw_date,
    "timepicker": draw_time,
    "datetimepicker": draw_moment,
    "plain_text_input": draw_field,
    "number_input": draw_field,
    "email_text_input": draw_field,
    "url_text_input": draw_field,
    "rich_text_input": draw_field,
    "file_input": draw_file_field,
}
_PRESSED: dict[str, Callable[[Sheet, Json, Json], None]] = {
    "button": draw_button,
    "workflow_button": draw_button,
    "icon_button": draw_button,
    "overflow": draw_overflow,
}
# Named as a group by the id of their label, which therefore points at no single input.
GROUPS = {"checkboxes", "radio_buttons", "datetimepicker"}


def draw_element(sheet: Sheet, block: Json, element: Json, label: Label | None = None) -> None:
    """Draw an element; without `label` it is named by what stands beside it.

    Raises:
        ValueError: there is no such element.
    """
    kind = element["type"]
    if kind == "image":
        put(image_html(element, "bk-accessory-image"))
    elif kind in _PRESSED:
        _PRESSED[kind](sheet, block, element)
    elif kind in _FILLED:
        _FILLED[kind](sheet, block, element, label or label_beside(block, element))
    else:
        raise ValueError(f"unsupported type: {kind}")
