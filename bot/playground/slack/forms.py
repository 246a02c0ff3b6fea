"""Filling in fields as Slack's client lets people do it. Pure."""

import re
from datetime import date
from typing import Any

from bot.playground.slack import elements
from bot.playground.slack.choices import Choices
from bot.playground.slack.elements import STATES, Found
from bot.playground.slack.failures import FormError
from bot.playground.slack.model import View

Json = dict[str, Any]

MAX_TEXT_CHARS = 3000


def field_called(blocks: list[Json], name: str) -> Found:
    """Return the field of that label, placeholder or `action_id`. Raises: FormError."""
    fields = [found for found in elements.elements(blocks) if found.element["type"] != "button"]
    for rank in range(4):
        for found in fields:
            if found.names[rank : rank + 1] == [name] or (rank == 3 and name in found.names):
                return found
    raise FormError(f"no field {name!r}; there are {[found.names[0] for found in fields]}")


def filled(found: Found, answer: Any, choices: Choices) -> Json:
    """Return the state of a field after an answer.

    `answer` is text, a number, the visible text of an option, the name of a channel ("dm": the
    direct message with the app) or person, or a list of these where several may be chosen; None
    empties the field.

    Raises:
        FormError: the field does not take it.
    """
    kind = found.element["type"]
    key = "selected_option" if kind == "overflow" else STATES[kind][0]
    if key.endswith("s"):
        many = [] if answer is None else [answer] if isinstance(answer, str) else answer
        value: Any = [_one(found, item, choices) for item in many]
        _count(found, value)
    else:
        value = None if answer in (None, "") else _one(found, answer, choices)
    return {"type": kind, key: value}


def _count(found: Found, chosen: list[Any]) -> None:
    limit = found.element.get("max_selected_items")
    if limit and len(chosen) > limit:
        raise FormError(f"{found.names[0]}: at most {limit} may be chosen")


def _one(found: Found, answer: Any, choices: Choices) -> Any:
    kind = found.element["type"]
    if kind in ("datepicker", "timepicker"):
        return _moment(found, str(answer))
    if kind == "datetimepicker":
        return int(answer)
    if kind.endswith("_input"):
        return _text(found, str(answer))
    return choices.named(found, str(answer))


def _moment(found: Found, answer: str) -> str:
    try:
        if found.element["type"] == "datepicker":
            return date.fromisoformat(answer).isoformat()
    except ValueError as error:
        raise FormError(f"{found.names[0]}: {answer!r} is no date") from error
    if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", answer):
        raise FormError(f"{found.names[0]}: {answer!r} is no time")
    return answer


def _text(found: Found, answer: str) -> str:
    element, name = found.element, found.names[0]
    if element["type"] == "number_input":
        return _number(found, answer)
    if not element.get("multiline"):
        answer = re.sub(r"[\r\n]+", " ", answer)  # a one-line field cannot hold a line break
    low = element.get("min_length") or 0
    high = element.get("max_length") or MAX_TEXT_CHARS
    if not low <= len(answer) <= high:
        raise FormError(f"{name}: {len(answer)} characters, it takes {low} to {high}")
    return answer


def _number(found: Found, answer: str) -> str:
    element, name = found.element, found.names[0]
    digits = r"-?\d+(\.\d+)?" if element.get("is_decimal_allowed") else r"-?\d+"
    if not re.fullmatch(digits, answer):
        raise FormError(f"{name}: {answer!r} is no number that it takes")
    low = float(element.get("min_value") or "-inf")
    high = float(element.get("max_value") or "inf")
    if not low <= float(answer) <= high:
        raise FormError(f"{name}: {answer} is not between {low:g} and {high:g}")
    return answer


def check_complete(view: View) -> None:
    """Pass if the form may be sent. Raises: FormError, naming a required field without value."""
    if not view.payload.get("submit"):
        raise FormError(f"the form {view.title!r} has no submit button")
    for found in elements.elements(view.blocks):
        if found.block.get("type") != "input" or found.block.get("optional"):
            continue
        state = view.state[found.key[0]][found.key[1]]
        if state[STATES[state["type"]][0]] in (None, "", []):
            raise FormError(f"{found.names[0]}: please fill in this field")


def wrong_fields(view: View) -> dict[str, str]:
    """Return what Slack's client says under each wrong field, by `block_id`, before it sends."""
    wrong: dict[str, str] = {}
    for found in elements.elements(view.blocks):
        if found.block.get("type") == "input":
            state = view.state[found.key[0]][found.key[1]]
            value = state[STATES[state["type"]][0]]
            if told := _what_is_wrong(found, value):
                wrong.setdefault(found.key[0], told)
    return wrong


def _what_is_wrong(found: Found, value: Any) -> str | None:
    if value in (None, "", []):
        return None if found.block.get("optional") else "Please complete this required field."
    if isinstance(value, str) and found.element["type"].endswith("_input"):
        try:
            _text(found, value)
        except FormError as error:
            return str(error).removeprefix(f"{found.names[0]}: ").capitalize()
    return None
