"""Filling in fields and choosing in menus as Slack's client lets people do it. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from bot.playground.blockkit import check_blocks
from bot.playground.slack import block_contents
from bot.playground.slack.block_contents import STATES, Found, Json
from bot.playground.slack.model import Channel, Member, View
from bot.playground.slack.refusals import FormError

_EXTERNAL = {"external_select", "multi_external_select"}


@dataclass(frozen=True)
class Choices:
    """The people and places that somebody sees, and the options that the bot has offered."""

    people: Sequence[Member]
    places: Sequence[Channel]
    options: Sequence[Json] = ()

    def named(self, found: Found, words: str) -> Any:
        """Return what a menu holds after these words were chosen. Raises: FormError."""
        kind = found.element["type"]
        if "users" in kind:
            return self._person(found, words.removeprefix("@")).id
        if "conversations" in kind:
            return self._place(found, words.removeprefix("#")).id
        return self._option(found, words)

    def _person(self, found: Found, name: str) -> Member:
        for member in self.people:
            if member.name == name:
                return member
        raise FormError(f"{found.names[0]}: there is no one called {name}")

    def _place(self, found: Found, name: str) -> Channel:
        offered = [place for place in self.places if is_offered(found.element, place)]
        for place in offered:
            if name == ("dm" if place.is_im else place.name):
                return place
        names = [place.name for place in offered]
        raise FormError(f"{found.names[0]}: there is no channel {name} among {names}")

    def _option(self, found: Found, words: str) -> Json:
        asks = asks_the_bot(found)
        options = list(self.options) if asks else found.element["options"]
        for option in options:
            if block_contents.label(option) == words:
                return option
        shown = [block_contents.label(option) for option in options]
        raise FormError(f"{found.names[0]}: no {words!r} among {shown}")


def is_offered(element: Json, place: Channel) -> bool:
    """Tell whether a menu of conversations offers a place that somebody sees.

    https://docs.slack.dev/reference/block-kit/composition-objects/conversation-filter-object
    """
    rule = element.get("filter", {"include": ("public", "private", "im")})
    return place.kind in rule["include"]


def asks_the_bot(found: Found) -> bool:
    """Tell whether the field's options come from the bot while somebody types."""
    return found.element["type"] in _EXTERNAL


def check_suggestions(answer: Any) -> list[Json]:
    """Return the options that the bot offered. Raises: FormError, where Slack shows none.

    https://docs.slack.dev/reference/block-kit/composition-objects/option-object
    """
    if not isinstance(answer, dict) or "options" not in answer:
        raise FormError(f"no options in the answer: {answer!r}")
    # No options at all means "no results"; any others must fit a static menu.
    menu = {"type": "static_select", "action_id": "offered", "options": answer["options"]}
    problems = check_blocks([{"type": "actions", "elements": [menu]}]) if menu["options"] else []
    if problems:
        raise FormError(f"{problems[0].message} at {problems[0].pointer}")
    return list(answer["options"])


MAX_TEXT_CHARS = 3000


def field_called(blocks: list[Json], name: str) -> Found:
    """Return the field of that label, placeholder or `action_id`. Raises: FormError."""
    fields = [
        found for found in block_contents.elements(blocks) if found.element["type"] != "button"
    ]
    for rank in range(4):
        for found in fields:
            if found.names[rank : rank + 1] == [name] or (rank == 3 and name in found.names):
                return found
    raise FormError(f"no field {name!r}; there are {[found.names[0] for found in fields]}")


def filled(found: Found, answer: Any, choices: Choices) -> Json:
    """Return the state of a field after an answer; None empties it. Raises: FormError.

    `answer` is text, a number, the visible text of an option, the name of a person or channel
    ("dm": the direct message with the app), or a list of these where several may be chosen.
    """
    kind = found.element["type"]
    key = STATES[kind][0]
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
    most = element.get("max_length") or MAX_TEXT_CHARS
    if len(answer) > most:
        raise FormError(f"{name}: {len(answer)} characters, it takes {most}")
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
    """Pass if the form may be sent. Raises: FormError, naming a field that is wrong."""
    if not view.payload.get("submit"):
        raise FormError(f"the form {view.title!r} has no submit button")
    if wrong := wrong_fields(view):
        raise FormError(", ".join(f"{name}: {reason}" for name, reason in wrong.items()))


def wrong_fields(view: View) -> dict[str, str]:
    """Return what Slack's client says under each wrong field, by `block_id`, before it sends."""
    wrong: dict[str, str] = {}
    for found in block_contents.elements(view.blocks):
        if found.block.get("type") == "input":
            state = view.state[found.key[0]][found.key[1]]
            value = state[STATES[state["type"]][0]]
            if reason := _what_is_wrong(found, value):
                wrong.setdefault(found.key[0], reason)
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
