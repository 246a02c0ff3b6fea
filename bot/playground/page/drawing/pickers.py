"""Pickers of days and times, and checkboxes.

https://docs.slack.dev/reference/block-kit/block-elements/date-picker-element
"""

import re
from collections.abc import Callable
from datetime import date
from functools import partial

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.date_input import DateInput
from nicegui.elements.time_input import TimeInput
from nicegui.events import GenericEventArguments

from bot.playground.page.drawing.context import Json, RenderContext, box, place_of, put
from bot.playground.page.drawing.fields import Label, choose, mark
from bot.playground.page.drawing.mrkdwn import plain_words, text_html

_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d")


def draw_date(context: RenderContext, block: Json, element: Json, label: Label) -> None:
    """Draw a day: typed as `2031-02-03`, or picked in a calendar."""
    field = ui.date_input(value=str(context.held(block, element) or ""))
    field.picker.props("minimal mask=YYYY-MM-DD first-day-of-week=1")
    field.button.props["aria-label"] = "Open the calendar"
    _finish(field, context, block, element, label, _is_day)


def draw_time(context: RenderContext, block: Json, element: Json, label: Label) -> None:
    """Draw a time of day: any minute, typed as `09:30` or picked on a clock."""
    field = ui.time_input(value=str(context.held(block, element) or ""))
    field.picker.props("format24h mask=HH:mm")
    field.button.props["aria-label"] = "Open the clock"
    _finish(field, context, block, element, label, lambda value: bool(_TIME.fullmatch(value)))


def _finish(
    field: DateInput | TimeInput,
    context: RenderContext,
    block: Json,
    element: Json,
    label: Label,
    is_whole: Callable[[str], bool],
) -> None:
    """Name a picker, and hand on what is picked or typed, but nothing half typed."""
    field.classes("bk-field bk-picker").props("outlined dense")
    default = f"Select a {element['type'].removesuffix('picker')}"
    field.props["placeholder"] = plain_words(element.get("placeholder")) or default
    label.name_field(field)
    mark(field, block, element)

    async def changed() -> None:
        value = str(field.value or "").strip()
        if not value or is_whole(value):
            await choose(context, block, element, value or None)

    field.on_value_change(changed)


def _is_day(value: str) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def draw_boxes(context: RenderContext, block: Json, element: Json, label: Label) -> None:
    """Draw one box for each option, with its description under it."""
    group = box("bk-choices", data_action_id=place_of(block, element)[1])
    label.name_group(group, "group")
    chosen = {option["value"] for option in context.held(block, element) or []}

    async def change(option: Json, event: GenericEventArguments) -> None:
        if event.args:
            chosen.add(option["value"])
        else:
            chosen.discard(option["value"])
        held = [each for each in element["options"] if each["value"] in chosen]
        await choose(context, block, element, held)

    with group:
        for option in element["options"]:
            tick = _draw_option(context, option, is_ticked=option["value"] in chosen)
            tick.on(
                "change",
                partial(change, option),
                js_handler="(event) => emit(event.target.checked)",
            )


def _draw_option(context: RenderContext, option: Json, *, is_ticked: bool) -> Element:
    with box("bk-choice", tag="label"):
        tick = box("bk-tick", tag="input", type="checkbox", checked=is_ticked or None)
        with box("bk-choice-words"):
            put(text_html(option["text"], context.names), "bk-text", tag="span")
            if option.get("description"):
                put(text_html(option["description"], context.names), "bk-note", tag="span")
    return tick
