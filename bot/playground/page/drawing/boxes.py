"""Checkboxes and radio buttons, as the browser's own inputs.

https://docs.slack.dev/reference/block-kit/block-elements/checkboxes-element
"""

from typing import Any

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from bot.playground.page.drawing.choosing import choose
from bot.playground.page.drawing.labels import Label
from bot.playground.page.drawing.parts import box, put
from bot.playground.page.drawing.sheet import Json, Sheet, place_of
from bot.playground.page.drawing.text import text_html


def draw_boxes(sheet: Sheet, block: Json, element: Json, label: Label) -> None:
    """Draw one box or button for each option, with its description under it."""
    group = box("bk-choices", data_action_id=place_of(block, element)[1])
    is_radio = element["type"] == "radio_buttons"
    label.name_group(group, "radiogroup" if is_radio else "group")
    _Boxes(sheet, block, element, group).draw()


class _Boxes:
    def __init__(self, sheet: Sheet, block: Json, element: Json, group: Element) -> None:
        self._sheet, self._block, self._element, self._group = sheet, block, element, group
        self._is_radio = element["type"] == "radio_buttons"
        held = sheet.held(block, element) or []
        chosen = [held] if isinstance(held, dict) else held
        self._chosen = [option["value"] for option in chosen]

    def draw(self) -> None:
        with self._group:
            for place, option in enumerate(self._element["options"]):
                self._draw_option(place, option)

    def _draw_option(self, place: int, option: Json) -> None:
        names = self._sheet.names
        with box("bk-choice", tag="label"):
            ticked = option["value"] in self._chosen
            tick = box(
                "bk-tick",
                tag="input",
                type="radio" if self._is_radio else "checkbox",
                name=self._group.html_id if self._is_radio else None,
                checked=ticked or None,
                autofocus=(place == 0 and self._element.get("focus_on_load")) or None,
            )
            with box("bk-choice-words"):
                put(text_html(option["text"], names), "bk-text", tag="span")
                if option.get("description"):
                    put(text_html(option["description"], names), "bk-note", tag="span")

        async def changed(event: GenericEventArguments) -> None:
            await self._change(option["value"], is_ticked=bool(event.args))

        tick.on("change", changed, js_handler="(event) => emit(event.target.checked)")

    async def _change(self, value: str, *, is_ticked: bool) -> None:
        before = self._chosen
        others = [] if self._is_radio else [each for each in before if each != value]
        self._chosen = [*others, value] if is_ticked else others
        if not await choose(self._sheet, self._block, self._element, self._state()):
            self._chosen = before
            self._group.clear()
            self.draw()

    def _state(self) -> Any:
        options = [each for each in self._element["options"] if each["value"] in self._chosen]
        return (options or [None])[0] if self._is_radio else options
