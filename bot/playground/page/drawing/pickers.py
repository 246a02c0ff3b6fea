"""Pickers of days and times, checkboxes and radio buttons.

https://docs.slack.dev/reference/block-kit/block-elements/date-picker-element
"""

import html
import re
from collections.abc import Awaitable, Callable
from datetime import date, datetime
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.date_input import DateInput
from nicegui.elements.time_input import TimeInput
from nicegui.events import GenericEventArguments

from bot.playground.page.drawing.context import Json, RenderContext, box, place_of, put
from bot.playground.page.drawing.fields import Label, choose, mark
from bot.playground.page.drawing.text import plain_words, text_html

_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d")


def draw_date(sheet: RenderContext, block: Json, element: Json, label: Label) -> None:
    """Draw a day: typed as `2031-02-03`, or picked in a calendar."""
    shown = str(sheet.held(block, element) or "")
    field = _day_field(shown, plain_words(element.get("placeholder")) or "Select a date")
    label.name_field(field)
    mark(field, block, element)
    _hand_on(field, _is_day, lambda value: choose(sheet, block, element, value))


def draw_time(sheet: RenderContext, block: Json, element: Json, label: Label) -> None:
    """Draw a time of day: any minute, typed as `09:30` or picked on a clock."""
    shown = str(sheet.held(block, element) or "")
    placeholder = plain_words(element.get("placeholder")) or "Select a time"
    with box("bk-time"):
        field = _time_field(shown, placeholder)
        label.name_field(field)
        mark(field, block, element)
        if element.get("timezone"):
            put(html.escape(str(element["timezone"])), "bk-hint")
    _hand_on(field, _is_time, lambda value: choose(sheet, block, element, value))


def draw_moment(sheet: RenderContext, block: Json, element: Json, label: Label) -> None:
    """Draw a day and a time, both in the zone of whoever looks."""
    zone = sheet.names.zone()
    held = sheet.held(block, element)
    moment = datetime.fromtimestamp(held, zone) if held else None
    with box("bk-moment", data_action_id=place_of(block, element)[1]) as group:
        label.name_group(group, "group")
        day = _day_field(f"{moment:%Y-%m-%d}" if moment else "", "Select a date")
        time = _time_field(f"{moment:%H:%M}" if moment else "", "Select a time")
        for field, words in ((day, "Date"), (time, "Time")):
            field.props["aria-label"] = words
            field.props["hide-bottom-space"] = True

    async def tell(_value: Any) -> None:
        if day.value and time.value:
            chosen = datetime.fromisoformat(f"{day.value}T{time.value}").replace(tzinfo=zone)
            await choose(sheet, block, element, int(chosen.timestamp()))
        else:
            await choose(sheet, block, element, None)

    _hand_on(day, _is_day, tell)
    _hand_on(time, _is_time, tell)


def _day_field(shown: str, placeholder: str) -> DateInput:
    field = ui.date_input(value=shown, placeholder=placeholder)
    field.classes("bk-field bk-picker").props("outlined dense")
    field.picker.props("minimal mask=YYYY-MM-DD first-day-of-week=1")
    field.button.props["aria-label"] = "Open the calendar"
    return field


def _time_field(shown: str, placeholder: str) -> TimeInput:
    field = ui.time_input(value=shown, placeholder=placeholder)
    field.classes("bk-field bk-picker").props("outlined dense")
    field.picker.props("format24h mask=HH:mm")
    field.button.props["aria-label"] = "Open the clock"
    return field


def _hand_on(
    field: DateInput | TimeInput,
    is_whole: Callable[[str], bool],
    tell: Callable[[str | None], Awaitable[Any]],
) -> None:
    """Hand on what is picked or typed, but nothing half typed."""

    async def changed() -> None:
        value = str(field.value or "").strip()
        if not value or is_whole(value):
            await tell(value or None)

    field.on_value_change(changed)


def _is_day(value: str) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _is_time(value: str) -> bool:
    return bool(_TIME.fullmatch(value))


def draw_boxes(sheet: RenderContext, block: Json, element: Json, label: Label) -> None:
    """Draw one box or button for each option, with its description under it."""
    group = box("bk-choices", data_action_id=place_of(block, element)[1])
    is_radio = element["type"] == "radio_buttons"
    label.name_group(group, "radiogroup" if is_radio else "group")
    _Boxes(sheet, block, element, group).draw()


class _Boxes:
    def __init__(self, sheet: RenderContext, block: Json, element: Json, group: Element) -> None:
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
