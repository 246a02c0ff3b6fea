"""Pickers of days, times, and both.

https://docs.slack.dev/reference/block-kit/block-elements/date-picker-element
"""

import html
import re
from collections.abc import Awaitable, Callable
from datetime import date, datetime
from typing import Any

from nicegui import ui
from nicegui.elements.date_input import DateInput
from nicegui.elements.time_input import TimeInput

from bot.playground.page.drawing.choosing import choose, mark
from bot.playground.page.drawing.labels import Label
from bot.playground.page.drawing.parts import box, put
from bot.playground.page.drawing.sheet import Json, Sheet, place_of
from bot.playground.page.drawing.text import plain_words

_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d")


def draw_date(sheet: Sheet, block: Json, element: Json, label: Label) -> None:
    """Draw a day: typed as `2031-02-03`, or picked in a calendar."""
    shown = str(sheet.held(block, element) or "")
    field = _day_field(shown, plain_words(element.get("placeholder")) or "Select a date")
    label.name_field(field)
    mark(field, block, element)
    _hand_on(field, _is_day, lambda value: choose(sheet, block, element, value))


def draw_time(sheet: Sheet, block: Json, element: Json, label: Label) -> None:
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


def draw_moment(sheet: Sheet, block: Json, element: Json, label: Label) -> None:
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
